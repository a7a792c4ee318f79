"""Reductions over segments whose ids come in any order and shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, NUMBERS, REAL, int16, int32
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.creation import ones, ones_like, zeros_like
from placewise.ops.array.gather import gather
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.declare import Call, op
from placewise.ops.families import bracketed
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, greater, greater_equal
from placewise.ops.math.division import real_divide, truediv
from placewise.ops.math.exponential import sqrt
from placewise.ops.math.logic import logical_and
from placewise.ops.math.segments import scattered
from placewise.ops.work import scatter_work


def unsorted_shape(data: Static, segment_ids: Static, num_segments: Static) -> Dims:
    """Shape rule: the dimensions of the ids give way to the number of segments."""
    if data.shape is None or segment_ids.shape is None:
        return None
    prefix = data.shape[: len(segment_ids.shape)]
    fits = len(prefix) == len(segment_ids.shape) and all(
        a is None or b is None or a == b for a, b in zip(prefix, segment_ids.shape, strict=True)
    )
    if not fits:
        raise ValueError(
            f"data.shape = {bracketed(data.shape)} does not start with "
            f"segment_ids.shape = {bracketed(segment_ids.shape)}"
        )
    count = None if num_segments.value is None else int(np.asarray(num_segments.value))
    if count is not None and count < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 2, must be non-negative but is {count}"
        )
    return (count, *data.shape[len(segment_ids.shape) :])


def _rows(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, Any, int]:
    """Return data as rows, one id a row, and the number of segments; ids may be below 0.

    On a device they may also be too large: nobody looks.
    """
    if num_segments.ndim:
        raise invalid(f"num_segments should be a scalar, not shape {bracketed(num_segments.shape)}")
    count = int(num_segments)
    if not 0 <= count < 2**31:  # TensorFlow cuts it to 32 bits
        raise invalid(f"Input num_segments == {count} must not be negative, nor 2**31 or more.")
    rank = segment_ids.dim()
    if tuple(data.shape[:rank]) != tuple(segment_ids.shape):
        raise invalid(
            f"data.shape = {bracketed(data.shape)} does not start with "
            f"segment_ids.shape = {bracketed(segment_ids.shape)}"
        )
    ids = segment_ids.reshape(-1)
    ids = ids.int() if ids.dtype is torch.int16 else ids
    rows = data.reshape(ids.shape[0], *data.shape[rank:])
    if ids.is_cpu and ids.numel() and int(ids.max()) >= count:
        at = int((ids >= count).nonzero()[0])
        where = np.unravel_index(at, tuple(segment_ids.shape))
        place = ",".join(str(int(w)) for w in where)
        raise invalid(f"segment_ids[{place}] = {int(ids[at])} is out of range [0, {count})")
    return rows, ids, count


def _bound(kind: torch.dtype, lowest: bool) -> Any:
    info = torch.finfo(kind) if kind.is_floating_point else torch.iinfo(kind)
    return info.min if lowest else info.max


def _kernel(how: str, start: Any) -> Any:
    def kernel(data: Any, segment_ids: Any, num_segments: Any) -> Any:
        rows, ids, count = _rows(data, segment_ids, num_segments)
        first = start(data.dtype) if callable(start) else start
        drops = not ids.is_cpu or bool(ids.numel() and int(ids.min()) < 0)
        return scattered(rows, ids, count, how, first, drops)

    return kernel


_OPTIONS: dict[str, Any] = {
    "work": scatter_work,
    "host": ("num_segments",),
    "Tindices": INDEX | {int16},
    "Tnumsegments": INDEX,
}
_SIGNATURE = "(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T"


def gathered(params: Tensor, ids: Tensor) -> tuple[Any, Any]:
    """Return rows of `params` by id, zeros where an id is below 0, and where it is not."""
    rows = gather(params, maximum(ids, scalar(0, ids.dtype)))
    inside = greater_equal(ids, scalar(0, ids.dtype))
    extra = len(rows._shape_tuple) - len(ids._shape_tuple)
    shape = [-1 if d is None else d for d in ids._shape_tuple] + [1] * extra
    column = reshape(inside, shape)
    return where(column, rows, zeros_like(rows)), column


@op(f"UnsortedSegmentSum{_SIGNATURE}", T=NUMBERS, **_OPTIONS)
def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Any:
    """Return the sum of the rows of each segment; rows with an id below 0 are left out."""
    return unsorted_segment_sum.bind(data, segment_ids, num_segments, name)


unsorted_segment_sum.shape(unsorted_shape)
unsorted_segment_sum.kernel(_kernel("sum", 0))


@unsorted_segment_sum.gradient
def unsorted_segment_sum_gradient(call: Call, dy: Tensor) -> Any:
    return gathered(dy, call.inputs[1])[0], None, None


def extremum_gradient(call: Call, dy: Tensor) -> Any:
    """Share each gradient among the rows that are equal to their segment's extremum."""
    data, ids, count = call.inputs
    best, inside = gathered(call.output, ids)
    hits = logical_and(equal(data, best), inside)
    shares = dy / unsorted_segment_sum(cast(hits, dy.dtype), ids, count)
    return where(hits, gathered(shares, ids)[0], scalar(0, dy.dtype)), None, None


