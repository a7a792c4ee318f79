"""Tensors and sparse tensors as strings, and strings read back as tensors."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import DType
from placewise.core.errors import UnimplementedError, invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.io.tensor_proto import make_ndarray, packed_strings
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.values import Content, c_name, dtype_of, from_numpy, shape_of, to_numpy

if TYPE_CHECKING:
    import torch


def to_bytes(value: Content, packs_strings: bool = False) -> bytes:
    """Return a content as a serialized TensorProto."""
    dtype = dtype_of(value)
    if not dtype.is_numpy_compatible:
        raise invalid(f"Cannot serialize a tensor of {dtype.name}")
    proto = messages.TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in shape_of(value):
        proto.tensor_shape.dim.add().size = size
    array = to_numpy(value)
    if dtype is dtypes.string:
        strings = list(array.reshape(-1))
        if packs_strings:
            proto.tensor_content = packed_strings(strings)
        else:
            proto.string_val.extend(strings)
    else:
        proto.tensor_content = array.tobytes()
    data: bytes = proto.SerializeToString()
    return data


def from_bytes(data: bytes) -> Any:
    """Return the TensorProto that `data` holds; None if it holds none."""
    try:
        return messages.TensorProto.FromString(data)
    except Exception:  # protobuf's own error class is not loaded here
        return None


def content_of(proto: Any) -> np.ndarray[Any, Any]:
    """Return the array in a TensorProto; InvalidArgumentError if it contradicts itself."""
    try:
        sizes = [dim.size for dim in proto.tensor_shape.dim]
        if proto.tensor_shape.unknown_rank or any(size < 0 for size in sizes):
            raise ValueError("unknown sizes")
        count = 1
        for size in sizes:
            count *= size
        dtype = dtypes.as_dtype(proto.dtype)
        given = len(proto.tensor_content)
        if dtype is not dtypes.string and given and given != count * dtype.size:
            raise ValueError("content of another size")
        if count > 2**40:
            raise ValueError("too many elements")
        array: np.ndarray[Any, Any] = make_ndarray(proto)
        return array
    except (ValueError, TypeError, KeyError, AttributeError, MemoryError):
        raise invalid(f"Cannot parse tensor from proto: {proto}") from None


def strings(values: list[bytes], shape: tuple[int, ...]) -> Any:
    """Return bytes objects as the content of a string tensor."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array.reshape(shape)


@op("SerializeTensor(tensor: T) -> serialized: string", devices=("CPU",), differentiable=False)
def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Any:
    """Return a tensor as a string: a serialized TensorProto."""
    return serialize_tensor.bind(tensor, name)


@serialize_tensor.shape
def serialize_tensor_shape(tensor: Static) -> Dims:
    return ()


@serialize_tensor.kernel
def serialize_tensor_kernel(tensor: Content) -> Any:
    return strings([to_bytes(tensor)], ())


@op(
    "ParseTensor(serialized: string; out_type: type) -> output: out_type",
    devices=("CPU",),
    differentiable=False,
)
def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Any:
    """Return the tensor that a serialized TensorProto holds; it must be of `out_type`."""
    return parse_tensor.bind(serialized, out_type=out_type, name=name)


@parse_tensor.shape
def parse_tensor_shape(serialized: Static, *, out_type: DType) -> Dims:
    return None


@parse_tensor.kernel
def parse_tensor_kernel(serialized: Any, *, out_type: DType) -> Any:
    if serialized.ndim:
        raise invalid(
            f"Expected `serialized` to be a scalar, got shape: {bracketed(serialized.shape)}"
        )
    data = serialized[()]
    proto = from_bytes(data)
    if proto is None:
        shown = base64.b64encode(data).decode()
        raise invalid(f"Could not parse `serialized` as TensorProto, base64: {shown}")
    if not proto.dtype:
        raise invalid(f"Cannot parse tensor from proto: {proto}")
    array = content_of(proto)
    found = dtypes.as_dtype(proto.dtype)
    if found is not out_type:
        raise invalid(
            f"Type mismatch between parsed tensor ({c_name(found)}) and dtype ({c_name(out_type)})"
        )
    return from_numpy(array)


