"""The line on a terminal that says what takes long: `compiling the function 'step' … 12 s`.

It is on standard error only, comes after a second, and goes when the work is done. Nothing is
written where standard error is no terminal. `rich`, which draws it, is loaded by then only.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from placewise.core import environment
from placewise.core.sizes import size_text

QUIET_SECONDS = 1.0
_REDRAWN_SECONDS = 0.1
_LONGEST_NAME = 30


class Count:
    """How much of something is done: bytes if it says so, else pieces; `total` 0: nobody knows."""

    __slots__ = ("done", "in_bytes", "total")

    def __init__(self, total: int = 0, in_bytes: bool = False) -> None:
        self.done, self.total, self.in_bytes = 0, total, in_bytes

    def __str__(self) -> str:
        if self.in_bytes:
            return f"{size_text(self.done)} of {size_text(self.total)}"
        return f"{self.done} of {self.total}"


class Work(NamedTuple):
    """Something that takes time: what, since when by `time.monotonic`, and how far it is."""

    name: str
    what: str
    since: float
    counted: Count | None

    def text(self) -> str:
        """Return the line without its bar."""
        what = self.what
        if len(what) > _LONGEST_NAME and os.sep in what:
            what = f"…{os.sep}{os.path.basename(what)}"
        return f"{' '.join(filter(None, (self.name, what)))} … {self.elapsed:.0f} s"

    @property
    def has_count(self) -> bool:
        """Is it known how much there is to do?"""
        return self.counted is not None and self.counted.total > 0

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.since


class Painter:
    """Draws the line from a thread of its own, while there is work that takes long."""

    def __init__(self, read: Callable[[], Sequence[Work]]) -> None:
        self._read = read  # the outermost first
        self._reset()
        if hasattr(os, "register_at_fork"):  # the thread is not there in the child
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()  # of the line
        self._wanted = threading.Event()
        self._is_drawn = False

    def begin(self) -> None:
        """Called when work begins: if it takes long, it will be shown."""
        if not self._wanted.is_set() and is_shown():
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._run, name="placewise progress", daemon=True
                    )
                    self._thread.is_placewise = True  # type: ignore[attr-defined]  # the watchdog asks
                    self._thread.start()
                    atexit.register(self.end)
            self._wanted.set()

    def end(self) -> None:
        """Called when work is done: the line is gone before the program writes anything."""
        if self._is_drawn:
            with self._lock:
                if self._is_drawn and self._shown() is None:
                    self._write("")
                    self._is_drawn = False

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            work = self._shown()
            if work is not None:
                self._draw(_line(work))
            elif not self._read():
                self._wanted.clear()
                if self._read():  # it began just before
                    self._wanted.set()
            time.sleep(_REDRAWN_SECONDS)

    def _draw(self, line: str) -> None:
        with self._lock:
            if self._shown() is not None:  # it may be done since the line was made
                self._write(line)
                self._is_drawn = True

    def _shown(self) -> Work | None:
        """Return the work to show: the outermost that takes long, with what is known inside."""
        works = list(self._read())
        if not works or works[0].elapsed < QUIET_SECONDS:
            return None
        shown = works[0]
        for inner in works[1:]:
            if inner.name == shown.name:
                what, counted = shown.what or inner.what, shown.counted
                # One of many short pieces says nothing about the whole.
                if inner.has_count and inner.elapsed > _REDRAWN_SECONDS:
                    counted = inner.counted
                shown = shown._replace(what=what, counted=counted)
        return shown

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a terminal that is gone
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()


def is_shown() -> bool:
    """Return whether lines about progress are wanted: on a terminal, unless they are turned off."""
    if environment.read("PLACEWISE_PROGRESS") == "0":
        return False
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it is closed
        return False


def _line(work: Work) -> str:
    """Return the line with its bar, as wide as the terminal allows."""
    from rich.console import Console  # noqa: PLC0415 - loaded when something takes long
    from rich.progress_bar import ProgressBar  # noqa: PLC0415 - loaded when something takes long
    from rich.table import Table  # noqa: PLC0415 - loaded when something takes long
    from rich.text import Text  # noqa: PLC0415 - loaded when something takes long

    row = Table.grid(padding=(0, 1))
    cells: list[Any] = [Text(work.text(), no_wrap=True, overflow="ellipsis")]
    if work.counted is not None and work.has_count:
        bar = ProgressBar(total=work.counted.total, completed=work.counted.done, width=16)
        cells += [bar, Text(str(work.counted), no_wrap=True)]
    row.add_row(*cells)
    console = Console(file=sys.stderr)
    with console.capture() as drawn:
        console.print(row, end="")
    return drawn.get().partition("\n")[0].rstrip()
