"""Tracebacks that show the program's frames: those of placewise and torch are left out.

`--traceback full` leaves those in. Wraps whatever hook is set when the exception arrives, so that
a program's own `sys.excepthook` is respected.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
# What starts a program, and what tables of names and imports go through: never of interest.
_STARTERS = (
    os.path.join(_PACKAGE, "cli") + os.sep,
    os.path.join(_PACKAGE, "compat", "hook.py"),
    os.path.join(_PACKAGE, "compat", "inner.py"),
    os.path.join(_PACKAGE, "core", "namespace.py"),
    os.path.join(_PACKAGE, "__main__.py"),
)
# Frames of the standard library that only carry a call into placewise, or out of it.
_CARRIERS = tuple(
    os.sep + name
    for name in ("contextlib.py", "functools.py", os.path.join("importlib", "__init__.py"))
)


def fold(full: bool) -> None:
    """Have the traceback of what is about to end the process show the program's frames only.

    With `full`, only the frames that started the program are left out. The exception goes on, so
    that the interpreter sets the exit status (130 for Ctrl-C).
    """
    hook = sys.excepthook

    def show(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        folded(value, full)
        if hook is sys.__excepthook__ and _in_notebook(value):
            traceback.print_exception(value)  # knows the lines of cells; the interpreter does not
        else:
            hook(kind, value, value.__traceback__)

    sys.excepthook = show


def _in_notebook(error: BaseException) -> bool:
    return any(
        ".ipynb, cell " in entry.tb_frame.f_code.co_filename
        for entry in _entries(error.__traceback__)
    )


def fold_threads(full: bool) -> None:
    """Have the tracebacks of what ends a thread show the program's frames only."""
    hook = threading.excepthook

    def show(args: Any) -> None:
        if args.exc_value is not None:
            folded(args.exc_value, full)
            args = threading.ExceptHookArgs(
                (args.exc_type, args.exc_value, args.exc_value.__traceback__, args.thread)
            )
        hook(args)

    threading.excepthook = show


def folded(error: BaseException, full: bool, seen: set[int] | None = None) -> BaseException:
    """Return an exception, and those it came from, without the frames to be left out."""
    seen = set() if seen is None else seen
    if id(error) in seen:
        return error
    seen.add(id(error))
    error.__traceback__ = without(error.__traceback__, full)
    if not full:
        _forget_inner_causes(error)
    inner = getattr(error, "exceptions", ()) if isinstance(error, BaseExceptionGroup) else ()
    for other in (error.__cause__, error.__context__, *inner):
        if other is not None:
            folded(other, full, seen)
    return error


def _forget_inner_causes(error: BaseException) -> None:
    """Cut off the errors that an error came from if they never left placewise, such as torch's."""
    if error.__cause__ is not None and _is_inner(error.__cause__):
        error.__cause__ = None
    if error.__context__ is not None and _is_inner(error.__context__):
        error.__context__ = None


def _is_inner(error: BaseException) -> bool:
    entries = list(_entries(error.__traceback__))
    return bool(entries) and not _of_the_program(entries)


def _entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def without(trace: TracebackType | None, full: bool = False) -> TracebackType | None:
    """Return a traceback without the frames to be left out; all of it if nothing would remain."""
    entries: list[TracebackType] = []
    started = False
    for entry in _entries(trace):
        own = entry.tb_frame.f_code.co_filename.startswith(_STARTERS)
        # Whatever stands above the first frame of the command line is the entry script.
        if own and not started:
            started, entries = True, []
        if not own:
            entries.append(entry)
    kept = entries if full else _of_the_program(entries)
    result: TracebackType | None = None
    for entry in reversed(kept or entries):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def _of_the_program(entries: list[TracebackType]) -> list[TracebackType]:
    folders = _folders()
    files = [entry.tb_frame.f_code.co_filename for entry in entries]
    inside = [file.startswith(folders) for file in files]
    for index, file in enumerate(files):
        near = inside[max(index - 1, 0) : index + 2]
        if file.endswith(_CARRIERS) and any(near):
            inside[index] = True
    return [entry for entry, out in zip(entries, inside, strict=True) if not out]


def _folders() -> tuple[str, ...]:
    # The plans of sessions and functions are compiled from text of placewise's own.
    found = [_PACKAGE, "<placewise", "<plan", "<frozen runpy>", "<frozen importlib"]
    if "torch" in sys.modules and (spec := find_spec("torch")) and spec.origin:
        found.append(os.path.dirname(spec.origin) + os.sep)
    return tuple(found)
