"""Sparse tensors as dense ones and back: to_dense, from_dense, to_indicator, sparse_to_dense."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.memory.transfer import to_host
from placewise.ops.array.creation import ones_like
from placewise.ops.array.gather import gather_nd
from placewise.ops.array.out_of_range import flat_places, harmless
from placewise.ops.array.shape import expand_dims, shape
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import not_equal
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.sparse.merge import sparse_merge
from placewise.ops.sparse.places import are_inside, bracketed_row, flat, like, numbers
from placewise.ops.sparse.sparse_tensor import SparseTensor, as_sparse
from placewise.ops.values import Content
from placewise.ops.work import scatter_work

_NUMBERS = torch.float32, torch.float64, torch.int32, torch.int64

sparse_to_dense_op = define(
    "SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T,"
    " default_value: T; validate_indices: bool = True) -> dense: T",
    host=("output_shape",),
    Tindices=INDEX,
    doc="Return a tensor with values at some places and a default at all others.",
    work=scatter_work,
)


@sparse_to_dense_op.shape
def sparse_to_dense_shape(
    sparse_indices: Static,
    output_shape: Static,
    sparse_values: Static,
    default_value: Static,
    *,
    validate_indices: bool,
) -> Dims:
    if output_shape.value is not None:
        return from_value(output_shape)
    if output_shape.shape is None or output_shape.shape[0] is None:
        return None
    return (None,) * output_shape.shape[0]


@sparse_to_dense_op.kernel
def sparse_to_dense_kernel(
    sparse_indices: torch.Tensor,
    output_shape: np.ndarray[Any, Any],
    sparse_values: Content,
    default_value: Content,
    *,
    validate_indices: bool,
) -> Any:
    places = _matrix(sparse_indices)
    if output_shape.ndim != 1:
        raise invalid(f"output_shape must be rank 1, got shape {bracketed(output_shape.shape)}")
    if places.shape[1] != len(output_shape):
        raise invalid(
            f"output_shape has incorrect number of elements: {len(output_shape)} should be: "
            f"{places.shape[1]}"
        )
    if sparse_values.ndim > 1 or (sparse_values.ndim and len(sparse_values) != len(places)):
        raise invalid(
            f"sparse_values has incorrect shape {bracketed(sparse_values.shape)}, should be [] or "
            f"[{len(places)}]"
        )
    if default_value.ndim:
        raise invalid("default_value should be a scalar.")
    if not places.is_cpu:
        if validate_indices and _has_wrong_places(places, output_shape.tolist()):
            _check_places(numbers(places), output_shape, validate_indices)
        return _dense_unchecked(places, output_shape.tolist(), sparse_values, default_value)
    return _dense_checked(
        numbers(places), output_shape, sparse_values, default_value, validate_indices
    )


def _has_wrong_places(indices: Any, shape: list[int]) -> bool:
    """Return whether a place is outside or out of order.

    TensorFlow's GPU kernel waits for that too: its answer is the one thing read.
    """
    places, inside = flat_places(indices, shape)
    is_wrong = ~inside.all() | (places.diff() <= 0).any()
    return bool(to_host(is_wrong))


def _dense_unchecked(indices: Any, shape: list[int], values: Any, default_value: Any) -> Any:
    """Return the dense tensor without a look at the places; those outside are dropped."""
    places, inside = flat_places(indices, shape)
    values = values.expand(len(places)).contiguous()
    made = default_value.expand(int(np.prod(shape, dtype=np.int64))).clone()
    if len(made):
        made.index_copy_(0, *harmless(made, places, values, inside, "update"))
    return made.reshape(shape)


def _dense_checked(
    indices: np.ndarray[Any, Any],
    output_shape: np.ndarray[Any, Any],
    sparse_values: Any,
    default_value: Any,
    validate_indices: bool,
) -> Any:
    places = _check_places(indices, output_shape, validate_indices)
    dims = output_shape.tolist()
    count = int(np.prod(output_shape, dtype=np.int64))
    if isinstance(sparse_values, np.ndarray):
        made = np.empty(count, dtype=object)
        made[...] = default_value[()]
        made[places] = sparse_values
        return made.reshape(dims)
    if not validate_indices and len(np.unique(places)) != len(places):
        places, sparse_values = _last_of_each(places, sparse_values)
    where = like(places, sparse_values)
    values = sparse_values.expand(len(places)) if not sparse_values.ndim else sparse_values
    zero, held = host_array(default_value, *_NUMBERS), host_array(values, *_NUMBERS)
    if zero is not None and held is not None and not any(zero.tobytes()):
        # The usual case. Filling memory with zeros is faster than a copy of one number repeated.
        filled = np.zeros(count, held.dtype)
        filled[places] = held
        return torch.from_numpy(filled).reshape(dims)
    return default_value.expand(count).index_put((where,), values).reshape(dims)


def _last_of_each(places: Any, values: Any) -> tuple[Any, Any]:
    backwards = places[::-1]
    kept, first = np.unique(backwards, return_index=True)
    return kept, values[like(len(places) - 1 - first, values)] if values.ndim else values


def _matrix(indices: torch.Tensor) -> Any:
    if indices.ndim > 2:
        raise invalid(
            "sparse_indices should be a scalar, vector, or matrix, got shape "
            f"{bracketed(indices.shape)}"
        )
    return indices.reshape(-1, 1) if indices.ndim < 2 else indices


def _check_places(
    indices: np.ndarray[Any, Any], shape: np.ndarray[Any, Any], validate: bool
) -> Any:
    """Return each place as one number; raise if one is outside, or not in order."""
    if not are_inside(indices, shape):
        inside = ((indices >= 0) & (indices < shape)).all(1)
        row = int(np.argmin(inside))
        raise invalid(
            f"indices[{row}] = {bracketed_row(indices[row])} is out of bounds: need 0 <= index < "
            f"{bracketed_row(shape)}"
        )
    places = flat(indices, shape)
    if validate and len(indices) > 1:
        is_wrong = places[1:] <= places[:-1]
        if is_wrong.any():
            row = int(np.argmax(is_wrong)) + 1
            if places[row] == places[row - 1]:
                raise invalid(f"indices[{row}] = {bracketed_row(indices[row])} is repeated")
            raise invalid(
                f"indices[{row}] = {bracketed_row(indices[row])} is out of order. Many sparse ops "
                "require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly "
                "ordered copy.\n\n"
            )
    return places


@sparse_to_dense_op.gradient
def sparse_to_dense_gradient(call: Call, dy: Tensor) -> Any:
    indices, _, values, default = call.inputs
    if indices.shape.rank == 0:
        indices = expand_dims(expand_dims(indices, 0), 0)
    elif indices.shape.rank == 1:
        indices = expand_dims(indices, 1)
    at_values = gather_nd(dy, indices)
    total = reduce_sum(at_values)
    return (
        None,
        None,
        total if values.shape.rank == 0 else at_values,
        reduce_sum(dy) - total if default is not None else None,
    )


def to_dense(
    sp_input: Any,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Return a sparse tensor as a plain one.

    `sp_input`: a SparseTensor.
    `default_value`: what stands where the sparse tensor has no value, 0 or '' by default.
    `validate_indices`: check that indices are in order and occur once.

    Raises InvalidArgumentError for indices out of range or, when checked, out of order, and
    TypeError if `sp_input` is not sparse.

    >>> sparse = tf.SparseTensor([[0, 1]], [5], [1, 3])
    >>> tf.sparse.to_dense(sparse).numpy()
    array([[0, 5, 0]], dtype=int32)
    """
    sp = as_sparse(sp_input)
    if default_value is None:
        default_value = convert_to_tensor(_empty(sp.dtype), sp.dtype)
    return sparse_to_dense_op(
        sp.indices,
        sp.dense_shape,
        sp.values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )


def _empty(dtype: DType) -> Any:
    if dtype is dtypes.string:
        return b""
    return False if dtype is dtypes.bool else 0


def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: ShapeLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Any:
    """Return a tensor with values at some places and a default at all others."""
    return sparse_to_dense_op(
        sparse_indices,
        output_shape,
        sparse_values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """Return the elements of a tensor that are not zero (or empty), as a sparse tensor."""
    tensor = convert_to_tensor(tensor)
    zero = convert_to_tensor(_empty(tensor.dtype), tensor.dtype)
    indices = where(not_equal(tensor, zero))
    return SparseTensor(indices, gather_nd(tensor, indices), shape(tensor, dtypes.int64))


def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Any:
    """Return, for ids at the places of a sparse tensor, True at each id in its row."""
    sp = as_sparse(sp_input)
    flags = cast(ones_like(sp.values), dtypes.bool)
    merged = sparse_merge(sp, SparseTensor(sp.indices, flags, sp.dense_shape), vocab_size)
    return to_dense(merged, default_value=False, validate_indices=False, name=name)
