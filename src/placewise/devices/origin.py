"""Where in the user's program something was asked for."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Origin(NamedTuple):
    """A line of a program."""

    file: str
    line: int

    def __str__(self) -> str:
        path = self.file
        here = os.getcwd() + os.sep
        path = path.removeprefix(here)
        return f"{path}:{self.line}"


def user_line() -> Origin | None:
    """Return the line of the innermost frame outside placewise, or None when there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((_PACKAGE, "<frozen ")):
            return Origin(file, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]  # the loop ends at None
    return None
