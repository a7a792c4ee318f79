"""A terminal to run programs in: a pseudo-terminal, and an emulator that knows its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from types import TracebackType

import pyte

_PATIENCE_SECONDS = 30.0


class Terminal:
    """Runs `placewise ARGS…`, or another program of Python, on a screen of its own."""

    def __init__(
        self,
        *arguments: str,
        program: Sequence[str] = ("-m", "placewise"),
        columns: int = 120,
        rows: int = 30,
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._ours, theirs = pty.openpty()
        self._set_size(columns, rows)
        kept = {name: value for name, value in os.environ.items() if name not in _SIZES}
        self.began = time.monotonic()
        self.child = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**kept, "TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """Make the window smaller or larger."""
        self._screen.resize(rows, columns)
        self._set_size(columns, rows)

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    def text(self) -> str:
        """Return what is on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def wait_for(self, *texts: str, absent: tuple[str, ...] = ()) -> str:
        """Return the screen once it shows all texts and none of those that must be absent."""
        return self.wait(
            lambda shown: (
                all(text in shown for text in texts) and not any(text in shown for text in absent)
            )
        )

    def wait(self, is_so: Callable[[str], bool]) -> str:
        """Return the screen once a condition holds; fail after a while."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            shown = self.text()
            if is_so(shown):
                return shown
            if time.monotonic() > deadline:
                raise AssertionError(f"after {_PATIENCE_SECONDS:.0f} s the screen is\n{shown}")
            self._read(0.05)

    def _read(self, seconds: float) -> None:
        readable, _, _ = select.select([self._ours], [], [], seconds)
        if readable:
            try:
                self._stream.feed(os.read(self._ours, 65536))
            except OSError:  # how a terminal says that the other side is gone
                time.sleep(seconds)

    def ended(self) -> int:
        """Return the exit status of the program, which must end now."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self.child.poll() is None and time.monotonic() < deadline:
            self._read(0.05)  # a program cannot end while nobody reads what it prints
        return self.child.wait(timeout=1)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.child.kill()
        self.child.wait()
        os.close(self._ours)


_SIZES = ("COLUMNS", "LINES")
