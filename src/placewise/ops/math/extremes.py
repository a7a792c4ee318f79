"""Where the largest and smallest elements are: argmax, argmin, top_k."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core import dtypes
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.dtypes import INDEX, REAL, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as range_of
from placewise.ops.array.scatter import scatter_nd
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, define, op
from placewise.ops.families import bracketed
from placewise.ops.host_array import host_array
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.nn.approximate_top_k import ApproxTopK, approx_top_k_op
from placewise.ops.values import TORCH, from_numpy, to_numpy
from placewise.ops.work import reduction_work, sort_work

_POSITIONS = frozenset({dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64})


def position_shape(input: Static, dimension: Static, *, output_type: DType) -> Dims:
    """Shape rule: that of the input without one dimension."""
    if input.shape is None:
        return None
    rank = len(input.shape)
    if dimension.value is None:
        return (None,) * (rank - 1) if rank else None
    axis = int(np.asarray(dimension.value))
    if not -rank <= axis < rank:
        raise ValueError(
            f"Dimension ({axis}) must be in the range [{-rank}, {rank}), where {rank} "
            "is the number of dimensions in the input."
        )
    return tuple(d for i, d in enumerate(input.shape) if i != axis % rank)


def _position_kernel(function: Any, numpy: Any) -> Any:
    def kernel(input: Any, dimension: Any, *, output_type: Any) -> Any:
        rank = input.dim()
        axis = int(dimension)
        if not -rank <= axis < rank:
            raise invalid(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
        if input.shape[axis] == 0:
            raise invalid(
                f"Reduction axis {axis % rank} is empty in shape {bracketed(input.shape)}"
            )
        if input.dtype in _WIDE_UNSIGNED:
            return from_numpy(numpy(to_numpy(input), axis)).to(TORCH[output_type])
        array = host_array(input, torch.float32, torch.float64)
        if array is not None:
            counter = _COUNTERS.get(output_type)
            if native.code is not None and counter and array.dtype == np.float32:
                return torch.from_numpy(_places_in_c(array, axis, counter, numpy is np.argmin))
            places = _first_place(array, axis, numpy)
            if places is not None:
                return torch.from_numpy(places).to(TORCH[output_type])
        if input.dtype is torch.bool:
            input = input.to(torch.uint8)
        elif input.is_floating_point():
            input = _without_nan(input, numpy is np.argmax)
        return function(input, axis).to(TORCH[output_type])

    return kernel


_COUNTERS: dict[Any, Any] = {dtypes.int32: np.int32, dtypes.int64: np.int64}


def _places_in_c(array: np.ndarray[Any, Any], axis: int, counter: Any, is_smallest: bool) -> Any:
    axis %= array.ndim
    places = np.empty(array.shape[:axis] + array.shape[axis + 1 :], counter)
    if axis == array.ndim - 1:
        native.code.extreme_places(array, places, places.itemsize, is_smallest)
    elif places.size:
        sizes = array.shape[axis], math.prod(array.shape[axis + 1 :])
        native.code.extreme_columns(array, places, sizes, places.itemsize, is_smallest)
    return places


def _first_place(array: np.ndarray[Any, Any], axis: int, numpy: Any) -> Any:
    """Return where NumPy, faster than torch, finds the extremes; None if there is a NaN there.

    NumPy and torch stop at a NaN, TensorFlow passes it by.
    """
    places = np.asarray(numpy(array, axis))
    if axis in (-1, array.ndim - 1) and array.ndim == 2:
        extremes = array[np.arange(len(array)), places]
        # A sum of squares is NaN if one of them is, and never else.
        return None if math.isnan(np.dot(extremes, extremes)) else places
    extremes = np.take_along_axis(array, np.expand_dims(places, axis), axis)
    return None if np.isnan(extremes).any() else places


_WIDE_UNSIGNED = frozenset({torch.uint16, torch.uint32, torch.uint64})


def _without_nan(x: torch.Tensor, largest: bool) -> Any:
    """Return `x` with NaN out of the running."""
    if x.is_cpu and not math.isnan(x.sum()):
        return x  # nearly always, and known at a glance
    return x.masked_fill(torch.isnan(x), -torch.inf if largest else torch.inf)


def _check_axis(axis: int | None) -> Any:
    if axis is None:
        return 0
    if isinstance(axis, (Tensor, np.ndarray, np.generic)) or hasattr(type(axis), "__tf_tensor__"):
        return axis
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise TypeError("axis must be int or Tensor with integer datatype")
    return axis


@op(
    "ArgMax(input: T, dimension: Tidx; output_type: type = int64) -> output: output_type",
    host=("dimension",),
    T=REAL | dtypes.BOOL,
    Tidx=INDEX | {dtypes.int16},
    differentiable=False,
    result="new",
    work=reduction_work,
    output_type=_POSITIONS,
)
def argmax(
    input: TensorLike,
    axis: Any = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Return the position of the largest element along `axis`; of several the first.

    `input`: real numbers.
    `axis`: the axis to look along, 0 by default.
    `output_type`: the dtype of the positions, int64 by default.

    Raises InvalidArgumentError if the axis is empty or beyond the rank.

    >>> tf.argmax([[1, 9, 3], [7, 5, 6]], axis=1).numpy()
    array([1, 0])
    """
    kind = dtypes.as_dtype(output_type)
    return argmax.bind(convert_to_tensor(input), _check_axis(axis), output_type=kind, name=name)