@op(f"UnsortedSegmentMax{_SIGNATURE}", T=REAL, **_OPTIONS)
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Any:
    """Return the largest of the rows of each segment; of none, the smallest number there is."""
    return unsorted_segment_max.bind(data, segment_ids, num_segments, name)


unsorted_segment_max.shape(unsorted_shape)
unsorted_segment_max.kernel(_kernel("amax", lambda kind: _bound(kind, True)))
unsorted_segment_max.gradient(extremum_gradient)


@op(f"UnsortedSegmentMin{_SIGNATURE}", T=REAL, **_OPTIONS)
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Any:
    """Return the smallest of the rows of each segment; of none, the largest number there is."""
    return unsorted_segment_min.bind(data, segment_ids, num_segments, name)


unsorted_segment_min.shape(unsorted_shape)
unsorted_segment_min.kernel(_kernel("amin", lambda kind: _bound(kind, False)))
unsorted_segment_min.gradient(extremum_gradient)


@op(f"UnsortedSegmentProd{_SIGNATURE}", T=NUMBERS, gpu_types=REAL, **_OPTIONS)
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Any:
    """Return the product of the rows of each segment; 1 where there is none."""
    return unsorted_segment_prod.bind(data, segment_ids, num_segments, name)


unsorted_segment_prod.shape(unsorted_shape)
unsorted_segment_prod.kernel(_kernel("prod", 1))


def product_gradient(
    data: Tensor,
    ids: Tensor,
    product: Tensor,
    dy: Tensor,
    prod: Callable[..., Any],
    total: Callable[..., Any],
) -> Any:
    """Return the gradient of a product by segments, right also where an element is 0."""
    zero = equal(data, scalar(0, data.dtype))
    zeros_in_segment = total(cast(zero, int32), ids)
    # With two zeros in a segment, nothing flows.
    dy = where(greater(zeros_in_segment, scalar(1, int32)), zeros_like(dy), dy)
    others = gathered(prod(where(zero, ones_like(data), data), ids), ids)[0]
    quotient = real_divide(gathered(product, ids)[0], where(zero, ones_like(data), data))
    return where(zero, others, quotient) * gathered(dy, ids)[0]


@unsorted_segment_prod.gradient
def unsorted_segment_prod_gradient(call: Call, dy: Tensor) -> Any:
    data, ids, count = call.inputs
    return (
        product_gradient(
            data,
            ids,
            call.output,
            dy,
            lambda x, i: unsorted_segment_prod(x, i, count),
            lambda x, i: unsorted_segment_sum(x, i, count),
        ),
        None,
        None,
    )


def _sizes(data: Tensor, segment_ids: Tensor, num_segments: int) -> Any:
    """Return how many rows each segment has, at least 1, shaped to divide the result."""
    counted = unsorted_segment_sum(
        ones(shape_of(segment_ids), data.dtype), segment_ids, num_segments
    )
    extra = len(data._shape_tuple) - len(segment_ids._shape_tuple)
    counted = reshape(counted, [-1, *[1] * extra])
    return maximum(counted, scalar(1, data.dtype))


def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Any:
    """Return the mean of the rows of each segment; 0 where there is none."""
    data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    return truediv(total, _sizes(data, segment_ids, num_segments), name)


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: Any, name: str | None = None
) -> Any:
    """Return the sum of the rows of each segment over the square root of their number."""
    data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    total = unsorted_segment_sum(data, segment_ids, num_segments)
    return truediv(total, sqrt(_sizes(data, segment_ids, num_segments)), name)
