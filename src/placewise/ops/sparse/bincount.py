"""`tf.sparse.bincount`: how often each number occurs, as a sparse tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import AxisLike, TensorLike
from placewise.core.dtypes import INDEX
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, define
from placewise.ops.families import bracketed
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.places import numbers
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.values import from_numpy

_COUNTS = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})
_ATTRS = "; minlength: int >= -1 = -1, maxlength: int >= -1 = -1, binary_output: bool"
_OUTPUTS = " -> output_indices: int64, output_values: output_type, output_dense_shape: int64"


def _declare(signature: str, doc: str, host: tuple[str, ...] = ()) -> Bind:
    return define(
        signature + _OUTPUTS,
        devices=("CPU",),
        host=host,
        differentiable=False,
        T=INDEX,
        output_type=_COUNTS,
        doc=doc,
    )


dense_count = _declare(
    f"DenseCountSparseOutput(values: T, weights: output_type{_ATTRS})",
    "Return how often each number occurs in each row of a tensor.",
)
sparse_count = _declare(
    "SparseCountSparseOutput(indices: int64, values: T, dense_shape: int64,"
    f" weights: output_type{_ATTRS})",
    "Return how often each number occurs in each row of a sparse tensor.",
    ("dense_shape",),
)
ragged_count = _declare(
    f"RaggedCountSparseOutput(splits: int64, values: T, weights: output_type{_ATTRS})",
    "Return how often each number occurs in each row of a ragged tensor.",
)


def _counted(
    values: torch.Tensor,
    rows: np.ndarray[Any, Any],
    count: int | None,
    weights: torch.Tensor,
    minlength: int,
    maxlength: int,
    binary_output: bool,
) -> Any:
    """Return the parts of the result; `count` rows, or None for a vector of counts."""
    numbers_there, worth = numbers(values).reshape(-1), numbers(weights).reshape(-1)
    if len(numbers_there) and numbers_there.min() < 0:
        raise invalid("Input values must all be non-negative")
    if len(worth) and len(worth) != len(numbers_there):
        raise invalid(
            "Weights and values must have the same shape. Weight shape: "
            f"{bracketed(weights.shape)}; values shape: {bracketed(values.shape)}"
        )
    width = int(numbers_there.max()) + 1 if len(numbers_there) else 1
    if maxlength >= 0:
        inside = numbers_there < maxlength
        numbers_there, rows = numbers_there[inside], rows[inside]
        worth = worth[inside] if len(worth) else worth
        width = maxlength
    elif minlength >= 0:
        width = max(width, minlength)
    keys = np.stack([rows, numbers_there], 1) if len(rows) else np.zeros((0, 2), np.int64)
    found, inverse = np.unique(keys, axis=0, return_inverse=True)
    totals = np.zeros(len(found), worth.dtype)
    if binary_output:
        totals[...] = 1
    else:
        np.add.at(totals, inverse.reshape(-1), worth if len(worth) else 1)
    places = found.astype(np.int64)
    if count is None:
        return from_numpy(places[:, 1:]), from_numpy(totals), torch.tensor([width])
    return from_numpy(places), from_numpy(totals), torch.tensor([count, width])


def _counts_shape(rank: int | None) -> list[Dims]:
    return [(None, rank), (None,), (rank,)]


@dense_count.shape
def dense_count_shape(values: Static, weights: Static, **_: object) -> list[Dims]:
    return _counts_shape(None if values.shape is None else len(values.shape))


@dense_count.kernel
def dense_count_kernel(values: torch.Tensor, weights: torch.Tensor, **attrs: Any) -> Any:
    if values.ndim not in (1, 2):
        raise invalid(f"Input must be a 1 or 2-dimensional tensor. Got: {bracketed(values.shape)}")
    if weights.numel() and weights.shape != values.shape:
        raise invalid(
            "Weights and values must have the same shape. Weight shape: "
            f"{bracketed(weights.shape)}; values shape: {bracketed(values.shape)}"
        )
    if values.ndim == 2 and not len(values):
        raise invalid("Invalid input: Shapes dimension cannot be 0.")
    if values.ndim == 1:
        return _counted(values, np.zeros(len(values), np.int64), None, weights, **attrs)
    count, each = values.shape
    return _counted(values, np.repeat(np.arange(count), each), count, weights, **attrs)


@sparse_count.shape
def sparse_count_shape(
    indices: Static, values: Static, dense_shape: Static, weights: Static, **_: object
) -> list[Dims]:
    return _counts_shape(dense_shape.shape[0] if dense_shape.shape else None)


@sparse_count.kernel
def sparse_count_kernel(
    indices: torch.Tensor,
    values: torch.Tensor,
    dense_shape: np.ndarray[Any, Any],
    weights: torch.Tensor,
    **attrs: Any,
) -> Any:
    array = numbers(indices)
    if array.ndim != 2:
        raise invalid(
            f"Input indices must be a 2-dimensional tensor. Got: {bracketed(array.shape)}"
        )
    if len(array) != len(values):
        raise invalid(
            "Number of values must match first dimension of indices. Got "
            f"{len(values)} values, indices shape: {bracketed(array.shape)}"
        )
    if array.shape[1] != len(dense_shape):
        raise invalid(f"Dense shape must have {array.shape[1]} elements, got {len(dense_shape)}")
    if len(dense_shape) == 1:
        return _counted(values, np.zeros(len(values), np.int64), None, weights, **attrs)
    if len(array) and (array[:, 0].min() < 0 or array[:, 0].max() >= dense_shape[0]):
        raise invalid(
            "Indices value along the first dimension must be lower than the first index "
            "of the shape."
        )
    return _counted(values, array[:, 0], int(dense_shape[0]), weights, **attrs)


@ragged_count.shape
def ragged_count_shape(splits: Static, values: Static, weights: Static, **_: object) -> list[Dims]:
    return _counts_shape(2)


@ragged_count.kernel
def ragged_count_kernel(
    splits: torch.Tensor, values: torch.Tensor, weights: torch.Tensor, **attrs: Any
) -> Any:
    cuts = numbers(splits)
    if not len(cuts):
        raise invalid("Must provide at least 2 elements for the splits argument")
    if cuts[0] != 0:
        raise invalid(f"Splits must start with 0, not with {cuts[0]}")
    if cuts[-1] != len(values):
        raise invalid(
            f"Splits must end with the number of values, got {cuts[-1]} instead of {len(values)}"
        )
    lengths = np.diff(cuts)
    if (lengths < 0).any():
        raise invalid("Splits must be non-decreasing")
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return _counted(values, rows, len(lengths), weights, **attrs)


def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: AxisLike = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Return how often each number occurs, overall (axis 0) or in each row (axis -1)."""
    if axis not in (0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    composite = isinstance(values, (SparseTensor, RaggedTensor))
    if not composite:
        values = convert_to_tensor(values)
    attrs = {
        "minlength": -1 if minlength is None else int(minlength),
        "maxlength": -1 if maxlength is None else int(maxlength),
        "binary_output": binary_output,
    }
    worth = _weights(weights, values)
    if isinstance(values, RaggedTensor) and axis == -1:
        parts = ragged_count(values.row_splits, values.values, worth, **attrs, name=name)
    elif isinstance(values, SparseTensor) and axis == -1:
        parts = sparse_count(
            values.indices, values.values, values.dense_shape, worth, **attrs, name=name
        )
    else:
        flat = values
        if isinstance(values, RaggedTensor):
            flat = values.flat_values
        elif isinstance(values, SparseTensor):
            flat = values.values
        if axis == 0:
            flat = reshape(flat, [-1])
            worth = reshape(worth, [-1])
        parts = dense_count(flat, worth, **attrs, name=name)
    return SparseTensor(*parts)


def _weights(weights: Any, values: TensorLike) -> Any:
    if weights is None:
        return convert_to_tensor(np.zeros(0, np.int32))
    if isinstance(weights, SparseTensor):
        return weights.values
    if isinstance(weights, RaggedTensor):
        return weights.flat_values
    return convert_to_tensor(weights)
