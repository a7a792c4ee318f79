"""TFRecord files: strings one after the other, each with its length and two checksums.

`read_records` is what datasets read with.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, ClassVar

import google_crc32c

from placewise import native
from placewise.core.advice import advised
from placewise.core.errors import DataLossError, FailedPreconditionError
from placewise.ops.io import paths
from placewise.ops.io.deflation import Deflation

_HEAD = struct.Struct("<QI")
_TAIL = struct.Struct("<I")
_MASK = 0xA282EAD8
_BLOCK = 1 << 18


def masked_checksum(data: bytes) -> int:
    """Return CRC-32C of `data`, turned and shifted as TensorFlow stores it."""
    crc = google_crc32c.value(data)
    masked: int = (((crc >> 15) | (crc << 17)) + _MASK) & 0xFFFFFFFF
    return masked


class TFRecordCompressionType:
    """The ways a file may be compressed, by number."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How a TFRecord file is compressed: '', 'ZLIB' or 'GZIP', and with what settings."""

    compression_type_map: ClassVar[dict[Any, str]] = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: Any = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)  # says if there is no such way
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """Return '', 'ZLIB' or 'GZIP' for options, a number, a name or None."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"')


class TFRecordWriter:
    """Writes strings to a TFRecord file.

    `path`: the file, which is made anew.
    `options`: a `tf.io.TFRecordOptions`, or 'GZIP' or 'ZLIB' to compress.

    `write(record)` adds bytes or a text. Close the writer, or use it in a `with` statement: the
    file is complete only then. Raises NotFoundError if the folder is missing.

    >>> with tf.io.TFRecordWriter("data.tfrecord") as writer:
    ...     writer.write(b"first")
    >>> [record.numpy() for record in tf.data.TFRecordDataset("data.tfrecord")]
    [b'first']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        self._path = paths.local_path(path)
        with paths.told(self._path):
            self._file: Any = open(self._path, "wb")  # noqa: SIM115
        kind = TFRecordOptions.get_compression_type_string(options)
        self._squeeze = Deflation(kind, options) if kind else None

    def write(self, record: str | bytes) -> None:
        """Add a string."""
        if not isinstance(record, (bytes, str)):
            raise TypeError(f"Expected binary or unicode string, got {record!r}")
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        data = record.encode() if isinstance(record, str) else record
        framed = _framed(data)
        try:  # cheaper than the context, which turns errors of the system into TensorFlow's
            self._file.write(self._squeeze.record(framed) if self._squeeze else framed)
        except OSError as problem:
            with paths.told(self._path):
                raise problem

    def flush(self) -> None:
        """Hand to the system what was written."""
        if self._file is None:
            raise FailedPreconditionError(None, None, "Writer is closed.")
        with paths.told(self._path):
            if self._squeeze is not None:
                self._file.write(self._squeeze.flush(zlib.Z_PARTIAL_FLUSH))
            self._file.flush()

    def close(self) -> None:
        """Finish the file."""
        if self._file is None:
            return
        file, self._file = self._file, None
        with paths.told(self._path):
            if self._squeeze is not None:
                file.write(self._squeeze.flush())
            file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self.close()


def _framed(data: bytes) -> bytes:
    """Return a string with its length and the checksums of both."""
    if native.code is not None:
        return native.code.frame_record(data)
    length = struct.pack("<Q", len(data))
    return length + _TAIL.pack(masked_checksum(length)) + data + _TAIL.pack(masked_checksum(data))


_WINDOWS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


