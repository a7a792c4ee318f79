"""Reductions over segments of rows: ids in order, one id a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise import native
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, NUMBERS, REAL
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.memory.host import reserve_by_value
from placewise.ops import lazy
from placewise.ops.array.creation import fill, ones_like
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.convert import scalar
from placewise.ops.declare import Call, op
from placewise.ops.families import is_wide_unsigned
from placewise.ops.host_array import host_array
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.values import from_numpy, to_numpy
from placewise.ops.work import reduction_work

_UFUNCS = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def scattered(
    data: torch.Tensor,
    ids: torch.Tensor,
    count: int,
    how: str,
    start: float,
    drops: bool | None = None,
) -> Any:
    """Return rows of `data` combined by id into `count` rows; `start` fills rows without data.

    `how` is sum, prod, amax or amin. `drops` says whether ids may be out of range: their rows are
    left out. On a device they always may, for nobody has looked at them.
    """
    if drops is None:
        drops = not data.is_cpu
    if drops:
        # One row more than wanted takes what is left out: torch accepts no id out of range.
        ids = torch.where((ids >= 0) & (ids < count), ids, count)
        return scattered(data, ids, count + 1, how, start, False)[:count]
    shape = (count, *data.shape[1:])
    if data.is_cpu:
        reserve_by_value(shape, data.dtype)
    if is_wide_unsigned(data) or (how == "prod" and data.is_complex()):
        array = np.full(shape, start, dtype=to_numpy(data).dtype)
        with np.errstate(all="ignore"):
            _UFUNCS[how].at(array, to_numpy(ids), to_numpy(data))
        return from_numpy(array)
    if how == "sum":
        added = _added_in_c(data, ids, shape)
        if added is not None:
            return added
        return torch.zeros(shape, dtype=data.dtype, device=data.device).index_add_(0, ids, data)
    made = torch.full(shape, start, dtype=data.dtype, device=data.device)
    spread = ids.long().reshape(-1, *[1] * (data.dim() - 1)).expand(data.shape)
    return made.scatter_reduce_(0, spread, data, how, include_self=how == "prod")


def _added_in_c(data: torch.Tensor, ids: torch.Tensor, shape: tuple[int, ...]) -> Any:
    """Return rows added up by the native module, in torch's order; None where torch adds them.

    torch makes a call for each row.
    """
    rows = host_array(data, torch.float32) if native.code is not None else None
    if rows is None or not rows.size or not shape[0] or ids.shape != data.shape[:1]:
        return None
    places = host_array(ids, torch.int32, torch.int64)
    if places is None:
        return None
    sums = torch.zeros(shape)
    try:
        native.code.add_rows(rows, places, sums.numpy(), rows.size // len(rows), places.itemsize)
    except ValueError:  # an id out of range, for which torch has words
        return None
    return sums


def counts(ids: torch.Tensor, count: int, like: torch.Tensor) -> Any:
    """Return how many rows each segment has, at least 1, as a column that divides rows of `like`.

    It lies where `like` does: `ids` must be there too.
    """
    ids = ids.long()
    made = scattered(torch.ones_like(ids), ids, count, "sum", 0).clamp_(min=1)
    return made.reshape(-1, *[1] * (like.dim() - 1))


def checked_ids(data: torch.Tensor, segment_ids: torch.Tensor) -> int:
    """Return the number of segments; raise if the ids are not in order or of another length."""
    if not data.dim():
        raise invalid("input must be at least rank 1")
    if segment_ids.dim() != 1:
        raise invalid("segment_ids should be a vector.")
    if segment_ids.shape[0] != data.shape[0]:
        raise invalid("segment_ids should be the same size as dimension 0 of input.")
    return ordered(segment_ids)


def ordered(segment_ids: torch.Tensor) -> int:
    """Return the number of segments that ids in order name; raise if they are not in order.

    On a device the order is not checked, but the last id must be read: it decides the shape of the
    result. TensorFlow waits for it, too.
    """
    if not segment_ids.numel():
        return 0
    last = int(segment_ids[-1])
    if not segment_ids.is_cpu:
        return max(last + 1, 0)
    first = int(segment_ids[0])
    if not _ascends(to_numpy(segment_ids)):
        raise invalid("segment ids are not increasing")
    if first < 0:
        raise invalid(
            f"Segment id {first} out of range [0, {last + 1}), possibly because "
            "'segment_ids' input is not sorted."
        )
    return last + 1


def _ascends(ids: np.ndarray[Any, Any]) -> bool:
    if native.code is not None and ids.dtype.itemsize in (4, 8):
        return native.code.ascends(np.ascontiguousarray(ids), ids.dtype.itemsize)
    return not (ids[1:] < ids[:-1]).any()  # NumPy's loops over booleans are faster than torch's


def segment_shape(data: Static, segment_ids: Static, *_: Static) -> Dims:
    """Shape rule: rows are the segments, whose number the values of the ids decide."""
    if segment_ids.shape is not None and len(segment_ids.shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(segment_ids.shape)}")
    if data.shape is None:
        return None
    if not data.shape:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    return (None, *data.shape[1:])


def _kernel(how: str, start: int) -> Any:
    def kernel(data: Any, segment_ids: Any) -> Any:
        return scattered(data, segment_ids, checked_ids(data, segment_ids), how, start)

    return kernel


_OPTIONS: dict[str, Any] = {"Tindices": INDEX}


@op(
    "SegmentSum(data: T, segment_ids: Tindices) -> output: T",
    T=NUMBERS,
    **_OPTIONS,
    work=reduction_work,
)
def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Any:
    """Return the sum of the rows of each segment; ids are in order."""
    return segment_sum.bind(data, segment_ids, name)


segment_sum.shape(segment_shape)
segment_sum.kernel(_kernel("sum", 0))


@segment_sum.gradient
def segment_sum_gradient(call: Call, dy: Tensor) -> Any:
    return gather(dy, call.inputs[1]), None


@op(
    "SegmentMean(data: T, segment_ids: Tindices) -> output: T",
    T=NUMBERS,
    **_OPTIONS,
    work=reduction_work,
)
def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Any:
    """Return the mean of the rows of each segment; 0 where there is none."""
    return segment_mean.bind(data, segment_ids, name)


segment_mean.shape(segment_shape)


@segment_mean.kernel
def segment_mean_kernel(data: torch.Tensor, segment_ids: torch.Tensor) -> Any:
    count = checked_ids(data, segment_ids)
    if is_wide_unsigned(data):
        total = to_numpy(scattered(data, segment_ids, count, "sum", 0))
        each = to_numpy(counts(segment_ids, count, data))
        return from_numpy((total // each).astype(total.dtype))
    total = scattered(data, segment_ids, count, "sum", 0)
    each = counts(segment_ids, count, data)
    if data.is_floating_point() or data.is_complex():
        return total / each.to(data.dtype)
    return torch.div(total, each, rounding_mode="trunc").to(data.dtype)


@segment_mean.gradient
def segment_mean_gradient(call: Any, dy: Any) -> Any:
    data, ids = call.inputs
    shape = shape_of(data)
    rows = (
        [shape[0], *[1] * (len(data._shape_tuple) - 1)] if data._shape_tuple is not None else None
    )
    ones = ones_like(reshape(data, [shape[0], -1])[:, :1]) if rows is None else None
    if ones is None:
        ones = fill(rows, scalar(1, data.dtype))
    size = segment_sum(ones, ids)
    return gather(dy / size, ids), None


def extremum_gradient(call: Call, dy: Tensor) -> Any:
    """Share each gradient among the rows that are equal to their segment's extremum."""
    data, ids = call.inputs
    hits = cast(equal(data, gather(call.output, ids)), data.dtype)
    shared = dy / segment_sum(hits, ids)
    return hits * gather(shared, ids), None


