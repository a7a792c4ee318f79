"""Where in the user's program something was asked for."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from types import CodeType, FrameType
from typing import NamedTuple

PLAN_FILE = "<placewise plan>"  # the file name of the lines of a plan, in tracebacks
# Code of placewise itself, the text it compiles, and what starts a program.
_OURS = (
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,
    "<placewise ",
    "<frozen ",
)
# Code that a program uses: it is told of only where nothing of the program itself is running.
_LIBRARY_FOLDERS = tuple(
    folder + os.sep
    for folder in {
        os.path.dirname(os.__file__),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    }
)
_LIBRARY_PART = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_PROGRAM, _LIBRARY, _INNER = range(3)

_kinds: dict[str, int] = {}
_lines: dict[tuple[int, int], tuple[CodeType, Origin]] = {}
_MOST = 10_000


class Origin(NamedTuple):
    """A line of a program."""

    file: str
    line: int

    def __str__(self) -> str:
        path = self.file
        here = os.getcwd() + os.sep
        path = path.removeprefix(here)
        return f"{path}:{self.line}"


def user_line(skipped: int = 0) -> Origin | None:
    """Return the innermost line of the program itself that is running.

    Not of placewise, nor of what is installed or comes with Python; if there is no other, as in a
    thread of a library, the innermost line of such a library, or None.
    `skipped`: how many callers are known to be placewise's own.
    """
    frame: FrameType | None = sys._getframe(1 + skipped)
    library: FrameType | None = None
    while frame is not None:
        file = frame.f_code.co_filename
        kind = _kinds.get(file)
        if kind is None:
            kind = _kinds[file] = _kind_of(file)
        if not kind:
            return _at(frame)
        if kind == _LIBRARY and library is None:
            library = frame
        frame = frame.f_back
    return None if library is None else _at(library)


def is_of_program(file: str) -> bool:
    """Return whether a file of code is the program's: not placewise's, nor installed."""
    return _kind_of(file) == _PROGRAM


def is_of_library(file: str) -> bool:
    """Return whether a file of code is installed, or comes with Python."""
    return _kind_of(file) == _LIBRARY


def _kind_of(file: str) -> int:
    if file.startswith(_OURS):
        return _INNER
    is_library = file.startswith(_LIBRARY_FOLDERS) or _LIBRARY_PART.search(file)
    return _LIBRARY if is_library else _PROGRAM


def _at(frame: FrameType) -> Origin:
    """Return the line of a frame: one object for all that is made there."""
    code = frame.f_code
    key = (id(code), frame.f_lasti)
    known = _lines.get(key)
    if known is None or known[0] is not code:
        if len(_lines) >= _MOST:  # a program that keeps on making code
            _lines.clear()
            _kinds.clear()
        known = _lines[key] = code, Origin(code.co_filename, frame.f_lineno)
    return known[1]
