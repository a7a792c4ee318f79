"""Strings of raw bytes as numbers, and compressed strings as plain ones."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import DType, as_dtype
from placewise.core.errors import DataLossError, UnimplementedError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed, same_shape
from placewise.ops.values import c_name, from_numpy

_PADDED = (
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.uint16,
    dtypes.uint8,
    dtypes.int16,
    dtypes.int8,
    dtypes.int64,
    dtypes.bfloat16,
)
_PLAIN = (*_PADDED[:-1], dtypes.complex64, dtypes.complex128, dtypes.bool, dtypes.bfloat16)


def _check_type(dtype: DType, allowed: tuple[DType, ...]) -> None:
    if dtype not in allowed:
        names = ", ".join(c_name(each) for each in allowed)
        raise invalid(
            f"Value for attr 'out_type' of {c_name(dtype)} is not in the list of allowed values: "
            f"{names}"
        )


def _numbers(data: bytes, dtype: DType, little_endian: bool) -> Any:
    if dtype.is_bool:
        return np.frombuffer(data, np.uint8) != 0
    kind = np.dtype(dtype.as_numpy_dtype)
    array = np.frombuffer(data, kind)
    if not little_endian and kind.itemsize > 1:
        # Of a complex number, each half is turned on its own.
        step = kind.itemsize // 2 if dtype.is_complex else kind.itemsize
        turned = np.frombuffer(data, np.uint8).reshape(-1, step)[:, ::-1]
        array = np.ascontiguousarray(turned).reshape(-1).view(kind)
    return array


@op(
    "DecodeRaw(bytes: string; out_type: type, little_endian: bool = True) -> output: out_type",
    devices=("CPU",),
    differentiable=False,
    elementwise=True,
)
def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Any:
    """Return the bytes of strings as numbers of `out_type`, in a dimension more.

    All strings must be of one length, or `fixed_length` says to how many bytes each is cut or
    filled with zeros.
    """
    if fixed_length is not None:
        return decode_padded_raw(
            input_bytes,
            fixed_length,
            out_type=as_dtype(out_type),
            little_endian=little_endian,
            name=name,
        )
    return decode_raw.bind(
        input_bytes, out_type=as_dtype(out_type), little_endian=little_endian, name=name
    )


def raw_shape(bytes: Static, *_: Static, **__: Any) -> Dims:
    return None if bytes.shape is None else (*bytes.shape, None)


decode_raw.shape(raw_shape)


@decode_raw.kernel
def decode_raw_kernel(bytes: Any, *, out_type: DType, little_endian: bool) -> Any:
    _check_type(out_type, _PLAIN)
    flat = bytes.reshape(-1)
    if not flat.size:
        return from_numpy(np.zeros((*bytes.shape, 0), out_type.as_numpy_dtype))
    length = len(flat[0])
    for number, each in enumerate(flat):
        if len(each) != length:
            raise invalid(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{number} has size {length} != {len(each)}"
            )
    if length % out_type.size:
        raise invalid(
            f"Input to DecodeRaw has length {length} that is not a multiple of {out_type.size}, "
            f"the size of {c_name(out_type)}"
        )
    joined = flat[0] if flat.size == 1 else b"".join(flat)
    numbers = _numbers(joined, out_type, little_endian)
    return from_numpy(numbers.reshape(*bytes.shape, length // out_type.size))


decode_padded_raw = define(
    "DecodePaddedRaw(input_bytes: string, fixed_length: int32; out_type: type,"
    " little_endian: bool = True) -> output: out_type",
    host=("fixed_length",),
    devices=("CPU",),
    differentiable=False,
    doc="Return the bytes of strings, cut or filled to one length, as numbers.",
)


@decode_padded_raw.shape
def decode_padded_raw_shape(
    input_bytes: Static, fixed_length: Static, *, out_type: DType, little_endian: bool
) -> Dims:
    if input_bytes.shape is None:
        return None
    length = None
    if fixed_length.value is not None and out_type.size:
        length = int(fixed_length.value) // out_type.size
    return (*input_bytes.shape, length)


@decode_padded_raw.kernel
def decode_padded_raw_kernel(
    input_bytes: Any, fixed_length: Any, *, out_type: DType, little_endian: bool
) -> Any:
    _check_type(out_type, _PADDED)
    if fixed_length.ndim:
        raise invalid(f"k must be scalar, got shape {bracketed(fixed_length.shape)}")
    length = int(fixed_length)
    if length <= 0:
        raise invalid(f"fixed_length ({length}) must be greater than zero.")
    if length % out_type.size:
        raise invalid(
            f"fixed_length ({length}) must be a multiple of the size of out_type ({out_type.size})"
        )
    joined = b"".join(each[:length].ljust(length, b"\0") for each in input_bytes.reshape(-1))
    numbers = _numbers(joined, out_type, little_endian)
    return from_numpy(numbers.reshape((*input_bytes.shape, length // out_type.size)))


@op(
    "DecodeCompressed(bytes: string; compression_type: string = '') -> output: string",
    devices=("CPU",),
    differentiable=False,
)
def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Any:
    """Return strings decompressed: of 'ZLIB', of 'GZIP', or as they are for ''."""
    return decode_compressed.bind(bytes, compression_type=compression_type, name=name)


decode_compressed.shape(same_shape)


@decode_compressed.kernel
def decode_compressed_kernel(bytes: Any, *, compression_type: str) -> Any:
    if not compression_type:
        return bytes
    if compression_type not in ("ZLIB", "GZIP"):
        if compression_type == "ZSTD":
            raise UnimplementedError(None, None, "ZSTD compression is not there yet")
        raise invalid("Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    result = np.empty(bytes.shape, dtype=object)
    flat = result.reshape(-1)
    for number, each in enumerate(bytes.reshape(-1)):
        flat[number] = _inflated(each, compression_type == "GZIP")
    return result


def _inflated(data: bytes, is_gzip: bool) -> bytes:
    """Return what is there of a stream, also if its end is missing; of GZIP, several in a row."""
    window = zlib.MAX_WBITS | 16 if is_gzip else zlib.MAX_WBITS
    pieces: list[bytes] = []
    while data:
        stream = zlib.decompressobj(window)
        try:
            pieces.append(stream.decompress(data))
        except zlib.error as failure:
            words = str(failure).rpartition(": ")[2]
            if pieces:
                break  # what follows a whole stream need not be one
            raise DataLossError(None, None, f"inflate() failed with error -3: {words}") from None
        if not is_gzip or not stream.eof:
            break
        data = stream.unused_data
    return b"".join(pieces)
