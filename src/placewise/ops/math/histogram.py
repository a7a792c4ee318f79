"""Counting: bincount, histograms, confusion matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import AxisLike, DTypeLike, TensorLike
from placewise.core.dtypes import INDEX, DType, as_dtype
from placewise.core.errors import InvalidArgumentError, invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.memory.host import reserve_by_value
from placewise.ops.array.concat import stack
from placewise.ops.array.creation import ones_like
from placewise.ops.array.scatter import scatter_nd
from placewise.ops.array.shape import reshape, size, squeeze
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.math.arithmetic import maximum, minimum, multiply
from placewise.ops.math.cast import cast
from placewise.ops.math.clip import clip_by_value
from placewise.ops.math.comparison import greater
from placewise.ops.math.division import truediv
from placewise.ops.math.reduction import reduce_max
from placewise.ops.math.rounding import floor
from placewise.ops.math.segments import scattered
from placewise.ops.values import TORCH, EagerTensor, to_numpy
from placewise.ops.work import reduction_work

_WEIGHTS = frozenset({dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})


def _binned(rows: torch.Tensor, width: int, weights: torch.Tensor, binary: bool) -> Any:
    """Return how often each number below `width` occurs in each row, or the sum of its weights."""
    kind = weights.dtype
    if rows.is_cpu:
        reserve_by_value((rows.shape[0], width), kind)
    made = torch.zeros(rows.shape[0], width, dtype=kind, device=rows.device)
    if not width:
        return made
    if len(rows) == 1 and not weights.numel() and not binary and rows.is_cpu:
        counted = torch.bincount(rows[0], minlength=width)[:width]  # nothing is negative here
        return counted.to(kind).unsqueeze(0)
    inside = (rows >= 0) & (rows < width)  # on a device, nobody has looked for negative ones
    at = rows.clamp(0, width - 1).long()
    if binary:
        return made.scatter_reduce_(1, at, inside.to(kind), "amax")
    worth = inside.to(kind)
    if weights.numel():
        worth = weights.reshape(rows.shape).masked_fill(~inside, 0)
    return made.scatter_add_(1, at, worth)


def _check_bins(values: torch.Tensor, width: int, weights: Any) -> None:
    """Refuse what cannot be counted. `weights`: as many as values, or none."""
    if width < 0:
        raise invalid(f"size ({width}) must be non-negative")
    if weights.numel() and weights.shape != values.shape:
        raise invalid(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which "
            "case it acts as all weights equal to 1. Received "
            f"{bracketed(weights.shape)}"
        )
    if values.is_cpu and values.numel() and int(values.min()) < 0:
        raise invalid("Input arr must be non-negative!")


dense_bincount_op = define(
    "DenseBincount(input: Tidx, size: Tidx, weights: T; binary_output: bool = False) -> output: T",
    host=("size",),
    Tidx=INDEX,
    T=_WEIGHTS,
    doc="Return how often each number occurs in each row.",
    work=reduction_work,
    default_types={"Tidx": None},
)


@dense_bincount_op.shape
def dense_bincount_shape(
    input: Static, size: Static, weights: Static, *, binary_output: bool
) -> Dims:
    if input.shape is None:
        return None
    if len(input.shape) > 2:
        raise ValueError(f"Shape must be at most rank 2 but is rank {len(input.shape)}")
    width = None if size.value is None else int(np.asarray(size.value))
    return (*input.shape[:-1], width)


@dense_bincount_op.kernel
def dense_bincount_kernel(
    input: torch.Tensor, size: np.ndarray[Any, Any], weights: torch.Tensor, *, binary_output: bool
) -> Any:
    if input.dim() > 2:
        raise invalid(f"Shape must be at most rank 2 but is rank {input.dim()}")
    width = int(size)
    _check_bins(input, width, weights)
    rows = input.reshape(1, -1) if input.dim() < 2 else input
    made = _binned(rows, width, weights, binary_output)
    return made if input.dim() == 2 else made[0]


@dense_bincount_op.gradient
def dense_bincount_gradient(call: Call, dy: Tensor) -> Any:
    return None, None, None


_bincount = define(
    "Bincount(arr: int32, size: int32, weights: T) -> bins: T",
    host=("size",),
    T=_WEIGHTS,
    differentiable=False,
    doc="Return how often each number below `size` occurs.",
    work=reduction_work,
)


@_bincount.shape
def bincount_shape(arr: Static, size: Static, weights: Static) -> Dims:
    return (None if size.value is None else int(np.asarray(size.value)),)


@_bincount.kernel
def bincount_kernel(arr: torch.Tensor, size: np.ndarray[Any, Any], weights: torch.Tensor) -> Any:
    width = int(size)
    _check_bins(arr, width, weights)
    return _binned(arr.reshape(1, -1), width, weights, False)[0]


ragged_bincount_op = define(
    "RaggedBincount(splits: int64, values: Tidx, size: Tidx, weights: T;"
    " binary_output: bool = False) -> output: T",
    host=("size",),
    Tidx=INDEX,
    T=_WEIGHTS,
    devices=("CPU",),
    differentiable=False,
    doc="Return how often each number occurs in each row of a ragged tensor.",
    default_types={"Tidx": None},
)


@ragged_bincount_op.shape
def ragged_bincount_shape(
    splits: Static, values: Static, size: Static, weights: Static, *, binary_output: bool
) -> Dims:
    rows = None if splits.shape is None or splits.shape[0] is None else splits.shape[0] - 1
    return (rows, None if size.value is None else int(np.asarray(size.value)))


@ragged_bincount_op.kernel
def ragged_bincount_kernel(
    splits: torch.Tensor,
    values: torch.Tensor,
    size: np.ndarray[Any, Any],
    weights: torch.Tensor,
    *,
    binary_output: bool,
) -> Any:
    width = int(size)
    weights = _as_many(weights, values)
    _check_bins(values, width, weights)
    if not splits.numel():
        raise invalid("Splits must be non-empty")
    if int(splits[0]) != 0:
        raise invalid(f"Splits must start with 0, not with {int(splits[0])}")
    if int(splits[-1]) != values.numel():
        raise invalid(
            f"Splits must end with the number of values, got {int(splits[-1])} instead "
            f"of {values.numel()}"
        )
    row = torch.repeat_interleave(splits[1:] - splits[:-1])
    return _binned_rows(row, values, splits.numel() - 1, width, weights, binary_output)


def _binned_rows(
    row: torch.Tensor,
    values: torch.Tensor,
    rows: int,
    width: int,
    weights: torch.Tensor,
    binary: bool,
) -> Any:
    """Return how often each number occurs in each row, given the row of each number."""
    reserve_by_value((rows, width), weights.dtype)
    inside = values < width
    places = (row * width + values)[inside].long()
    worth = weights[inside] if weights.numel() else torch.ones_like(places, dtype=weights.dtype)
    made = torch.zeros(rows * width, dtype=weights.dtype)
    if binary:
        made[places] = 1
    else:
        made.index_add_(0, places, worth)
    return made.reshape(rows, width)


sparse_bincount_op = define(
    "SparseBincount(indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T;"
    " binary_output: bool = False) -> output: T",
    host=("dense_shape", "size"),
    Tidx=INDEX,
    T=_WEIGHTS,
    devices=("CPU",),
    differentiable=False,
    doc="Return how often each number occurs in each row of a sparse tensor.",
    default_types={"Tidx": None},
)


@sparse_bincount_op.shape
def sparse_bincount_shape(
    indices: Static,
    values: Static,
    dense_shape: Static,
    size: Static,
    weights: Static,
    *,
    binary_output: bool,
) -> Dims:
    width = None if size.value is None else int(np.asarray(size.value))
    if dense_shape.value is None:
        return None
    dims = np.asarray(dense_shape.value).reshape(-1).tolist()
    return (width,) if len(dims) < 2 else (dims[0], width)


@sparse_bincount_op.kernel
def sparse_bincount_kernel(
    indices: torch.Tensor,
    values: torch.Tensor,
    dense_shape: np.ndarray[Any, Any],
    size: np.ndarray[Any, Any],
    weights: torch.Tensor,
    *,
    binary_output: bool,
) -> Any:
    width = int(size)
    weights = _as_many(weights, values)
    _check_bins(values, width, weights)
    _check_parts(indices, values, dense_shape)
    dims = dense_shape.tolist()
    if len(dims) < 2:
        row = torch.zeros_like(values)
        return _binned_rows(row, values, 1, width, weights, binary_output)[0]
    return _binned_rows(indices[:, 0], values, dims[0], width, weights, binary_output)


def _as_many(weights: torch.Tensor, values: torch.Tensor) -> Any:
    """Return weights in the shape of the values, whatever shape they have, if they are as many."""
    return weights.reshape(values.shape) if weights.numel() == values.numel() else weights


def _check_parts(indices: torch.Tensor, values: torch.Tensor, shape: np.ndarray[Any, Any]) -> None:
    """Refuse parts that make no sparse tensor."""
    if indices.dim() != 2:
        raise invalid(f"Sparse indices must be rank 2 but is rank {indices.dim()}")
    if shape.ndim != 1:
        raise invalid(f"Sparse shape must be rank 1 but is rank {shape.ndim}")
    rank = indices.shape[1]
    if rank != len(shape):
        raise invalid(f"Index rank ({rank}) and shape rank ({len(shape)}) do not match")
    if len(indices) != values.numel():
        raise invalid(
            f"Number of elements in indices ({len(indices)}) and values ({values.numel()}) do not "
            "match"
        )
    outside = ((indices < 0) | (indices >= torch.from_numpy(shape))).any(1)
    if bool(outside.any()):
        first = int(outside.to(torch.uint8).argmax())
        raise invalid(
            f"Sparse index tuple indices[{first}, :] = {indices[first].tolist()} is out of bounds"
        )


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
    axis: AxisLike | None = None,
    binary_output: bool = False,
) -> Any:
    """Return how often each number from 0 up occurs; per row with axis -1, else overall."""
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    arr = convert_to_tensor(arr)
    if arr.dtype not in INDEX:
        arr = cast(arr, dtypes.int32)
    if axis in (None, 0):
        arr = reshape(arr, [-1])
        weights = None if weights is None else reshape(convert_to_tensor(weights), [-1])
    width = _width(arr, minlength, maxlength)
    if weights is None:
        weights = convert_to_tensor([], as_dtype(dtype))
    return dense_bincount_op(arr, width, weights, binary_output=binary_output, name=name)


def _width(arr: Any, minlength: Any, maxlength: Any) -> Any:
    some = cast(greater(size(arr), scalar(0, dtypes.int32)), arr.dtype)
    width = multiply(some, reduce_max(arr) + scalar(1, arr.dtype))
    if minlength is not None:
        width = maximum(width, convert_to_tensor(minlength, arr.dtype))
    if maxlength is not None:
        width = minimum(width, convert_to_tensor(maxlength, arr.dtype))
    return width


_histogram = define(
    "HistogramFixedWidth(values: T, value_range: T, nbins: int32; dtype: type = int32)"
    " -> out: dtype",
    host=("value_range", "nbins"),
    T=_WEIGHTS,
    differentiable=False,
    doc="Return how many values fall into each of `nbins` equal parts of a range.",
    work=reduction_work,
    dtype=INDEX,
)


@_histogram.shape
def histogram_shape(values: Static, value_range: Static, nbins: Static, *, dtype: DType) -> Dims:
    return (None if nbins.value is None else int(np.asarray(nbins.value)),)


@_histogram.kernel
def histogram_kernel(
    values: torch.Tensor,
    value_range: np.ndarray[Any, Any],
    nbins: np.ndarray[Any, Any],
    *,
    dtype: DType,
) -> Any:
    count = int(nbins)
    if count <= 0:
        raise invalid(f"nbins should be a positive number, but got '{count}'")
    if tuple(value_range.shape) != (2,):
        raise invalid("value_range should be a vector of 2 elements.")
    low, high = value_range.tolist()
    if not low < high:
        raise invalid(
            "value_range should satisfy value_range[0] < value_range[1], but got "
            f"'[{low:g}, {high:g}]'"
        )
    if values.is_cpu and values.is_floating_point() and bool(torch.isnan(values).any()):
        raise invalid("Histogram values must not contain NaN")
    wide = values.reshape(-1).double()
    at = torch.floor((wide - low) / ((high - low) / count)).clamp(0, count - 1)
    if values.is_cpu:
        return torch.bincount(at.long(), minlength=count).to(TORCH[dtype])
    ones = torch.ones_like(at, dtype=TORCH[dtype])
    return scattered(ones, torch.nan_to_num(at, nan=-1.0).long(), count, "sum", 0)


def histogram_fixed_width(
    values: TensorLike,
    value_range: Sequence[Any],
    nbins: Any = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return how many values fall into each of `nbins` equal parts of a range, ends included."""
    return _histogram(values, value_range, nbins, dtype=as_dtype(dtype), name=name)


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: Sequence[Any],
    nbins: Any = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return in which of `nbins` equal parts of a range each value falls."""
    values = convert_to_tensor(values)
    bounds = convert_to_tensor(value_range, dtype_hint=values.dtype)
    bins = cast(convert_to_tensor(nbins, dtypes.int32), dtypes.int32)
    scaled = truediv(values - bounds[0], bounds[1] - bounds[0])
    bins = cast(bins, scaled.dtype)
    at = clip_by_value(
        floor(multiply(bins, scaled)), scalar(0, bins.dtype), bins - scalar(1, bins.dtype)
    )
    return cast(at, as_dtype(dtype), name)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: TensorLike | None = None,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return how often each class (row) was predicted as each class (column)."""
    labels, predictions = _squeezed(convert_to_tensor(labels), convert_to_tensor(predictions))
    predictions, labels = cast(predictions, dtypes.int64), cast(labels, dtypes.int64)
    if num_classes is None:
        num_classes = maximum(reduce_max(predictions), reduce_max(labels)) + scalar(1, dtypes.int64)
    else:
        num_classes = cast(convert_to_tensor(num_classes), dtypes.int64)
        _below(labels, num_classes, "labels")
        _below(predictions, num_classes, "predictions")
    _not_negative(labels, "labels")
    _not_negative(predictions, "predictions")
    if weights is not None:
        weights = cast(convert_to_tensor(weights), as_dtype(dtype))
    places = stack([labels, predictions], axis=1)
    values = ones_like(predictions, dtype) if weights is None else weights
    del name
    return scatter_nd(places, values, stack([num_classes, num_classes]))


