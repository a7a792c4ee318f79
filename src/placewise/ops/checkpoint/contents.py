"""A tensor's content as bytes in a data file, and back, without needless copies."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType, as_dtype
from placewise.ops.checkpoint.numbers import checksum, masked, read_varint, varint
from placewise.ops.values import OBJECT, Content, to_numpy


def array_of(content: Content) -> np.ndarray[Any, Any]:
    """Return a content as an array whose elements lie one after the other."""
    array = to_numpy(content)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array).reshape(array.shape)


def content_of(array: np.ndarray[Any, Any]) -> Any:
    """Return an array that nobody else holds as a content that uses its memory."""
    if array.dtype == OBJECT:
        return array
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def dtype_of_array(array: np.ndarray[Any, Any]) -> DType:
    """Return the dtype of an array; of objects, string."""
    return dtypes.string if array.dtype == OBJECT else as_dtype(array.dtype)


def pieces_of(array: np.ndarray[Any, Any]) -> tuple[list[Any], int, int]:
    """Return what to write for an array, how many bytes that is, and its masked checksum."""
    if array.dtype == OBJECT:
        return _string_pieces([_bytes(each) for each in array.reshape(-1)])
    flat = array.reshape(-1).view(np.uint8)
    return [flat], flat.size, masked(checksum(flat))


def _bytes(value: bytes) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _string_pieces(values: list[bytes]) -> tuple[list[Any], int, int]:
    """Strings: their lengths, a checksum of those, then the strings."""
    crc = _lengths_checksum(map(len, values))
    lengths = b"".join(varint(len(value)) for value in values)
    mark = struct.pack("<I", masked(crc))
    text = b"".join(values)
    crc = checksum(text, checksum(mark, crc))
    return [lengths, mark, text], len(lengths) + 4 + len(text), masked(crc)


def _lengths_checksum(lengths: Iterable[int]) -> int:
    packed = [struct.pack("<I" if n < 1 << 32 else "<Q", n) for n in lengths]
    return checksum(b"".join(packed))


def strings_from(data: bytes, count: int) -> tuple[np.ndarray[Any, Any], int]:
    """Return the strings in the bytes of an entry, and the masked checksum; ValueError if cut."""
    place, lengths = 0, []
    for _ in range(count):
        length, place = read_varint(data, place)
        lengths.append(length)
    if place + 4 + sum(lengths) != len(data):
        raise ValueError("the strings have another length")
    crc = _lengths_checksum(lengths)
    mark = data[place : place + 4]
    if struct.unpack("<I", mark)[0] != masked(crc):
        raise ValueError("the lengths of the strings are damaged")
    place += 4
    ends = list(itertools.accumulate(lengths, initial=place))
    found = np.empty(count, object)
    found[:] = [data[a:b] for a, b in itertools.pairwise(ends)]
    return found, masked(checksum(data[place:], checksum(mark, crc)))