argmax.shape(position_shape)
argmax.kernel(_position_kernel(torch.argmax, np.argmax))


@op(
    "ArgMin(input: T, dimension: Tidx; output_type: type = int64) -> output: output_type",
    host=("dimension",),
    T=REAL | dtypes.BOOL,
    Tidx=INDEX,
    differentiable=False,
    result="new",
    work=reduction_work,
    output_type=INDEX,
)
def argmin(
    input: TensorLike,
    axis: Any = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Return the position of the smallest element along `axis`; of several the first."""
    kind = dtypes.as_dtype(output_type)
    return argmin.bind(convert_to_tensor(input), _check_axis(axis), output_type=kind, name=name)


argmin.shape(position_shape)
argmin.kernel(_position_kernel(torch.argmin, np.argmin))

TopK = namedtuple("TopKV2", ["values", "indices"])  # type: ignore[name-match]  # TensorFlow's
TopK.__doc__ = "The largest elements and where they were."


@op(
    "TopKV2(input: T, k: Tk; sorted: bool = True, index_type: type = int32)"
    " -> values: T, indices: index_type",
    host=("k",),
    T=REAL,
    Tk=INDEX | {dtypes.int16},
    work=sort_work,
    index_type=INDEX | {dtypes.int16},
)
def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Return the `k` largest elements of each row and their positions; equals in order."""
    return TopK(*top_k.bind(input, k, sorted=sorted, index_type=index_type, name=name))


@top_k.shape
def top_k_shape(input: Static, k: Static, *, sorted: bool, index_type: DType) -> list[Dims]:
    if input.shape is None:
        return [None, None]
    if not input.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    count = None if k.value is None else int(np.asarray(k.value))
    if count is not None and input.shape[-1] is not None and input.shape[-1] < count:
        raise ValueError(f"input must have last dimension >= k = {count} but is {input.shape[-1]}")
    return [(*input.shape[:-1], count)] * 2


@top_k.kernel
def top_k_kernel(
    input: torch.Tensor, k: np.ndarray[Any, Any], *, sorted: bool, index_type: DType
) -> Any:
    if k.ndim:
        raise invalid(f"k must be scalar, got shape {bracketed(k.shape)}")
    count = int(k)
    if count < 0:
        raise invalid(f"Need k >= 0, got {count}")
    if not input.dim():
        raise invalid("input must be >= 1-D, got shape []")
    if input.shape[-1] < count:
        raise invalid(f"input must have at least k columns. Had {input.shape[-1]}, needed {count}")
    values, positions = _largest(input, count)
    return values, positions.to(TORCH[index_type])


def _signed_view(x: torch.Tensor) -> Any:
    """Return the bits of a wide unsigned type as signed ones, which torch can move."""
    kinds = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}
    return x.view(kinds[x.dtype]) if x.dtype in kinds else x


def _largest(x: torch.Tensor, count: int) -> tuple[Any, Any]:
    """Return the largest elements and their positions, equals in order, NaN last."""
    if x.dtype in _WIDE_UNSIGNED:
        order = np.argsort(~to_numpy(x), axis=-1, kind="stable")
        positions = torch.from_numpy(np.ascontiguousarray(order[..., :count]))
        return _taken(x, positions.to(x.device))
    compiled = _largest_in_c(x, count) or _all_in_c(x, count)
    if compiled is not None:
        return compiled
    values, positions = _ordered(x, count)
    # torch puts NaN first. A device is not asked whether there is any.
    if x.is_floating_point() and (not x.is_cpu or bool(torch.isnan(values[..., :1]).any())):
        _, positions = _ordered(_without_nan(x, largest=True), count)
        return _taken(x, positions)
    return values, positions


# A heap of so many is as fast as sorting; above, sorting is.
_HEAP_LIMIT = 1024


