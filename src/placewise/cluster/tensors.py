"""Contents as bytes: small ones inside of messages, large ones as a header and raw chunks.

A stream of tensors is a sequence of frames. A frame is either a `Tensor` message, or, after one
that says `following_bytes`, a piece of the content; pieces add up to exactly that many bytes.
Numbers are in little-endian order, row by row. Nothing is pickled. What a header promises is
checked against limits before memory is taken for it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import torch

from placewise.cluster.wire import message
from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.errors import InvalidArgumentError, UnimplementedError
from placewise.memory.host import reserve_on_host
from placewise.ops.values import OBJECT, TORCH, Handle, dtype_of, shape_of, to_numpy

# Chunks that fit into a processor's cache: each is copied several times on its way.
CHUNK_BYTES = 1 << 18
INLINE_BYTES = 1 << 16  # larger contents travel as chunks
_MOST_DIMENSIONS = 254
_BY_NUMBER = {dtype.as_datatype_enum: dtype for dtype in TORCH}
_STRING = dtypes.string.as_datatype_enum
_RESOURCE = dtypes.resource.as_datatype_enum
_MOST_STRINGS = 1 << 26


def size_bytes(content: Any) -> int:
    """Return how many bytes a content takes on the wire, roughly for strings."""
    if isinstance(content, torch.Tensor):
        return content.numel() * content.element_size()
    if isinstance(content, np.ndarray):
        if content.dtype == OBJECT:
            return sum(len(text) + 8 for text in content.ravel())
        return content.nbytes
    return 64


def header_of(content: Any, key: int) -> Any:
    """Return a Tensor message that says what a content is, without its bytes."""
    header = message("Tensor")(key=key)
    if isinstance(content, Handle):
        header.dtype = _RESOURCE
        device = getattr(content.device, "name", "")
        header.handle.device, header.handle.name = device, content.name
        header.handle.kind = content.kind
        return header
    dtype = dtype_of(content) if not _is_array(content) else as_dtype(content.dtype)
    if dtype.as_datatype_enum not in _BY_NUMBER and dtype is not dtypes.string:
        raise UnimplementedError(
            None, None, f"A tensor of dtype {dtype.name} cannot be sent to another task."
        )
    header.dtype = dtype.as_datatype_enum
    header.shape.extend(shape_of(content))
    return header


def _is_array(content: Any) -> bool:
    return isinstance(content, np.ndarray) and content.dtype != OBJECT


def raw_bytes(content: Any) -> memoryview:
    """Return the bytes of a content, row by row in little-endian order."""
    array = np.ascontiguousarray(to_numpy(content))
    if sys.byteorder == "big":
        array = array.byteswap()
    return memoryview(array.reshape(-1).view(np.uint8))  # type: ignore[arg-type]


def _strings(content: Any) -> list[bytes]:
    return [text if isinstance(text, bytes) else str(text).encode() for text in content.ravel()]


def to_message(content: Any, key: int = 0) -> Any:
    """Return a content as a Tensor message that has all of it."""
    header = header_of(content, key)
    if header.dtype == _STRING:
        header.strings.extend(_strings(content))
    elif header.dtype != _RESOURCE:
        header.content = raw_bytes(content).tobytes()
    return header


def to_frames(content: Any, key: int = 0) -> Iterator[bytes]:
    """Return the frames of a content."""
    if size_bytes(content) <= INLINE_BYTES or isinstance(content, Handle):
        yield to_message(content, key).SerializeToString()
        return
    header = header_of(content, key)
    if header.dtype == _STRING:
        strings = _strings(content)
        header.string_bytes.extend(map(len, strings))
        raw = memoryview(b"".join(strings))
    else:
        raw = raw_bytes(content)
    header.following_bytes = len(raw)
    yield header.SerializeToString()
    for start in range(0, len(raw), CHUNK_BYTES):
        yield bytes(raw[start : start + CHUNK_BYTES])


def from_message(header: Any, find: Callable[[Any], Any] | None = None) -> Any:
    """Return the content of a Tensor message; `find` returns the state that a handle names."""
    if header.following_bytes:
        raise _malformed("its content is missing")
    shape = shape_in(header)
    if header.dtype == _RESOURCE:
        if find is None:
            said = f"The state '{header.handle.name[:200]}' stays on its task: fetch what it holds."
            raise UnimplementedError(None, None, said)
        return find(header.handle)
    if header.dtype == _STRING:
        return _string_array(list(header.strings), shape)
    dtype = number_type(header)
    raw = header.content
    if len(raw) != math.prod(shape) * dtype.size:
        raise _malformed(f"{len(raw)} bytes for shape {list(shape)} of {dtype.name}")
    if not raw:
        return torch.empty(shape, dtype=TORCH[dtype])
    # A bytearray, because torch's tensors can be written into.
    flat = torch.frombuffer(bytearray(raw), dtype=TORCH[dtype])
    return _with_true_bytes(flat.reshape(shape))


def _empty(shape: tuple[int, ...], dtype: Any) -> torch.Tensor:
    """Return memory for a tensor.

    Not a view of bytes: a view keeps its base, and a fetch would be copied for that. From NumPy,
    which asks for huge pages: filling memory for the first time takes a third of the time.
    """
    if dtype.name in ("float32", "float64", "int32", "int64", "uint8"):
        return torch.from_numpy(np.empty(shape, dtype.as_numpy_dtype))
    return torch.empty(shape, dtype=TORCH[dtype])


def _with_true_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor whose booleans are 0 or 1: any other byte is undefined for torch."""
    if tensor.dtype is not torch.bool:
        return tensor
    return tensor.view(torch.uint8) != 0