_PARTS = "(sparse_indices: int64, sparse_values: T, sparse_shape: int64; out_type: type = string)"
_serialize_one = define(
    f"SerializeSparse{_PARTS} -> serialized_sparse: out_type",
    devices=("CPU",),
    differentiable=False,
    doc="Return the three parts of a sparse tensor as strings.",
    out_type=frozenset({dtypes.string, dtypes.variant}),
)
_serialize_many = define(
    f"SerializeManySparse{_PARTS} -> serialized_sparse: out_type",
    devices=("CPU",),
    differentiable=False,
    doc="Return each row of a sparse tensor as three strings.",
    out_type=frozenset({dtypes.string, dtypes.variant}),
)


def _sparse(value: Any) -> Any:
    if all(hasattr(value, part) for part in ("indices", "values", "dense_shape")):
        return value
    raise TypeError(f"Input must be a SparseTensor or SparseTensorValue. Received: {value}.")


def serialize_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Any:
    """Return indices, values and shape of a sparse tensor as a vector of three strings."""
    sparse = _sparse(sp_input)
    return _serialize_one(
        sparse.indices, sparse.values, sparse.dense_shape, out_type=out_type, name=name
    )


def serialize_many_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Any:
    """Return each slice along the first dimension of a sparse tensor as a row of three strings."""
    sparse = _sparse(sp_input)
    return _serialize_many(
        sparse.indices, sparse.values, sparse.dense_shape, out_type=out_type, name=name
    )


@_serialize_one.shape
def serialize_sparse_shape(*_: Static, out_type: DType) -> Dims:
    return (3,)


@_serialize_many.shape
def serialize_many_sparse_shape(
    sparse_indices: Static, sparse_values: Static, sparse_shape: Static, *, out_type: DType
) -> Dims:
    return (None, 3)


def _check_parts(
    indices: torch.Tensor, values: Content, shape: torch.Tensor, out_type: DType
) -> None:
    if out_type is not dtypes.string:
        raise UnimplementedError(None, None, f"sparse tensors as {out_type.name} are not there yet")
    if indices.dim() != 2:
        raise invalid(
            f"Input indices should be a matrix but received shape {bracketed(indices.shape)}"
        )
    values_shape = shape_of(values)
    if len(values_shape) != 1:
        raise invalid(
            f"Input values should be a vector but received shape {bracketed(values_shape)}"
        )
    if shape.dim() != 1:
        raise invalid(f"Input shape should be a vector but received shape {bracketed(shape.shape)}")
    if indices.shape[0] != values_shape[0]:
        raise invalid(
            f"Number of values must match first dimension of indices. Got {values_shape[0]} "
            f"values, indices shape: {bracketed(indices.shape)}"
        )
    if indices.shape[1] != shape.shape[0]:
        raise invalid(
            f"Number of dimensions must match second dimension of indices. Got {shape.shape[0]} "
            f"dimensions, indices shape: {bracketed(indices.shape)}"
        )


@_serialize_one.kernel
def serialize_sparse_kernel(
    sparse_indices: torch.Tensor,
    sparse_values: Content,
    sparse_shape: torch.Tensor,
    *,
    out_type: DType,
) -> Any:
    _check_parts(sparse_indices, sparse_values, sparse_shape, out_type)
    return strings([to_bytes(p, True) for p in (sparse_indices, sparse_values, sparse_shape)], (3,))


@_serialize_many.kernel
def serialize_many_sparse_kernel(
    sparse_indices: torch.Tensor,
    sparse_values: Content,
    sparse_shape: torch.Tensor,
    *,
    out_type: DType,
) -> Any:
    _check_parts(sparse_indices, sparse_values, sparse_shape, out_type)
    rank = sparse_shape.shape[0]
    if rank <= 1:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {rank}")
    rows = sparse_indices[:, 0].tolist()
    count = int(sparse_shape[0])
    _check_order(sparse_indices.tolist(), sparse_shape.tolist())
    starts = np.searchsorted(rows, np.arange(count + 1)).tolist()
    rest = to_bytes(sparse_shape[1:])
    files = []
    for row in range(count):
        begin, end = starts[row], starts[row + 1]
        files += [
            to_bytes(sparse_indices[begin:end, 1:], True),
            to_bytes(sparse_values[begin:end], True),
            rest,
        ]
    return strings(files, (count, 3))


def _check_order(indices: list[list[int]], shape: list[int]) -> None:
    before: list[int] = []
    for number, index in enumerate(indices):
        shown = bracketed(index)
        if any(not 0 <= i < size for i, size in zip(index, shape, strict=True)):
            raise invalid(
                f"indices[{number}] = {shown} is out of bounds: need 0 <= index < "
                f"{bracketed(shape)}"
            )
        if before and index < before:
            raise invalid(
                f"indices[{number}] = {shown} is out of order. Many sparse ops require sorted "
                "indices.\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n"
            )
        if index == before:
            raise invalid(f"indices[{number}] = {shown} is repeated")
        before = index


