"""Compression of record files: what is written waits in a buffer, as in TensorFlow's writer.

When the buffer is full its bytes go to zlib together, with the flush mode of the options. Where
the buffer ends decides how large the file becomes.
"""

from __future__ import annotations

import zlib
from typing import Any

_BUFFER_BYTES = 256 << 10
_MEMORY_LEVEL = 9
_GZIP_WINDOW = zlib.MAX_WBITS | 16
_HEAD_BYTES, _TAIL_BYTES = 12, 4


class Deflation:
    """Compresses framed records; `kind` is 'ZLIB' or 'GZIP', `options` are TFRecordOptions."""

    def __init__(self, kind: str, options: Any) -> None:
        level = options.compression_level
        self._zlib = zlib.compressobj(
            -1 if level is None else level,
            zlib.DEFLATED,
            _GZIP_WINDOW if kind == "GZIP" else options.window_bits or zlib.MAX_WBITS,
            options.mem_level or _MEMORY_LEVEL,
            options.compression_strategy or 0,
        )
        self._mode = options.flush_mode or zlib.Z_NO_FLUSH
        self._room = options.input_buffer_size or _BUFFER_BYTES
        self._waiting = bytearray()

    def record(self, framed: bytes) -> bytes:
        """Return what is to be written now that a record was added."""
        if len(self._waiting) + len(framed) <= self._room:
            self._waiting += framed
            return b""
        parts = (framed[:_HEAD_BYTES], framed[_HEAD_BYTES:-_TAIL_BYTES], framed[-_TAIL_BYTES:])
        return b"".join([self._add(part) for part in parts])

    def _add(self, data: bytes) -> bytes:
        if len(self._waiting) + len(data) <= self._room:
            self._waiting += data
            return b""
        result = self.flush(self._mode)
        if len(data) <= self._room:
            self._waiting += data
            return result
        return result + self._deflated(data, self._mode)

    def flush(self, mode: int = zlib.Z_FINISH) -> bytes:
        """Return what is to be written of all records so far; `Z_FINISH` ends the file."""
        data = bytes(self._waiting)
        self._waiting.clear()
        return self._deflated(data, mode)

    def _deflated(self, data: bytes, mode: int) -> bytes:
        result = self._zlib.compress(data)
        return result if mode == zlib.Z_NO_FLUSH else result + self._zlib.flush(mode)