class _Source:
    """The bytes of a file, decompressed if need be."""

    def __init__(self, path: str, kind: str) -> None:
        self.path, self.kind = path, kind
        with paths.told(path):
            self._file: Any = open(path, "rb")  # noqa: SIM115
        # Not `gzip.GzipFile`: of a file that is still written, it gives nothing at all.
        self._inflate: Any = zlib.decompressobj(_WINDOWS[kind]) if kind else None
        self._rest = b""

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes, fewer at the end."""
        with paths.told(self.path):
            try:
                data = self._inflated(count) if self._inflate else self._read(count)
            except zlib.error as failure:
                reason = str(failure).rpartition(": ")[2]
                raise _lost(self, f"inflate() failed with error -3: {reason}") from None
        return data

    def skip(self, count: int) -> None:
        """Go on after the next `count` bytes."""
        if self._inflate is None:
            self._file.seek(count, 1)
            return
        while count and (data := self.take(min(count, _BLOCK))):
            count -= len(data)

    def _read(self, count: int) -> bytes:
        # By pieces: a damaged length must not ask for all the memory there is.
        pieces, left = [], count
        while left:
            piece = self._file.read(min(left, 1 << 20))
            if not piece:
                break
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)

    def _inflated(self, count: int) -> bytes:
        pieces, left = [self._rest[:count]], max(count - len(self._rest), 0)
        self._rest = self._rest[count:]
        while left:
            raw = self._inflate.unconsumed_tail or self._next_member() or self._file.read(1 << 16)
            if not raw:
                break
            out = self._inflate.decompress(raw, 1 << 20)
            pieces.append(out[:left])
            self._rest = out[left:]
            left -= len(pieces[-1])
        return b"".join(pieces)

    def _next_member(self) -> bytes:
        """Return what follows a complete gzip member, of which a file may have several."""
        if self.kind != "GZIP" or not self._inflate.eof:
            return b""
        raw: bytes = self._inflate.unused_data or self._file.read(1 << 16)
        raw = raw.lstrip(b"\0")  # padding
        if raw:
            self._inflate = zlib.decompressobj(_WINDOWS[self.kind])
        return raw

    def close(self) -> None:
        self._file.close()


class _Reader:
    """Splits the bytes of a file into records; at the end of a file that grows it can go on."""

    def __init__(self, path: Any, options: Any) -> None:
        self._path = paths.local_path(path)
        self._kind = TFRecordOptions.get_compression_type_string(options)
        self._source = _Source(self._path, self._kind)
        self.place = 0  # where the next record begins
        self._held, self._needed = b"", 0

    def more(self) -> list[bytes]:
        """Return the next complete records, none at the end; DataLossError at a damaged one."""
        split = _split if native.code is None else native.code.split_records
        while self._needed >= 0:
            piece = self._source.take(max(_BLOCK, self._needed - len(self._held)))
            if not piece:
                # Part of a length is no record yet: the writer may go on.
                if len(self._held) >= _HEAD.size:
                    raise _truncated(self._source, self.place)
                return []
            held = self._held + piece if self._held else piece
            records, used, self._needed = split(held)
            self._held, self.place = held[used:], self.place + used
            if records:
                return records
        raise _corrupted(
            self._source, self.place if self._needed == -1 else self.place + _HEAD.size
        )

    def reopen(self) -> None:
        """Open the file again, at the next record."""
        self.close()
        self._source = _Source(self._path, self._kind)
        self._source.skip(self.place)
        self._held, self._needed = b"", 0

    def close(self) -> None:
        self._source.close()


def read_records(path: Any, options: Any = None) -> Iterator[bytes]:
    """Yield the strings of a TFRecord file; DataLossError where it is damaged.

    A generator, because it costs less a record than `tf_record_iterator`.
    """
    reader = _Reader(path, options)
    try:
        while records := reader.more():
            yield from records
    finally:
        reader.close()


class tf_record_iterator:  # noqa: N801 - a function in TensorFlow, which returns such an object
    """Iterates over the strings of a TFRecord file; DataLossError where it is damaged.

    At the end of a file that grows, later calls of `next` return what was added since.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        self._reader = _Reader(path, options)
        self._records: Iterator[bytes] = iter(())
        self._is_open = True

    def __iter__(self) -> tf_record_iterator:
        return self

    def __next__(self) -> bytes:
        if not self._is_open:
            raise FailedPreconditionError(None, None, "Reader is closed.")
        for record in self._records:
            return record
        self._records = iter(self._reader.more())
        for record in self._records:
            return record
        raise StopIteration

    def close(self) -> None:
        """Close the file."""
        self._is_open = False
        self._reader.close()

    def reopen(self) -> None:
        """Open the file again, maybe a new one of that name, after the records read so far."""
        self._reader.reopen()
        self._is_open = True

    def __del__(self) -> None:
        if hasattr(self, "_reader"):
            self._reader.close()


def _split(data: bytes) -> tuple[list[bytes], int, int]:
    """Take whole records off the front of `data`, as `split_records` of the native module."""
    records: list[bytes] = []
    place = 0
    while len(data) - place >= _HEAD.size:
        length, checksum = _HEAD.unpack_from(data, place)
        if masked_checksum(data[place : place + 8]) != checksum:
            return records, place, -1
        end = place + _HEAD.size + length
        if len(data) < end + _TAIL.size:
            return records, place, length + _HEAD.size + _TAIL.size
        record = data[place + _HEAD.size : end]
        if masked_checksum(record) != _TAIL.unpack_from(data, end)[0]:
            return records, place, -2
        records.append(record)
        place = end + _TAIL.size
    return records, place, 0


def _truncated(source: _Source, place: int) -> DataLossError:
    words = f"truncated record at {place}' failed with Read less bytes than requested"
    return _lost(source, words)


def _corrupted(source: _Source, place: int) -> DataLossError:
    doubt = "" if place else " (Is this even a TFRecord file?)"
    return _lost(source, f"corrupted record at {place}{doubt}")


def _lost(source: _Source, words: str) -> DataLossError:
    return DataLossError(None, None, advised(words, f"file: {source.path}"))
