"""An event file: the record of a run that TensorBoard reads.

A TFRecord file of Event messages. Written through a buffer that is emptied after so many events or
so much time, when asked, and when the program ends.
"""

from __future__ import annotations

import atexit
import os
import socket
import struct
import threading
import time
import weakref
from dataclasses import dataclass, field
from typing import Any

from placewise import messages
from placewise.core.runtime import State, runtime
from placewise.ops.io import paths
from placewise.ops.io.records import masked_checksum


@dataclass(slots=True)
class EventFiles(State):
    """The files that are open: what they have not written yet is written at exit."""

    open: weakref.WeakSet[EventFile] = field(default_factory=weakref.WeakSet)


_files = runtime.state(EventFiles, lasting=True)


@atexit.register
def _flush_all() -> None:
    for file in list(_files.open):
        file.flush()


class EventFile:
    """Writes events to a new file in a folder, `events.out.tfevents.SECONDS.HOST` + suffix."""

    def __init__(
        self,
        logdir: str,
        suffix: str = "",
        max_queue: int = 10,
        flush_seconds: float = 120.0,
        writer: str = "",
    ) -> None:
        self.logdir = logdir
        self._max_queue, self._flush_seconds = max_queue, flush_seconds
        self._lock = threading.Lock()
        self._waiting, self._flushed = 0, time.monotonic()
        with paths.told(logdir):
            os.makedirs(logdir, exist_ok=True)
        self.path, self._file = _created(logdir, suffix)
        first = messages.Event(wall_time=time.time(), file_version="brain.Event:2")
        if writer:
            first.source_metadata.writer = writer
        _files.open.add(self)
        self.write(first.SerializeToString())
        self.flush()

    @property
    def is_closed(self) -> bool:
        """True once the file is closed."""
        return self._file is None

    def write(self, event: bytes) -> None:
        """Add a serialized Event."""
        length = struct.pack("<Q", len(event))
        record = b"".join(
            (
                length,
                struct.pack("<I", masked_checksum(length)),
                event,
                struct.pack("<I", masked_checksum(event)),
            )
        )
        with self._lock:
            if self._file is None:
                return
            with paths.told(self.path):
                self._file.write(record)
            self._waiting += 1
            late = time.monotonic() - self._flushed >= self._flush_seconds
        if late or self._waiting > self._max_queue:
            self.flush()

    def flush(self) -> None:
        """Hand to the system what was written."""
        with self._lock:
            if self._file is not None:
                with paths.told(self.path):
                    self._file.flush()
            self._waiting, self._flushed = 0, time.monotonic()

    def close(self) -> None:
        """Finish the file."""
        self.flush()
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None
        _files.open.discard(self)

    def __del__(self) -> None:
        file = getattr(self, "_file", None)
        if file is not None:
            try:  # noqa: SIM105 - contextlib may be gone when the program ends
                file.close()
            except OSError:  # a full disk: whoever wrote was told
                pass


def _created(logdir: str, suffix: str) -> tuple[str, Any]:
    """Return path and file of a name no one has: two files of one second must not be one."""
    seconds, host = int(time.time()), socket.gethostname()
    while True:
        path = os.path.join(logdir, f"events.out.tfevents.{seconds:010d}.{host}{suffix}")
        try:
            with paths.told(path):
                return path, open(path, "xb")
        except Exception:
            if not os.path.exists(path):
                raise
            seconds += 1
