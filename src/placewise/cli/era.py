"""Which TensorFlow a program was written for, told from the names it uses.

A name that only TensorFlow 1 has (`tf.Session`, `tf.train.AdamOptimizer`) makes it a program of
that era, unless it asks for the version and uses TensorFlow 2's own names too: then it is for both.
Looks at the program and at the modules beside it that it imports; runs nothing.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from placewise.cli.era_names import ONLY_1, ONLY_2


class Use(NamedTuple):
    """A name below `tensorflow` that a program uses, and where."""

    name: str
    file: str
    line: int


class Era(NamedTuple):
    """TensorFlow 1 or 2, and why; and whether names of TensorFlow 1 are to be had in 2."""

    is_old: bool
    why: str
    with_old_names: bool = False


# Names of TensorFlow 1 that do not need a graph: a Keras program may use them.
_NO_GRAPH = re.compile(
    r"train\.\w+Optimizer|train\.\w+_decay|logging\b|set_random_seed|app\b|flags\b|gfile\b|python_io\b"
    r"|random_normal|random_uniform|log$|div$|to_(float|int32|int64)$"
)


def judge(source: str | bytes, file: str, folder: Path) -> Era:
    """Return the era of a program, given its text; its own modules are looked for in `folder`."""
    reader = _Reader(folder)
    reader.read(source, file, folder)
    uses = sorted(reader.uses, key=lambda use: use.line)
    old, new = (_those(uses, table) for table in (ONLY_1, ONLY_2))
    if not old:
        return Era(False, "it uses no name that only TensorFlow 1 has")
    said = _listed(old, "only TensorFlow 1 has")
    if any(use.name.split(".")[0] == "keras" for use in uses) and all(
        _NO_GRAPH.match(use.name) for use in old
    ):
        why = f"it uses tf.keras, and of what {said} nothing needs a graph"
        return Era(False, why, with_old_names=True)
    if new and reader.asks_version:
        also = _listed(new, "only TensorFlow 2 has")
        return Era(False, f"{said}, but it asks for the version, and {also}")
    return Era(True, said)


def _listed(uses: list[Use], who: str) -> str:
    first = list({use.name: use for use in reversed(uses)}.values())[::-1][:3]
    shown = ", ".join(f"tf.{use.name} ({use.file}:{use.line})" for use in first)
    return f"{who} {shown}" + (", …" if len({use.name for use in uses}) > len(first) else "")


def _those(uses: list[Use], table: str) -> list[Use]:
    known = set(_names(table))
    found = []
    for use in uses:
        parts = use.name.split(".")
        for end in range(1, len(parts) + 1):
            if (name := ".".join(parts[:end])) in known:
                found.append(use._replace(name=name))
                break
    return found


def _names(table: str) -> Iterator[str]:
    space = ""
    for line in table.strip().splitlines():
        if not line.startswith(" "):
            space, _, line = line.partition(":")
        for name in line.split():
            yield name if space == "tf" else f"{space}.{name}"


class _Reader:
    """Collects the names that files use; follows imports of files beside the program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.uses: list[Use] = []
        self.asks_version = False
        self.seen: set[Path] = set()

    def read(self, source: str | bytes, file: str, folder: Path) -> None:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # running it will say so
        nodes = list(ast.walk(tree))
        aliases: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, ast.Import):
                self._import(node, file, aliases)
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node, file, folder, aliases)
        for node in nodes:
            # `tf = tf.compat.v1` and the like: what follows are names that TensorFlow 2 has.
            if isinstance(node, ast.Assign):
                name = _dotted(node.value, aliases)
                for target in node.targets if name.startswith("compat.") else ():
                    if isinstance(target, ast.Name):
                        aliases[target.id] = name
        for node in nodes:
            if isinstance(node, ast.Attribute) and (name := _dotted(node, aliases)):
                self.asks_version |= name in ("__version__", "VERSION", "version.VERSION")
                self.uses.append(Use(name, Path(file).name, node.lineno))

    def _import(self, node: ast.Import, file: str, aliases: dict[str, str]) -> None:
        for item in node.names:
            root, _, below = item.name.partition(".")
            if root != "tensorflow":
                self._follow(item.name, self.folder)
                continue
            if below:
                self.uses.append(Use(below, Path(file).name, node.lineno))
            name, inner = (item.asname, below) if item.asname else (root, "")
            # Of two ways to import it under one name, compat.v1 is in both TensorFlows.
            if not aliases.get(name, "").startswith("compat."):
                aliases[name] = inner

    def _import_from(
        self, node: ast.ImportFrom, file: str, folder: Path, aliases: dict[str, str]
    ) -> None:
        module = node.module or ""
        if node.level or module.partition(".")[0] != "tensorflow":
            above = folder.joinpath(*[".."] * (node.level - 1)) if node.level else self.folder
            for name in [module, *(f"{module}.{item.name}".strip(".") for item in node.names)]:
                if name:
                    self._follow(name, above)
            return
        below = module.partition(".")[2]
        for item in node.names:
            name = f"{below}.{item.name}".strip(".")
            self.uses.append(Use(name, Path(file).name, node.lineno))
            aliases[item.asname or item.name] = name

    def _follow(self, module: str, folder: Path) -> None:
        inner = folder.joinpath(*module.split("."))
        for path in (inner.with_name(inner.name + ".py"), inner / "__init__.py"):
            path = Path(os.path.normpath(path))
            if path not in self.seen and path.is_file():
                self.seen.add(path)
                self.read(path.read_bytes(), str(path), path.parent)


def _dotted(node: ast.expr, aliases: dict[str, str]) -> str:
    """Return the name below `tensorflow` that an expression like `tf.nn.relu` is, or nothing."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in aliases or not parts:
        return ""
    return ".".join([aliases[node.id], *reversed(parts)]).strip(".")
