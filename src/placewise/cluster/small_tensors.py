"""Small tensors as bytes of `Tensor` messages, written and read without objects in between.

A step of a session often feeds and fetches a few numbers only. Then most of its time would go into
protobuf's objects and torch's tensors. Here the same bytes are made from a NumPy array directly.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from placewise.cluster.wire import message
from placewise.core import dtypes

_FLOATS = (dtypes.float32, dtypes.float64)
_PLAIN = (*_FLOATS, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8)
_HAS_WIRE_ORDER = sys.byteorder == "little"  # else all take the long way
_NUMBERS = {
    np.dtype(dtype.as_numpy_dtype): dtype.as_datatype_enum for dtype in _PLAIN if _HAS_WIRE_ORDER
}
_DTYPES = {number: dtype for dtype, number in _NUMBERS.items()}
_CONTENT = b"\x1a"  # field 3 of a Tensor, as bytes
_MOST_HEADS = 4096
_heads: dict[Any, bytes] = {}


def _length(size: int) -> bytes:
    """Return a length as protobuf writes it."""
    if size < 128:
        return bytes((size,))
    raw = bytearray()
    while size > 127:
        raw.append(size & 127 | 128)
        size >>= 7
    raw.append(size)
    return bytes(raw)


def encoded(array: Any, tag: bytes) -> bytes | None:
    """Return an array as a field of Tensor messages with a tag; None if it takes the long way."""
    key = array.dtype, array.shape
    head = _heads.get(key)
    if head is None:
        number = _NUMBERS.get(array.dtype)
        if number is None:
            return None
        if len(_heads) >= _MOST_HEADS:
            _heads.clear()
        size = array.nbytes
        described = message("Tensor")(dtype=number, shape=array.shape).SerializeToString()
        described += _CONTENT + _length(size)
        head = _heads[key] = _length(len(described) + size) + described
    return tag + head + array.tobytes()  # type: ignore[no-any-return]  # NumPy's bytes


def decoded(header: Any) -> Any:
    """Return the array of a Tensor message; None if it takes the long way, or is malformed."""
    dtype = _DTYPES.get(header.dtype)
    if dtype is None or header.following_bytes:
        return None
    shape, raw = tuple(header.shape), header.content
    if len(shape) > 32 or any(size < 0 for size in shape):
        return None
    if len(raw) != math.prod(shape) * dtype.itemsize:
        return None
    # A bytearray: the array belongs to whoever gets it, and can be written into.
    return np.frombuffer(bytearray(raw), dtype).reshape(shape) if raw else np.empty(shape, dtype)