def _largest_in_c(x: torch.Tensor, count: int) -> Any:
    """Return what `_largest` does by the native module; None without it or if there is a NaN."""
    if native.code is None or not 0 < count <= _HEAP_LIMIT or not x.numel():
        return None
    array = host_array(x, torch.float32)
    if array is None or (4 * count > x.shape[-1] and x.shape[-1] > 64):
        return None
    shape = (*x.shape[:-1], count)
    values, positions = np.empty(shape, np.float32), np.empty(shape, np.int32)
    if not native.code.top_k(array, values, positions, x.numel() // x.shape[-1], count):
        return None
    return torch.from_numpy(values), torch.from_numpy(positions)


# A shorter row is in order before the native module's tables are filled.
_FEWEST_IN_C = 256


def _all_in_c(x: torch.Tensor, count: int) -> Any:
    """Return all elements in order by the native module; None where it has not the loop."""
    if native.code is None or count != x.shape[-1] or not _FEWEST_IN_C <= count < 1 << 31:
        return None
    array = host_array(x, torch.float32, torch.int32)
    if array is None or not array.size:
        return None
    values, positions = torch.empty_like(x), torch.empty(x.shape, dtype=torch.int32)
    is_float = array.dtype == np.float32
    native.code.order_rows(array, values.numpy(), positions.numpy(), count, is_float)
    return values, positions


def _taken(x: torch.Tensor, positions: torch.Tensor) -> tuple[Any, Any]:
    return torch.gather(_signed_view(x), -1, positions).view(x.dtype), positions


def _ordered(x: torch.Tensor, count: int) -> tuple[Any, Any]:
    size = x.shape[-1]
    if x.is_cpu and 0 < count < size and size > 64:
        values, positions = torch.topk(x, count, -1)
        # Without equals in reach, the faster selection gives the only possible order.
        reach = (x >= values[..., -1:]).sum(-1) == count
        apart = values[..., 1:] != values[..., :-1]
        if bool(reach.all()) and bool(apart.all()):
            return values, positions
    values, positions = torch.sort(x, dim=-1, descending=True, stable=True)
    # A view would keep all that was sorted alive.
    return values[..., :count].contiguous(), positions[..., :count].contiguous()


@top_k.gradient
def top_k_gradient(call: Call, dy: Tensor, _: Tensor) -> Any:
    x, positions = call.inputs[0], cast(call.outputs[1], dtypes.int32)
    # As one long vector: the position in the row plus where the row begins.
    shape = convert_to_tensor(shape_of(x))
    total, width = reduce_prod(shape), maximum(shape[-1], scalar(1, dtypes.int32))
    begins = reshape(range_of(0, total, width), _row_shape(shape))
    places = reshape(positions + begins, [-1, 1])
    flat = scatter_nd(places, reshape(dy, [-1]), reshape(total, [1]))
    return reshape(flat, shape), None


def _row_shape(shape: Tensor) -> Any:
    """Return a shape with its last dimension replaced by 1."""
    return concat([shape[:-1], convert_to_tensor([1])], 0)


_in_top_k = define(
    "InTopKV2(predictions: float32, targets: T, k: T) -> precision: bool",
    T=INDEX,
    host=("k",),
    differentiable=False,
    doc="Return whether each target is among the k largest predictions.",
    result="new",
    work=reduction_work,
    default_types={"T": dtypes.int32},
)


@_in_top_k.shape
def in_top_k_shape(predictions: Static, targets: Static, k: Static) -> Dims:
    if predictions.shape is not None and len(predictions.shape) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(predictions.shape)}")
    if targets.shape is not None and len(targets.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(targets.shape)}")
    first = predictions.shape[0] if predictions.shape is not None else None
    return (first if targets.shape is None or targets.shape[0] is None else targets.shape[0],)


@_in_top_k.kernel
def in_top_k_kernel(
    predictions: torch.Tensor, targets: torch.Tensor, k: np.ndarray[Any, Any]
) -> Any:
    if predictions.dim() != 2:
        raise invalid("predictions must be 2-dimensional")
    if targets.dim() != 1:
        raise invalid("targets must be 1-dimensional")
    rows, classes = predictions.shape
    if rows != targets.shape[0]:
        raise invalid(
            f"First dimension of predictions {rows} must match length of targets {targets.shape[0]}"
        )
    array = host_array(predictions, torch.float32) if native.code is not None else None
    wanted_array = None if array is None else host_array(targets.long(), torch.int64)
    if array is not None and wanted_array is not None:
        precision = np.zeros(rows, bool)
        native.code.in_top_k(array, wanted_array, precision, int(k))
        return torch.from_numpy(precision)
    inside = (targets >= 0) & (targets < classes)
    if not classes:
        return torch.zeros(rows, dtype=torch.bool, device=predictions.device)
    at = targets.clamp(0, classes - 1).long().unsqueeze(1)
    wanted = predictions.gather(1, at)
    better = (predictions > wanted).sum(1)
    # A row with anything not finite up to its target's rank says nothing.
    finite = torch.isfinite(wanted).squeeze(1) & torch.isfinite(predictions).all(1)
    return inside & finite & (better < int(k))


def in_top_k(
    targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None
) -> Any:
    """Return whether each target is among the `k` classes predicted strongest."""
    return _in_top_k(predictions, targets, k, name)


def approx_top_k(
    input: TensorLike,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Return the `k` largest or smallest elements along a dimension and their positions."""
    return ApproxTopK(
        *approx_top_k_op(
            input,
            k=k,
            reduction_dimension=reduction_dimension,
            recall_target=recall_target,
            is_max_k=is_max_k,
            reduction_input_size_override=reduction_input_size_override,
            aggregate_to_topk=aggregate_to_topk,
            name=name,
        )
    )
