"""Tensors as TensorProto messages, and back as NumPy arrays."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType, as_dtype
from placewise.core.tensor import Tensor
from placewise.memory.host import reserve_on_host
from placewise.ops.values import EagerTensor, to_numpy

# The list of a message that holds values of a dtype.
_FIELDS = {
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.int32: "int_val",
    dtypes.int16: "int_val",
    dtypes.int8: "int_val",
    dtypes.uint8: "int_val",
    dtypes.uint16: "int_val",
    dtypes.qint8: "int_val",
    dtypes.quint8: "int_val",
    dtypes.qint16: "int_val",
    dtypes.quint16: "int_val",
    dtypes.qint32: "int_val",
    dtypes.int64: "int64_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    dtypes.bool: "bool_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
}
_HALVES = (dtypes.float16, dtypes.bfloat16)
_FITS = {
    "integer": (int, np.integer),
    "float": (int, float, np.integer, np.floating),
    "complex": (int, float, complex, np.number),
    "string": (str, bytes),
    "bool": (bool, np.bool_),
}


def _leaves(values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        for item in values:
            yield from _leaves(item)
    else:
        yield values


def _kind(dtype: DType) -> str:
    if dtype.is_bool:
        return "bool"
    if dtype is dtypes.string:
        return "string"
    if dtype.is_integer:
        return "integer"
    return "complex" if dtype.is_complex else "float"


def _check_leaves(values: Any, dtype: DType | None) -> None:
    for leaf in _leaves(values):
        if isinstance(leaf, Tensor) and not isinstance(leaf, EagerTensor):
            if dtype is None:
                raise TypeError("Expected any non-tensor type, but got a tensor instead.")
        elif dtype is not None and not isinstance(leaf, (np.ndarray, Tensor)):
            allowed = _FITS[_kind(dtype)]
            is_flag = isinstance(leaf, bool) and not dtype.is_bool
            if is_flag or not isinstance(leaf, allowed):
                raise TypeError(
                    f"Expected {dtype.name}, but got {leaf} of type '{type(leaf).__name__}'."
                )


def _sizes(values: Any) -> list[int]:
    sizes = []
    while isinstance(values, (list, tuple)):
        sizes.append(len(values))
        if not values:
            break
        values = values[0]
    return sizes


def _as_array(
    values: TensorLike, dtype: DType | None, shape: tuple[int, ...] | None
) -> np.ndarray[Any, Any]:
    if isinstance(values, EagerTensor):
        values = to_numpy(values._value)
    elif hasattr(values, "__array__") and not isinstance(values, (np.ndarray, np.generic)):
        values = np.asarray(values)
    wanted = None if dtype is None or dtype.is_quantized else dtype.as_numpy_dtype
    if isinstance(values, (np.ndarray, np.generic)):
        array = np.asarray(values)
        if array.dtype.kind == "U":
            array = np.char.encode(array, "utf-8").astype(object)
        return array if wanted is None else array.astype(wanted)
    if values is None:
        raise ValueError("None values not supported.")
    if shape is not None and not np.prod(shape, dtype=np.int64):
        return np.empty(shape, np.float32 if wanted is None else wanted)
    _check_leaves(values, dtype)
    array = _from_python(values, wanted)
    if dtype is None and array.dtype == np.float64:
        return array.astype(np.float32)
    if dtype is None and array.dtype == np.int64:
        small = array.astype(np.int32)
        return small if np.array_equal(small, array) else array
    return array


def _from_python(values: Any, wanted: Any) -> np.ndarray[Any, Any]:
    if any(isinstance(leaf, (str, bytes)) for leaf in _leaves(values)):
        flat = []
        for leaf in _leaves(values):
            if not isinstance(leaf, (str, bytes)):
                raise TypeError(
                    f"Failed to convert elements of {values} to Tensor. Consider casting elements "
                    "to a supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes "
                    "for supported TF dtypes."
                )
            flat.append(leaf.encode() if isinstance(leaf, str) else leaf)
        array = np.empty(len(flat), dtype=object)
        array[:] = flat
        sizes = _sizes(values)
        if int(np.prod(sizes)) != len(flat):
            raise ValueError(
                f"Expected values {values} to be a dense tensor with shape {sizes}, but got "
                f"{len(flat)} elements."
            )
        return array.reshape(sizes)
    return np.array(values, wanted)


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Return values as a TensorProto; with a larger `shape`, the last value is repeated.

    Python floats become float32 and integers int32 unless `dtype` says otherwise.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, messages.TensorProto):
        return values
    dtype = None if dtype is None else as_dtype(dtype)
    array = _as_array(values, dtype, shape)
    found = dtype if dtype is not None and dtype.is_quantized else as_dtype(array.dtype)
    if dtype is not None and dtype.base_dtype is not found.base_dtype:
        raise TypeError(f"`dtype` {dtype} is not compatible with {values} of dtype {array.dtype}.")
    dims = array.shape if shape is None else tuple(int(d) for d in shape)
    count = int(np.prod(dims, dtype=np.int64))
    if shape is not None:
        _check_shape(array, dims, count, verify_shape, allow_broadcast)
    proto = messages.TensorProto(dtype=found.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in dims:
        proto.tensor_shape.dim.add().size = size
    if array.size > 1 and not any(array.strides):  # one value, repeated
        array = array[(slice(1),) * array.ndim]
    if count == array.size and count > 1 and found is not dtypes.string:
        if array.nbytes >= 1 << 31:
            raise ValueError("Cannot create a tensor proto whose content is larger than 2GB.")
        proto.tensor_content = array.tobytes()
        return proto
    _append(proto, found, array.ravel())
    return proto


def _check_shape(
    array: np.ndarray[Any, Any],
    dims: tuple[int, ...],
    count: int,
    verify_shape: bool,
    allow_broadcast: bool,
) -> None:
    if allow_broadcast:
        if array.shape not in ((1,), ()) and array.size != count:
            raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.")
        return
    if verify_shape and array.shape != dims:
        raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.")
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}."
        )


def _append(proto: Any, dtype: DType, values: np.ndarray[Any, Any]) -> None:
    if dtype is dtypes.string:
        proto.string_val.extend(bytes(v) if not isinstance(v, str) else v.encode() for v in values)
        return
    if dtype in _HALVES:
        values = values.view(np.uint16)
    elif dtype.is_quantized and values.dtype.names:
        values = values[values.dtype.names[0]]
    elif dtype.is_complex:
        values = values.view(values.real.dtype)
    getattr(proto, _FIELDS[dtype]).extend(values.tolist())


def make_ndarray(tensor: Any) -> Any:
    """Return the content of a TensorProto as a NumPy array."""
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = as_dtype(tensor.dtype)
    kind = dtype.as_numpy_dtype
    reserve_on_host(shape, kind)  # a few bytes of a file may ask for any size
    count = math.prod(shape)
    if dtype is dtypes.string:
        values = string_values(tensor, count)
        array = np.empty(count, dtype=object)
        array[:] = values[:count] + [values[-1] if values else b""] * (count - len(values))
        return array.reshape(shape)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype=kind).copy().reshape(shape)
    if dtype not in _FIELDS:
        raise TypeError(
            f"Unsupported tensor type: {tensor.dtype}. See "
            "https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes."
        )
    found = getattr(tensor, _FIELDS[dtype])
    if dtype in _HALVES:
        array = np.fromiter(found, np.uint16).view(kind)
    elif dtype.is_complex:
        pairs = np.fromiter(found, kind().real.dtype)
        array = pairs[: len(pairs) // 2 * 2].view(kind)
    elif dtype.is_quantized:
        array = np.fromiter(found, np.dtype(kind).fields[np.dtype(kind).names[0]][0]).view(kind)
    else:
        array = np.asarray(found, dtype=kind) if found else np.zeros(0, kind)
    if not array.size:
        return np.zeros(shape, kind)
    if array.size != count:
        array = np.pad(array, (0, count - array.size), "edge")
    return array.reshape(shape)


def string_values(tensor: Any, count: int) -> list[bytes]:
    """Return the strings of a message, listed or packed one after the other with their lengths."""
    if not tensor.tensor_content:
        return list(tensor.string_val)
    data, place, lengths = tensor.tensor_content, 0, []
    for _ in range(count):
        length = 0
        for shift in itertools.count(0, 7):
            if place >= len(data) or shift > 63:
                raise ValueError("the packed strings end too early")
            byte = data[place]
            place += 1
            length |= (byte & 127) << shift
            if byte < 128:
                break
        lengths.append(length)
    if place + sum(lengths) != len(data):
        raise ValueError("the packed strings have another length")
    ends = list(itertools.accumulate(lengths, initial=place))
    return [data[a:b] for a, b in itertools.pairwise(ends)]


def packed_strings(values: list[bytes]) -> bytes:
    """Return strings as TensorFlow packs them into `tensor_content`."""
    head = bytearray()
    for value in values:
        length = len(value)
        while length > 127:
            head.append((length & 127) | 128)
            length >>= 7
        head.append(length)
    return bytes(head) + b"".join(values)
