"""Readers of a graph: `tf.TextLineReader` and its like, which read files that a queue names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from placewise.core.arguments import TensorLike
from placewise.ops.convert import convert_to_tensor
from placewise.ops.io.records import TFRecordOptions
from placewise.ops.queues import reader_ops as ops

if TYPE_CHECKING:
    from placewise.graph.queues import FIFOQueue


class ReaderRead(NamedTuple):
    """A record and its key."""

    key: Any
    value: Any


class ReaderReadUpTo(NamedTuple):
    """Records and their keys."""

    keys: Any
    values: Any


class ReaderBase:
    """What all readers share."""

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize

    @property
    def reader_ref(self) -> Any:
        """The tensor through which ops reach the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Does the reader know how far it has read?"""
        return self._supports_serialize

    def read(self, queue: FIFOQueue, name: str | None = None) -> ReaderRead:
        """Return the next record of the file at hand, else of the next one in the queue."""
        queue_ref = getattr(queue, "queue_ref", queue)
        return ReaderRead(*ops.read(self._reader_ref, queue_ref, name=name))

    def read_up_to(
        self, queue: FIFOQueue, num_records: Any, name: str | None = None
    ) -> ReaderReadUpTo:
        """Return up to so many records of one file."""
        queue_ref = getattr(queue, "queue_ref", queue)
        return ReaderReadUpTo(*ops.read_up_to(self._reader_ref, queue_ref, num_records, name=name))

    def num_records_produced(self, name: str | None = None) -> Any:
        """Return how many records were read, as a tensor."""
        return ops.num_records_produced(self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Return how many files were read to the end, as a tensor."""
        return ops.num_work_units_completed(self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Any:
        """Return how far the reader has read, as a string tensor."""
        return ops.serialize_state(self._reader_ref, name=name)

    def restore_state(self, state: TensorLike, name: str | None = None) -> Any:
        """Return an operation that lets the reader go on where it was."""
        return ops.restore_state(self._reader_ref, convert_to_tensor(state), name=name)

    def reset(self, name: str | None = None) -> Any:
        """Return an operation that lets the reader begin anew."""
        return ops.reset(self._reader_ref, name=name)


class WholeFileReader(ReaderBase):
    """Reads whole files: the name is the key, the content the value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(ops.whole_file_reader(name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """Reads the lines of files."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        handle = ops.text_line_reader(skip_header_lines=skip_header_lines or 0, name=name)
        super().__init__(handle)


class FixedLengthRecordReader(ReaderBase):
    """Reads records of one length."""

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        handle = ops.fixed_length_record_reader(
            record_bytes=record_bytes,
            header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0,
            hop_bytes=hop_bytes or 0,
            encoding=encoding or "",
            name=name,
        )
        super().__init__(handle)


class TFRecordReader(ReaderBase):
    """Reads the records of TFRecord files."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(ops.tf_record_reader(compression_type=compression, name=name))


class IdentityReader(ReaderBase):
    """Gives out the strings of the queue, as key and value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(ops.identity_reader(name=name), supports_serialize=True)


for _kind in (
    ReaderBase,
    WholeFileReader,
    TextLineReader,
    FixedLengthRecordReader,
    TFRecordReader,
    IdentityReader,
):
    _kind.__module__ = "tensorflow.python.ops.io_ops"
