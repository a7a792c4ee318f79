"""The state of readers: records, one after the other, from files whose names a queue holds."""

from __future__ import annotations

import gzip
import threading
import zlib
from collections.abc import Callable, Iterator

from placewise.core.errors import UnimplementedError, invalid
from placewise.core.names import next_number
from placewise.messages import ReaderBaseState
from placewise.ops.io import paths
from placewise.ops.io.records import read_records
from placewise.ops.queues.queue import Queue

Record = tuple[bytes, bytes]
# A file's name in, its records out.
Open = Callable[[bytes], Iterator[Record]]


class Reader:
    """Reads records with `open_file`; `is_whole`: each name of the queue is one record."""

    def __init__(self, kind: str, open_file: Open, is_whole: bool = False) -> None:
        self.kind, self.is_whole = kind, is_whole
        self.produced = self.started = self.finished = 0
        self._open = open_file
        next_number("resource")  # TensorFlow counts readers among queues, whose names errors tell
        self._records: Iterator[Record] | None = None
        self._work = b""
        self._lock = threading.Lock()

    def read(self, queue: Queue, count: int = 1) -> list[Record]:
        """Return up to `count` records of one file: at least one, unless the queue has ended."""
        with self._lock:
            found: list[Record] = []
            while not found:
                if self._records is None:
                    self._begin(queue)
                found = self._some(count)
            self.produced += len(found)
            return found

    def _begin(self, queue: Queue) -> None:
        (name,) = queue.dequeue()
        self._work = name[()]
        self._records = self._open(self._work)
        self.started += 1

    def _some(self, count: int) -> list[Record]:
        found: list[Record] = []
        while len(found) < count and self._records is not None:
            try:
                record = next(self._records, None)
            except BaseException:
                self._records = None
                self.started -= 1
                raise
            if record is not None:
                found.append(record)
            if record is None or self.is_whole:
                self._records = None
                self.finished += 1
        return found

    def reset(self) -> None:
        """Begin anew, with the next name in the queue."""
        with self._lock:
            self.produced = self.started = self.finished = 0
            self._records, self._work = None, b""

    def state(self) -> bytes:
        """Return how far it has read, as a string."""
        if not self.is_whole:
            raise UnimplementedError(None, None, "Reader SerializeState")
        message = ReaderBaseState(
            work_started=self.started,
            work_finished=self.finished,
            num_records_produced=self.produced,
            current_work=self._work,
        )
        data: bytes = message.SerializeToString()
        return data

    def restore(self, state: bytes, name: str) -> None:
        """Go back to where it was when `state` was made."""
        from google.protobuf.message import DecodeError  # noqa: PLC0415 - keeps protobuf out

        if not self.is_whole:
            raise UnimplementedError(None, None, "Reader RestoreState")
        try:
            message = ReaderBaseState.FromString(state)
        except DecodeError:
            shown = state.decode("latin-1").encode("unicode_escape").decode()
            raise invalid(f"Could not parse state for {self.kind} '{name}': {shown}") from None
        with self._lock:
            self.started, self.finished = message.work_started, message.work_finished
            self.produced, self._work = message.num_records_produced, message.current_work


def lines(skip: int) -> Open:
    """Return how the lines of a file are read, without the first few."""

    def open_file(name: bytes) -> Iterator[Record]:
        path = paths.local_path(name)
        with paths.told(path), open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if number > skip:
                    yield b"%s:%d" % (name, number), line.removesuffix(b"\n").replace(b"\r", b"")

    return open_file


def whole(name: bytes) -> Iterator[Record]:
    """Read a file as one record."""
    yield name, paths.read(paths.local_path(name))


def itself(name: bytes) -> Iterator[Record]:
    """Let the name be the record."""
    yield name, name


def tf_records(compression: str) -> Open:
    """Return how the records of a TFRecord file are read."""

    def open_file(name: bytes) -> Iterator[Record]:
        place = 0
        for record in read_records(name, compression):
            yield b"%s:%d" % (name, place), record
            place += len(record) + 16  # the length before it, and two checksums

    return open_file


def fixed_length(header: int, record: int, footer: int, hop: int, encoding: str) -> Open:
    """Return how records of one length are read."""
    for label, value in (
        ("header_bytes", header),
        ("record_bytes", record),
        ("footer_bytes", footer),
        ("hop_bytes", hop),
    ):
        if value < 0:
            raise invalid(f"{label} must be >= 0 not {value}")

    def open_file(name: bytes) -> Iterator[Record]:
        data = _decoded(paths.read(paths.local_path(name)), encoding)
        end = len(data) - footer
        step = hop or record
        for number, start in enumerate(range(header, end - record + 1, step or 1)):
            yield b"%s:%d" % (name, number), data[start : start + record]

    return open_file


def _decoded(data: bytes, encoding: str) -> bytes:
    if encoding == "ZLIB":
        return zlib.decompress(data)
    return gzip.decompress(data) if encoding == "GZIP" else data
