"""The flags through which programs of TensorFlow 1 learn their task: `--job_name` and the like.

A program gets those that it defines, with `tf.app.flags`, absl or argparse. They are looked for in
its text and in the modules beside it; nothing runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from placewise.cli.cluster.layout import Task, addresses
from placewise.cli.program import Text

_CALLS = ("DEFINE_", "add_argument")


def defined_flags(text: Text | None) -> frozenset[str]:
    """Return the names of the flags that a program defines."""
    return (
        frozenset() if text is None else frozenset(_defined(text.source, Path(text.folder), set()))
    )


def task_arguments(
    flags: frozenset[str], task: Task, tasks: list[Task], given: list[str]
) -> list[str]:
    """Return the arguments that tell a program its task, without those that the user gave."""
    values = {f"{job}_hosts": ",".join(hosts) for job, hosts in addresses(tasks).items()}
    values |= {"job_name": task.job, "task_index": str(task.number), "task_id": str(task.number)}
    taken = {word.lstrip("-").partition("=")[0] for word in given if word.startswith("-")}
    return [
        f"--{name}={value}" for name, value in values.items() if name in flags and name not in taken
    ]


def _defined(source: str | bytes, folder: Path, seen: set[Path]) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # running it will say so
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.Import):
            for item in node.names:
                yield from _of_module(item.name, folder, seen)
        elif isinstance(node, ast.ImportFrom):
            for name in [node.module, *(item.name for item in node.names)]:
                yield from _of_module(name or "", folder, seen)


def _of_call(node: ast.Call) -> Iterator[str]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    called = node.func.id if isinstance(node.func, ast.Name) else called
    if not called.startswith(_CALLS):
        return
    values = [
        *node.args,
        *(word.value for word in node.keywords if word.arg in ("name", "flag_name")),
    ]
    for value in values if called == "add_argument" else values[:1]:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield value.value.lstrip("-").replace("-", "_")


def _of_module(name: str, folder: Path, seen: set[Path]) -> Iterator[str]:
    path = folder.joinpath(*name.split(".")).with_suffix(".py") if name else folder
    if path not in seen and path.is_file():
        seen.add(path)
        yield from _defined(path.read_bytes(), path.parent, seen)