_READ = "-> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64"
_deserialize_many = define(
    f"DeserializeManySparse(serialized_sparse: string; dtype: type) {_READ}",
    devices=("CPU",),
    differentiable=False,
    doc="Return sparse tensors out of strings, one below the other.",
)
_deserialize = define(
    f"DeserializeSparse(serialized_sparse: Tserialized; dtype: type) {_READ}",
    devices=("CPU",),
    differentiable=False,
    Tserialized=frozenset({dtypes.string, dtypes.variant}),
    doc="Return sparse tensors out of strings, in any number of dimensions.",
)


def deserialize_many_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: int | None = None,
    name: str | None = None,
) -> Any:
    """Return sparse tensors, serialized in rows of three strings, as one of a rank more."""
    indices, values, shape = _deserialize_many(
        convert_to_tensor(serialized_sparse, dtypes.string), dtype=dtype, name=name
    )
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def deserialize_shape(serialized_sparse: Static, *, dtype: DType) -> list[Dims]:
    return [(None, None), (None,), (None,)]


_deserialize_many.shape(deserialize_shape)
_deserialize.shape(deserialize_shape)


@_deserialize_many.kernel
def deserialize_many_sparse_kernel(serialized_sparse: np.ndarray[Any, Any], *, dtype: DType) -> Any:
    return _read_sparse(serialized_sparse, dtype)


@_deserialize.kernel
def deserialize_sparse_kernel(serialized_sparse: Any, *, dtype: DType) -> Any:
    return _read_sparse(serialized_sparse, dtype)


def _read_sparse(serialized: np.ndarray[Any, Any], dtype: DType) -> Any:
    if not serialized.ndim or serialized.shape[-1] != 3:
        raise invalid(
            f"Serialized sparse should have 3 as the last dimension {bracketed(serialized.shape)}"
        )
    heads = serialized.shape[:-1]
    if 0 in heads:
        raise invalid(
            "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension "
            f"{bracketed(serialized.shape)}"
        )
    parts = [_one_sparse(row, dtype, i) for i, row in enumerate(serialized.reshape(-1, 3))]
    rank = len(parts[0][2])
    if any(len(shape) != rank for _, _, shape in parts):
        raise invalid("Inconsistent rank across SparseTensors: rank prior to SparseTensor")
    places = np.stack(np.unravel_index(np.arange(len(parts)), heads), 1) if heads else None
    indices = [
        inner
        if places is None
        else np.concatenate([np.repeat(places[i][None], len(inner), 0), inner], 1)
        for i, (inner, _, _) in enumerate(parts)
    ]
    shape = np.concatenate([heads, np.max([s for _, _, s in parts], 0)]).astype(np.int64)
    values = np.concatenate([v for _, v, _ in parts])
    return (
        from_numpy(np.concatenate(indices).astype(np.int64)),
        from_numpy(values),
        from_numpy(shape),
    )


def _one_sparse(row: np.ndarray[Any, Any], dtype: DType, number: int) -> Any:
    protos = [from_bytes(data) for data in row]
    if any(proto is None for proto in protos):
        raise invalid("Could not parse serialized proto")
    indices, values, shape = (content_of(proto) for proto in protos)
    what = f"SparseTensor[{number}]"
    if indices.ndim != 2:
        raise invalid(
            f"Expected serialized_sparse[{number}, 0] to represent an index matrix but received "
            f"shape {bracketed(indices.shape)}"
        )
    found = dtypes.as_dtype(protos[1].dtype)
    if found is not dtype:
        raise invalid(
            f"Requested SparseTensor of type {c_name(dtype)} but {what}.values.dtype() == "
            f"{c_name(found)}"
        )
    if values.ndim != 1 or shape.ndim != 1 or len(values) != len(indices):
        raise invalid(
            f"Expected row counts of indices and values to match but they do not in {what}"
        )
    if indices.shape[1] != len(shape):
        raise invalid(
            f"Expected column counts of indices to match size of shape but they do not in {what}"
        )
    if indices.dtype != np.int64 or shape.dtype != np.int64:
        raise invalid(f"indices and shape of {what} must be int64")
    return indices, values, shape
