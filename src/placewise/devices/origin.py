"""Where in the user's program something was asked for."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_is_ours: dict[str, bool] = {}
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
    """Return the line of the innermost frame outside placewise, or None when there is none.

    `skipped`: how many callers are known to be placewise's own.
    """
    frame: FrameType | None = sys._getframe(1 + skipped)
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        is_ours = _is_ours.get(file)
        if is_ours is None:
            is_ours = _is_ours[file] = file.startswith((_PACKAGE, "<frozen "))
        if not is_ours:
            return _at(frame, code)
        frame = frame.f_back
    return None


def _at(frame: FrameType, code: CodeType) -> Origin:
    """Return the line of a frame: one object for all that is made there."""
    key = (id(code), frame.f_lasti)
    known = _lines.get(key)
    if known is None or known[0] is not code:
        if len(_lines) >= _MOST:  # a program that keeps on making code
            _lines.clear()
            _is_ours.clear()
        known = _lines[key] = code, Origin(code.co_filename, frame.f_lineno)
    return known[1]