@op(
    "SegmentMax(data: T, segment_ids: Tindices) -> output: T",
    T=REAL,
    **_OPTIONS,
    work=reduction_work,
)
def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Any:
    """Return the largest of the rows of each segment; 0 where there is none."""
    return segment_max.bind(data, segment_ids, name)


segment_max.shape(segment_shape)
segment_max.kernel(_kernel("amax", 0))
segment_max.gradient(extremum_gradient)


@op(
    "SegmentMin(data: T, segment_ids: Tindices) -> output: T",
    T=REAL,
    **_OPTIONS,
    work=reduction_work,
)
def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Any:
    """Return the smallest of the rows of each segment; 0 where there is none."""
    return segment_min.bind(data, segment_ids, name)


segment_min.shape(segment_shape)
segment_min.gradient(extremum_gradient)


@segment_min.kernel
def segment_min_kernel(data: torch.Tensor, segment_ids: torch.Tensor) -> Any:
    count = checked_ids(data, segment_ids)
    if not is_wide_unsigned(data):
        return scattered(data, segment_ids, count, "amin", 0)
    made = to_numpy(scattered(data, segment_ids, count, "amin", np.iinfo(to_numpy(data).dtype).max))
    empty = np.bincount(to_numpy(segment_ids), minlength=count) == 0
    made[empty] = 0
    return from_numpy(made)


@op(
    "SegmentProd(data: T, segment_ids: Tindices) -> output: T",
    T=NUMBERS,
    gpu_types=REAL,
    **_OPTIONS,
    work=reduction_work,
)
def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Any:
    """Return the product of the rows of each segment; 1 where there is none."""
    return segment_prod.bind(data, segment_ids, name)


segment_prod.shape(segment_shape)
segment_prod.kernel(_kernel("prod", 1))


@segment_prod.gradient
def segment_prod_gradient(call: Call, dy: Tensor) -> Any:
    data, ids = call.inputs
    return lazy.product_gradient(data, ids, call.output, dy, segment_prod, segment_sum), None
