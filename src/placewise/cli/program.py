"""Runs a Python program as `__main__`, as the interpreter itself would.

`sys.argv`, `sys.path[0]`, `__file__`, `__spec__`, the exit status and the traceback are those of
`python script.py` or `python -m module`. Used by `run`; knows nothing of devices.
"""

from __future__ import annotations

import importlib.util
import io
import os
import pkgutil
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import BuiltinImporter, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.cli import notebook

if TYPE_CHECKING:
    from placewise.cli.notebook import Cell


class CannotRunError(Exception):
    """There is no such program; `status` is what Python exits with."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Program(NamedTuple):
    """A program found and compiled, not yet run: its code objects, run one after the other."""

    codes: list[CodeType]
    attributes: dict[str, Any]
    argv0: str
    folder: str


class Text(NamedTuple):
    """A program's text before it is compiled: where from, and where modules beside it are."""

    source: str | bytes
    file: str
    folder: str
    cells: list[Cell] | None = None
    asks_for_old: bool = False


def check_file(path: str) -> None:
    """Raise CannotRunError if no program can be read there; before processes are started for it."""
    absolute = os.path.abspath(path)
    if not pkgutil.get_importer(absolute):
        _content(absolute)


def _content(absolute: str) -> bytes:
    try:
        with io.open_code(absolute) as file:
            return file.read()
    except OSError as error:
        said = f"can't open file {absolute!r}: [Errno {error.errno}] {error.strerror}"
        raise CannotRunError(said, 2) from None


def read_text(
    path: str, say: Callable[[str, Cell, str, str], None] = notebook.say_skipped
) -> Text | None:
    """Return the text of the program in a file, or None if a folder or archive holds it.

    `say` is told of the lines of a notebook that are passed over.
    """
    absolute = os.path.abspath(path)
    if pkgutil.get_importer(absolute):
        return None
    source = _content(absolute)
    folder = str(Path(absolute).resolve().parent)
    if not path.endswith(".ipynb"):
        return Text(source, absolute, folder)

    try:
        cells = notebook.read_cells(source)
    except notebook.NotANotebookError as error:
        raise CannotRunError(f"{path} {error}", 1) from None
    old = notebook.asks_for_old(cells)
    cells = [cell._replace(text=notebook.to_python(cell, path, say)) for cell in cells]
    return Text("\n".join(cell.text for cell in cells), absolute, folder, cells, old)


def given_text(source: str, file: str) -> Text:
    """Return the text of a program that is in no file: from standard input, or after -c."""
    return Text(source, file, "")


def compile_text(text: Text, argv0: str) -> Program:
    """Return the program of a text."""
    attributes: dict[str, Any] = {
        "__loader__": SourceFileLoader("__main__", text.file),
        "__package__": None,
        "__spec__": None,
    }
    if text.cells is not None:
        # As under Jupyter there is no __file__.
        codes = [
            code
            for cell in text.cells
            for code in notebook.compile_cell(cell.text, cell.number, argv0)
        ]
        attributes.update(display=print)
    else:
        codes = [compile(text.source, text.file, "exec", dont_inherit=True)]
        if text.folder:
            attributes.update(__file__=text.file, __cached__=None)
        else:
            attributes.update(__loader__=BuiltinImporter)
            if text.file == "<stdin>":
                attributes.update(__file__=text.file, __cached__=None)
    return Program(codes, attributes, argv0, text.folder)


def load_archive(path: str) -> Program:
    """Return the program in a folder or zip archive that holds `__main__.py`."""
    return _from_spec(_archive_spec(path), path, os.path.abspath(path))


def archive_text(path: str) -> Text:
    """Return the text of the `__main__.py` in a folder or zip archive."""
    loader: Any = _archive_spec(path).loader
    return Text(loader.get_source("__main__") or "", "__main__.py", os.path.abspath(path))


def _archive_spec(path: str) -> ModuleSpec:
    absolute = os.path.abspath(path)
    importer = pkgutil.get_importer(absolute)
    spec = importer.find_spec("__main__", None) if importer else None
    if spec is None or spec.loader is None:
        raise CannotRunError(f"can't find '__main__' module in {absolute!r}", 1)
    return spec


def find_text(name: str) -> Text | None:
    """Return the text of the module that `python -m name` would run, without importing anything."""
    parts = name.split(".")
    for folder in [os.getcwd(), *sys.path[1:]]:
        inner = Path(folder, *parts)
        for path in (inner / "__main__.py", inner.with_name(inner.name + ".py")):
            if path.is_file():
                return Text(path.read_bytes(), str(path), folder)
    return None


def load_module(name: str) -> Program:
    """Return the program that `python -m name` would run."""
    # As Python does: modules of the current folder are found before all others.
    folder = os.getcwd()
    put_first(folder)
    spec = _find(name)
    if spec is not None and spec.submodule_search_locations is not None:
        package, spec = spec, _find(f"{name}.__main__")
        if spec is None:
            said = f"No module named {name}.__main__; {package.name!r} is a package"
            raise CannotRunError(said + " and cannot be directly executed", 1)
    if spec is None or spec.loader is None:
        raise CannotRunError(f"No module named {name}", 1)
    return _from_spec(spec, spec.origin or name, folder)


def _find(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError as error:
        # A parent package is missing; anything else that fails in there is the program's error.
        if error.name and name.startswith(error.name):
            return None
        raise
    except ValueError:
        return None


def _from_spec(spec: ModuleSpec, argv0: str, folder: str) -> Program:
    loader: Any = spec.loader
    code = loader.get_code(spec.name)
    if code is None:
        raise CannotRunError(f"No code object available for {spec.name}", 1)
    attributes = {
        "__file__": spec.origin,
        "__cached__": spec.cached,
        "__loader__": loader,
        "__package__": spec.parent,
        "__spec__": spec,
    }
    return Program([code], attributes, argv0, folder)


def put_first(folder: str) -> None:
    """Let modules of a program's folder be found before all others."""
    # sys.path[0] is where this command was started from, except under `python -P`.
    if not sys.flags.safe_path:
        sys.path[0] = folder


def execute(program: Program, args: Sequence[str]) -> None:
    """Run a program to its end; its exception passes through."""
    main = ModuleType("__main__")
    vars(main).update(program.attributes, __annotations__={})
    sys.modules["__main__"] = main
    sys.argv[:] = [program.argv0, *args]
    put_first(program.folder)
    for code in program.codes:
        exec(code, vars(main))
