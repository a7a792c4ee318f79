"""Why a thread that stands still may do so: a user is asked, or something known takes long."""

from __future__ import annotations

import dis
import functools
import os
from types import CodeType, FrameType

from placewise.core.activity import activity
from placewise.devices.origin import is_of_program

_PHASES = frozenset({"compiling", "saving", "restoring", "planning"})
_USER = "waits for the user"
# Debuggers, and what reads commands: files of Python's library, and packages.
_FILES = frozenset({"bdb.py", "pdb.py", "code.py", "cmd.py", "getpass.py"})
_PACKAGES = frozenset({"debugpy", "pydevd", "prompt_toolkit", "IPython", "_pyrepl"})
_SERVER = os.path.join("training", "server.py")
_ASKING = frozenset({"input", "raw_input", "stdin", "getpass", "breakpoint", "set_trace"})


def excuse(frame: FrameType | None) -> str | None:
    """Return why a thread with this innermost frame may stand still; None if it should not."""
    for phase in list(activity.phases):
        if phase.name in _PHASES:
            return f"is {phase.name}"
    # Only what the program called: a notebook's and a debugger's own frames stand around it.
    while frame is not None and not is_of_program(frame.f_code.co_filename):
        why = _by_file(frame.f_code)
        if why is not None:
            return why
        frame = frame.f_back
    if frame is not None and asks(frame.f_code, frame.f_lineno):
        return _USER
    return None


@functools.lru_cache(maxsize=4096)
def _by_file(code: CodeType) -> str | None:
    if code.co_filename.startswith("<frozen importlib"):
        return "is importing"
    folder, name = os.path.split(code.co_filename)
    if name in _FILES and folder == os.path.dirname(os.__file__):
        return _USER
    if code.co_filename.endswith(_SERVER) and code.co_name == "join":
        return "serves"
    return None if _PACKAGES.isdisjoint(folder.split(os.sep)) else _USER


@functools.lru_cache(maxsize=256)
def asks(code: CodeType, line: int) -> bool:
    """Return whether a line of code calls what reads from the user, such as `input`."""
    return any(
        instruction.positions is not None
        and instruction.positions.lineno == line
        and isinstance(instruction.argval, str)
        and instruction.argval in _ASKING
        for instruction in dis.get_instructions(code)
    )