def _squeezed(labels: Any, predictions: Any) -> tuple[Any, Any]:
    given, other = labels._shape_tuple, predictions._shape_tuple
    if given is None or other is None:
        return labels, predictions
    if len(other) - len(given) == 1 and other[-1] in (1, None):
        return labels, squeeze(predictions, [-1])
    if len(given) - len(other) == 1 and given[-1] in (1, None):
        return squeeze(labels, [-1]), predictions
    return labels, predictions


def _not_negative(x: Any, what: str) -> None:
    if isinstance(x, EagerTensor) and x._value.numel() and int(x._value.min()) < 0:
        values = [str(v) for v in x._value.reshape(-1)[:20].tolist()]
        raise InvalidArgumentError(
            None,
            None,
            f"`{what}` contains negative values.  \nCondition x >= 0 did not hold element-wise:\n"
            f"x (shape={x.shape} dtype={x.dtype.name}) = \n{values}",
        )


def _below(x: Tensor, bound: Tensor, what: str) -> None:
    if isinstance(x, EagerTensor) and isinstance(bound, EagerTensor) and x._value.numel():
        limit = int(bound._value)
        if int(x._value.max()) >= limit:
            shown = to_numpy(x._value.reshape(-1)[:3])
            raise InvalidArgumentError(
                None,
                None,
                f"`{what}` out of bound\nCondition x < y did not hold.\nFirst "
                f"{len(shown)} elements of x:\n{shown}\nFirst 1 elements of y:\n[{limit}]",
            )
