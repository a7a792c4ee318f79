"""Notebooks as programs: the code cells of an `.ipynb` file, in order, as one `__main__`.

A cell whose last line is an expression prints its value. Of IPython's commands only those that the
code needs are done (`%cd`, `%env`, `%%writefile`, `%%time`, `%%capture`); the others, and shell
lines, are passed over and said so. Needs neither Jupyter nor IPython.
"""

from __future__ import annotations

import ast
import json
import linecache
import re
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

_COMMAND = re.compile(r"^(\s*)(?:[\w, ]+=\s*)?([%!].*)$|^(\s*)(\?.*|[\w.]+\?{1,2})\s*$")
# Commands around a whole cell whose body is ordinary code.
_TRANSPARENT = ("%%time", "%%timeit", "%%capture", "%%prun")
_DONE = {
    "%cd": "import os; os.chdir(os.path.expanduser({argument!r}))",
    "%env": "import os; os.environ.__setitem__(*{pair!r})",
}


class NotANotebookError(Exception):
    """The file holds no notebook; the message says what is wrong with it."""


class Cell(NamedTuple):
    """One code cell: its number among all cells, from 1, and its text."""

    number: int
    text: str


def read_cells(text: str | bytes) -> list[Cell]:
    """Return the code cells of a notebook file's text."""
    try:
        book: Any = json.loads(text)
    except ValueError as error:
        raise NotANotebookError(f"is no notebook: {error}") from None
    if not isinstance(book, dict):
        raise NotANotebookError("is no notebook: it holds no cells")
    cells = book.get("cells")
    if cells is None and isinstance(book.get("worksheets"), list):  # the format before 2014
        cells = [cell for sheet in book["worksheets"] for cell in sheet.get("cells", ())]
    if not isinstance(cells, list):
        raise NotANotebookError("is no notebook: it holds no cells")
    found = []
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source: Any = cell.get("source", cell.get("input", ""))
            found.append(Cell(number, source if isinstance(source, str) else "".join(source)))
    return found


def say_skipped(file: str, cell: Cell, line: str, what: str) -> None:
    """Print that a line of a notebook is passed over."""
    print(f"placewise run: {file}, cell {cell.number}: {line.strip()}: {what}", file=sys.stderr)


def to_python(
    cell: Cell, file: str, say: Callable[[str, Cell, str, str], None] = say_skipped
) -> str:
    """Return a cell's text as Python, line for line; says which lines are passed over."""
    if _parses(cell.text):
        return cell.text
    lines = cell.text.split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        command, _, argument = lines[first].partition(" ")
        if command in ("%%writefile", "%%file"):
            body = "\n".join(lines[first + 1 :])
            name = argument.removeprefix("-a ").strip()
            mode = "a" if argument.startswith("-a ") else "w"
            return f"with open({name!r}, {mode!r}) as _file: _file.write({body!r})"
        if command not in _TRANSPARENT:
            say(file, cell, lines[first], "this cell is passed over")
            return ""
        lines[first] = ""
    for index, line in enumerate(lines):
        if match := _COMMAND.match(line):
            lines[index] = (match[1] or match[3] or "") + _command(match, cell, file, say)
    return "\n".join(lines)


def _command(
    match: re.Match[str], cell: Cell, file: str, say: Callable[[str, Cell, str, str], None]
) -> str:
    said = (match[2] or match[4]).strip()
    command, _, argument = said.partition(" ")
    if command in _DONE and argument.strip():
        name, _, value = argument.strip().replace(" ", "=", 1).partition("=")
        return _DONE[command].format(argument=argument.strip(), pair=(name, value.strip()))
    say(file, cell, said, "this line is passed over")
    return "pass"


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def compile_cell(text: str, number: int, file: str) -> list[CodeType]:
    """Return a cell's code; the value of a last expression is printed unless `;` follows it."""
    name = f"{file}, cell {number}"
    # Tracebacks show the lines of cells as those of files.
    lines = [line + "\n" for line in text.split("\n")]
    linecache.cache[name] = (len(text), None, lines, name)
    tree = ast.parse(text, name)
    codes = []
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr) and not text.rstrip().endswith(";"):
        shown = ast.Interactive([tree.body.pop()])
        codes.append(compile(shown, name, "single", dont_inherit=True))
    codes.insert(0, compile(tree, name, "exec", dont_inherit=True))
    return codes


def asks_for_old(cells: list[Cell]) -> bool:
    """Return whether a notebook asks for TensorFlow 1: `%tensorflow_version 1.x`."""
    return any(re.search(r"^\s*%tensorflow_version\s+1", cell.text, re.MULTILINE) for cell in cells)