def _string_array(strings: list[bytes], shape: tuple[int, ...]) -> Any:
    if len(strings) != math.prod(shape):
        raise _malformed(f"{len(strings)} strings for shape {list(shape)}")
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array.reshape(shape)


def shape_in(header: Any) -> tuple[int, ...]:
    """Return the shape that a Tensor message says; raises if it cannot be one."""
    shape = tuple(header.shape)
    if len(shape) > _MOST_DIMENSIONS or any(size < 0 for size in shape):
        raise _malformed(f"shape {list(shape)[:8]}")
    if header.dtype == _STRING and math.prod(shape) > _MOST_STRINGS:
        raise _malformed(f"{math.prod(shape)} strings")
    return shape


def number_type(header: Any) -> Any:
    """Return the dtype of numbers that a Tensor message says; raises if it is none."""
    dtype = _BY_NUMBER.get(header.dtype)
    if dtype is None:
        raise _malformed(f"dtype number {header.dtype}")
    return dtype


def _malformed(what: str) -> Exception:
    return InvalidArgumentError(None, None, f"A malformed tensor was received: {what}.")


class Reader:
    """Reads contents from a stream of frames, one at a time.

    `limit_bytes` bounds what one tensor may take: a header that promises more is refused.
    """

    def __init__(
        self,
        frames: Iterable[bytes],
        limit_bytes: int = 1 << 40,
        find: Callable[[Any], Any] | None = None,
    ) -> None:
        self._frames, self._limit_bytes, self._find = iter(frames), limit_bytes, find

    def next(self) -> tuple[int, Any] | None:
        """Return the key and the content of the next tensor; None at the end."""
        frame = next(self._frames, None)
        if frame is None:
            return None
        header = parse("Tensor", frame)
        if not header.following_bytes:
            return header.key, from_message(header, self._find)
        shape = shape_in(header)
        if header.following_bytes > self._limit_bytes or header.following_bytes < 0:
            raise _malformed(f"{header.following_bytes} bytes")
        if header.dtype == _STRING:
            return header.key, self._strings(header, shape)
        dtype = number_type(header)
        if header.following_bytes != math.prod(shape) * dtype.size:
            raise _malformed(f"{header.following_bytes} bytes for shape {list(shape)}")
        reserve_on_host(shape, dtype.as_numpy_dtype)
        tensor = _empty(shape, dtype)
        raw: Any = tensor.view(-1).view(torch.uint8).numpy()
        self._fill(memoryview(raw))
        return header.key, _with_true_bytes(tensor)

    def _strings(self, header: Any, shape: tuple[int, ...]) -> Any:
        lengths = list(header.string_bytes)
        if any(length < 0 for length in lengths) or sum(lengths) != header.following_bytes:
            raise _malformed("lengths of strings that do not add up")
        raw = bytearray(header.following_bytes)
        self._fill(memoryview(raw))
        strings, start = [], 0
        for length in lengths:
            strings.append(bytes(raw[start : start + length]))
            start += length
        return _string_array(strings, shape)

    def _fill(self, target: memoryview) -> None:
        start = 0
        while start < len(target):
            frame = next(self._frames, None)
            if frame is None or start + len(frame) > len(target) or not frame:
                raise _malformed(f"{start} of {len(target)} bytes")
            target[start : start + len(frame)] = frame
            start += len(frame)


def parse(name: str, raw: bytes) -> Any:
    """Return a message read from bytes; raises InvalidArgumentError if they are none."""
    made = message(name)()
    try:
        made.ParseFromString(raw)
    except Exception:  # protobuf's DecodeError, whose module must not be imported for its name
        raise InvalidArgumentError(None, None, f"A malformed {name} was received.") from None
    return made
