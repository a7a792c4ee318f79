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
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, NamedTuple


class CannotRunError(Exception):
    """There is no such program; `status` is what Python exits with."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Program(NamedTuple):
    """A program found and compiled, not yet run."""

    code: CodeType
    attributes: dict[str, Any]
    argv0: str
    folder: str


def load_script(path: str) -> Program:
    """Return the program in a file, or in a folder or zip archive that holds `__main__.py`."""
    absolute = os.path.abspath(path)
    if importer := pkgutil.get_importer(absolute):
        spec = importer.find_spec("__main__", None)
        if spec is None or spec.loader is None:
            raise CannotRunError(f"can't find '__main__' module in {absolute!r}", 1)
        return _from_spec(spec, path, absolute)
    try:
        with io.open_code(absolute) as file:
            source = file.read()
    except OSError as error:
        said = f"can't open file {absolute!r}: [Errno {error.errno}] {error.strerror}"
        raise CannotRunError(said, 2) from None
    attributes = {
        "__file__": absolute,
        "__cached__": None,
        "__loader__": SourceFileLoader("__main__", absolute),
        "__package__": None,
        "__spec__": None,
    }
    code = compile(source, absolute, "exec", dont_inherit=True)
    return Program(code, attributes, path, str(Path(absolute).resolve().parent))


def load_module(name: str) -> Program:
    """Return the program that `python -m name` would run."""
    # As Python does: modules of the current folder are found before all others.
    folder = os.getcwd()
    _first_on_path(folder)
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
    return Program(code, attributes, argv0, folder)


def _first_on_path(folder: str) -> None:
    # sys.path[0] is where this command was started from, except under `python -P`.
    if not sys.flags.safe_path:
        sys.path[0] = folder


def execute(program: Program, args: Sequence[str]) -> None:
    """Run a program to its end; its exception passes through, this file's frames taken out."""
    main = ModuleType("__main__")
    vars(main).update(program.attributes, __annotations__={})
    sys.modules["__main__"] = main
    sys.argv[:] = [program.argv0, *args]
    _first_on_path(program.folder)
    exec(program.code, vars(main))


def hide_own_frames() -> None:
    """Have the traceback of what ends the process show the program's frames only.

    Wraps whatever hook is set by then, so that a program's own `sys.excepthook` is respected, and
    lets the exception go on, so that the interpreter sets the exit status (130 for Ctrl-C).
    """
    hook = sys.excepthook

    def show(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        trimmed = without_own_frames(trace)
        hook(kind, value.with_traceback(trimmed), trimmed)

    sys.excepthook = show


_PACKAGE = Path(__file__).resolve().parent.parent
# The command line, the import hook, the tables of names, and what starts them.
_OWN = (
    str(_PACKAGE / "cli") + os.sep,
    str(_PACKAGE / "compat" / "hook.py"),
    str(_PACKAGE / "core" / "namespace.py"),
    str(_PACKAGE / "__main__.py"),
)


def without_own_frames(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the frames of the command line, import hook and name tables."""
    kept: list[TracebackType] = []
    started = False
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        own = file.startswith(_OWN)
        # Whatever stands above the first frame of this package is the entry script.
        if own and not started:
            started, kept = True, []
        if not own:
            kept.append(trace)
        trace = trace.tb_next
    result: TracebackType | None = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result
