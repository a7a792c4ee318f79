"""A program's text as syntax trees: the program itself, and the modules beside it that it imports.

Nothing is imported or run. A notebook is one text whose lines are known by cell.
"""

from __future__ import annotations

import ast
import bisect
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

MOST_FILES = 200
MOST_BYTES = 2 << 20


Cells = tuple[tuple[int, str], ...]


def place_text(file: str, line: int, cells: Cells) -> str:
    """Return a line of a file, or of a cell of a notebook."""
    if not cells:
        return f"{file}:{line}"
    first, label = cells[bisect.bisect_right(cells, (line, "\uffff")) - 1]
    return f"{file}, {label}, line {line - first + 1}"


@dataclass(frozen=True)
class Source:
    """One file of a program; `cells` has the first line and the label of each notebook cell."""

    file: str
    tree: ast.Module
    is_main: bool = False
    cells: Cells = ()

    def where(self, line: int) -> str:
        """Return a line as a person looks for it: `train.py:12`, `book.ipynb, cell 3, line 2`."""
        return place_text(self.file, line, self.cells)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """Node → the node around it."""
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    def around(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Yield (outer, inner) for each node around `node`, from inside out."""
        while (outer := self.parents.get(node)) is not None:
            yield outer, node
            node = outer


@dataclass(frozen=True)
class Unreadable:
    """A file that is no Python: what the parser says, and where."""

    file: str
    where: str
    message: str
    text: str


@dataclass(frozen=True)
class ProgramText:
    """A program as it was found: its text, its name, where its modules are, the cells if any."""

    text: str | bytes
    file: str
    folder: Path
    cells: Cells = ()


@dataclass
class Reader:
    """Reads a program and, through its imports, the modules of its folder."""

    folder: Path
    sources: list[Source] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    _seen: set[Path] = field(default_factory=set)

    def read(self, program: ProgramText) -> None:
        """Read the program, and what it imports of its own."""
        self._add(program.text, program.file, self.folder, program.cells, is_main=True)

    def _add(
        self,
        text: str | bytes,
        file: str,
        folder: Path,
        cells: Cells = (),
        is_main: bool = False,
    ) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of invalid escapes in old strings
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None) or 1
            shown = (getattr(error, "text", None) or "").strip()
            message = getattr(error, "msg", None) or str(error)
            self.unreadable.append(Unreadable(file, place_text(file, line, cells), message, shown))
            return
        self.sources.append(Source(file, tree, is_main, cells))
        for module, above in list(_imports(tree, self.folder, folder)):
            self._follow(module, above)

    def _follow(self, module: str, folder: Path) -> None:
        inner = folder.joinpath(*module.split("."))
        for path in (inner.with_name(inner.name + ".py"), inner / "__init__.py"):
            path = Path(os.path.normpath(path))
            if path in self._seen or len(self._seen) >= MOST_FILES:
                continue
            try:
                if not path.is_file() or path.stat().st_size > MOST_BYTES:
                    continue
                text = path.read_bytes()
            except OSError:
                continue
            self._seen.add(path)
            self._add(text, os.path.relpath(path, self.folder), path.parent)


def _imports(tree: ast.Module, root: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield (module, folder to look in) for every import; a package's own names included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                parts = item.name.split(".")
                yield from ((".".join(parts[:end]), root) for end in range(1, len(parts) + 1))
        elif isinstance(node, ast.ImportFrom):
            above = folder.joinpath(*[".."] * (node.level - 1)) if node.level else root
            module = node.module or ""
            for name in [module, *(f"{module}.{item.name}".strip(".") for item in node.names)]:
                if name and "*" not in name:
                    yield name, above
