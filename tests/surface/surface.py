"""placewise's own public paths, and how each compares with TensorFlow's.

A path is listed where a table lists it: a line of a stub, or an import `as` a name in the module of
a namespace. What importing happens to leave on a package (`placewise.ops`) is no part of it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from placewise.core.namespace import read_table

from .differences import EXCEPTED
from .parameters import describe

HERE = Path(__file__).parent
ERAS = ("tf2", "tf1")
# compat.v1 is the table of placewise.v1, and importing it leaves eager execution as it is.
ROOTS = {"tf2": "placewise", "tf1": "placewise.compat.v1"}


def recorded(era: str) -> dict[str, str]:
    """Return TensorFlow's public paths, described."""
    return dict(json.loads((HERE / f"tensorflow{era[2:]}.json").read_text(encoding="utf-8")))


def usage(era: str) -> dict[str, int]:
    """Return in how many files of public programs each path is used."""
    rows = json.loads((HERE / "usage.json").read_text(encoding="utf-8"))
    return {path: files for path, of, files in rows if of == era}


def ours(era: str) -> dict[str, str]:
    """Return placewise's public paths, described."""
    root = importlib.import_module(ROOTS[era])
    return {path: describe(value) for path, value in walk(root, "", era)}


def walk(module: ModuleType, prefix: str, era: str) -> Iterator[tuple[str, Any]]:
    """Yield path and value of every name of a namespace, and of the namespaces in it."""
    for name in table_of(module):
        path = prefix + name
        if path in EXCEPTED[era]:
            continue
        value = getattr(module, name)
        yield path, value
        if isinstance(value, ModuleType) and value.__name__.startswith("placewise"):
            yield from walk(value, f"{path}.", era)


def table_of(module: ModuleType) -> list[str]:
    """Return the names that a namespace's table lists."""
    source = Path(inspect.getfile(module))
    if source.stem == "raw_ops":
        return [name for name in dir(module) if not name.startswith("_")]
    if source.with_suffix(".pyi").exists():
        return sorted(read_table(source.with_suffix(".pyi")))
    found: set[str] = set()
    for line in ast.parse(source.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Import | ast.ImportFrom):
            found.update(alias.asname for alias in line.names if alias.asname)
        elif isinstance(line, ast.FunctionDef | ast.ClassDef):
            found.add(line.name)
        elif isinstance(line, ast.Assign):
            found.update(target.id for target in line.targets if isinstance(target, ast.Name))
        elif isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            found.add(line.target.id)
    return sorted(name for name in found if not name.startswith("_"))


def disagreement(path: str, theirs: str, mine: str) -> str:
    """Return in words how a path of ours differs from TensorFlow's, or nothing."""
    kind, has, parameters = theirs.partition("(")
    own_kind, own_has, own_parameters = mine.partition("(")
    if kind != own_kind and not {kind, own_kind} <= {"function", "class"}:
        return f"is a {own_kind}, not a {kind}"
    if not has or not own_has:
        return ""
    wanted, got = names(parameters), names(own_parameters)
    if path.startswith("raw_ops."):  # called by keywords only
        wanted, got = sorted(wanted), sorted(got)
    if wanted == got:
        return ""
    return f"has ({', '.join(got)}), not ({', '.join(wanted)})"


def names(parameters: str) -> list[str]:
    """Return parameters by name; one that has a default ends in `=`."""
    text = parameters.removesuffix(")")
    listed = (part.partition("=") for part in text.split(", ") if part and part != "*")
    return [name + equals for name, equals, _ in listed]


def compare(era: str) -> dict[str, str]:
    """Return path → disagreement for every path that both have and that differs."""
    theirs, mine = recorded(era), ours(era)
    both = sorted(theirs.keys() & mine.keys())
    said = {path: disagreement(path, theirs[path], mine[path]) for path in both}
    return {path: words for path, words in said.items() if words}
