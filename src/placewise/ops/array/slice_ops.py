"""Parts of tensors by position, as ops: slice, strided_slice and its relatives."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX
from placewise.core.errors import OpError, invalid
from placewise.core.shapes import Dims, Static, from_value, lessened
from placewise.core.tensor import Tensor
from placewise.ops import lazy
from placewise.ops.array.concat import stack
from placewise.ops.array.contents import is_text, signed, text_full
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.array.shape import shape_of
from placewise.ops.array.slicing_rules import Masks, Selection, select, static_shape
from placewise.ops.declare import define, op
from placewise.ops.families import bracketed
from placewise.ops.math.cast import cast
from placewise.ops.math.unbroadcast import sum_to_shape_of
from placewise.ops.name_scopes import is_tf1_graph
from placewise.ops.tf1_spelling import ones_like as written
from placewise.ops.values import EagerTensor

_MASKS = (
    "begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, "
    "shrink_axis_mask: int = 0"
)
WIDE_INDEX = INDEX | {dtypes.int16}


@op(
    f"StridedSlice(input: T, begin: Index, end: Index, strides: Index; {_MASKS}) -> output: T",
    host=("begin", "end", "strides"),
    wide_unsigned=True,
    Index=WIDE_INDEX,
    result="view",
    static="shapes",
    numerics="none",
    node_name="strided_slice",
)
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Any:
    """Return the elements of `input_` from `begin` to `end` by `strides`, as Python slices do.

    Bit i of a mask: leave out begin[i] or end[i], read the i-th entry as an ellipsis, as a new
    axis, or as a single index that takes its dimension away.
    """
    if strides is None:
        strides = _ones_like_host(begin)
    return strided_slice.bind(
        input_,
        begin,
        end,
        strides,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
        name=name or "StridedSlice",
    )


def _ones_like_host(begin: Any) -> Any:
    if is_tf1_graph():
        return written(begin)
    if isinstance(begin, (list, tuple)):
        return [1] * len(begin)
    if isinstance(begin, Tensor) and not isinstance(begin, EagerTensor):
        return ones_like(begin)
    return np.ones_like(np.asarray(begin))


def _known(static: Static, count: int) -> list[Any]:
    if static.value is None:
        return [None] * count
    return [int(v) for v in np.asarray(static.value).reshape(-1)]


@strided_slice.shape
def strided_slice_shape(
    input: Static, begin: Static, end: Static, strides: Static, **masks: int
) -> Dims:
    count = next(
        (s.shape[0] for s in (strides, begin, end) if s.shape is not None and len(s.shape) == 1),
        None,
    )
    if input.shape is None or count is None:
        return None
    try:
        shape: Dims = static_shape(
            input.shape,
            _known(begin, count),
            _known(end, count),
            _known(strides, count),
            Masks(**masks),
        )
    except OpError as failure:
        raise ValueError(failure.message) from None
    return shape


def _selection(shape: Any, begin: Any, end: Any, strides: Any, masks: dict[str, int]) -> Selection:
    if (
        not begin.ndim == end.ndim == strides.ndim == 1
        or not begin.size == end.size == strides.size
    ):
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{list(begin.shape)}, {list(end.shape)}, and {list(strides.shape)} instead."
        )
    wanted = tuple(begin.tolist()), tuple(end.tolist()), tuple(strides.tolist())
    return _selected(tuple(shape), *wanted, Masks(**masks))


# A loop asks for the same slices over and over.
_selected = functools.lru_cache(maxsize=1024)(select)


def _flipped(value: Any, flips: tuple[int, ...]) -> Any:
    if not flips:
        return value
    if is_text(value):
        return np.flip(value, flips)
    return signed(value).flip(flips).view(value.dtype)


@strided_slice.static_value
def strided_slice_static_value(
    input: Static, begin: Static, end: Static, strides: Static, **masks: int
) -> tuple[int | None, ...] | None:
    """Return the elements that are taken of a vector known in part: one, or a slice."""
    elements, bounds = input.parts, (begin.value, end.value, strides.value)
    if elements is None or masks["ellipsis_mask"] or masks["new_axis_mask"]:
        return None
    first, last, by = (None if one is None or one.size != 1 else int(one.item()) for one in bounds)
    if first is None or last is None or not by:
        return None
    if masks["shrink_axis_mask"]:
        return (elements[first],) if -len(elements) <= first < len(elements) else None
    start = None if masks["begin_mask"] & 1 else first
    stop = None if masks["end_mask"] & 1 else last
    return elements[start:stop:by]


@strided_slice.kernel
def strided_slice_kernel(input: Any, begin: Any, end: Any, strides: Any, **masks: int) -> Any:
    chosen = _selection(input.shape, begin, end, strides, masks)
    return _flipped(input[chosen.index], chosen.flips)


@strided_slice.gradient
def strided_slice_gradient(call: Any, dy: Any) -> Any:
    x, begin, end, strides = call.inputs
    shape = shape_of(x)
    if isinstance(shape, np.ndarray) and isinstance(begin, np.ndarray):
        shape = shape.astype(begin.dtype if begin.dtype != np.int16 else np.int32)
    return strided_slice_grad(shape, begin, end, strides, dy, **call.attrs), None, None, None


strided_slice_grad = define(
    f"StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T; {_MASKS})"
    " -> output: T",
    host=("shape", "begin", "end", "strides"),
    Index=WIDE_INDEX,
    doc="Return zeros of `shape` with `dy` where the strided slice would take elements.",
    numerics="none",
)


@strided_slice_grad.shape
def strided_slice_grad_shape(
    shape: Static, begin: Static, end: Static, strides: Static, dy: Static, **masks: int
) -> Dims:
    return from_value(shape)


@strided_slice_grad.kernel
def strided_slice_grad_kernel(
    shape: Any, begin: Any, end: Any, strides: Any, dy: Any, **masks: int
) -> Any:
    target = shape.tolist()
    chosen = _selection(target, begin, end, strides, masks)
    if tuple(dy.shape) != chosen.shape:
        raise invalid(f"shape of dy was {list(dy.shape)} instead of {list(chosen.shape)}")
    if is_text(dy):
        made: Any = text_full(target, b"")
    else:
        made = torch.zeros(target, dtype=dy.dtype, device=dy.device)
    made[chosen.index] = _flipped(dy, chosen.flips)
    return made


@strided_slice_grad.gradient
def strided_slice_grad_gradient(call: Any, dy: Any) -> Any:
    _, begin, end, strides, _ = call.inputs
    return None, None, None, None, strided_slice.bind(dy, begin, end, strides, **call.attrs)


tensor_strided_slice_update = define(
    f"TensorStridedSliceUpdate(input: T, begin: Index, end: Index, strides: Index, value: T; "
    f"{_MASKS}) -> output: T",
    host=("begin", "end", "strides"),
    Index=INDEX,
    doc="Return `input` with `value`, broadcast, where the strided slice would take elements.",
)


@tensor_strided_slice_update.shape
def tensor_strided_slice_update_shape(
    input: Static, begin: Static, end: Static, strides: Static, value: Static, **masks: int
) -> Dims:
    return input.shape


@tensor_strided_slice_update.kernel
def tensor_strided_slice_update_kernel(
    input: Any, begin: Any, end: Any, strides: Any, value: Any, **masks: int
) -> Any:
    return with_part(input, _selection(input.shape, begin, end, strides, masks), value)


def with_part(input: Any, chosen: Selection, value: Any) -> Any:
    """Return a copy of a content in which the selected part is `value`, broadcast to it."""
    part = spread_over(chosen, value)
    made = input.copy() if is_text(input) else input.clone()
    made[chosen.index] = part
    return made


def spread_over(chosen: Selection, value: Any) -> Any:
    """Return `value` broadcast to a selected part, to be set at its index."""
    shape = chosen.shape
    try:
        spread = np.broadcast_to(value, shape) if is_text(value) else value.expand(shape)
    except (RuntimeError, ValueError):
        raise invalid(
            f"Cannot broadcast input shape {bracketed(value.shape)} into final shape "
            f"{bracketed(shape)}"
        ) from None
    return _flipped(spread, chosen.flips)


@tensor_strided_slice_update.gradient
def tensor_strided_slice_update_gradient(call: Any, dy: Any) -> Any:
    _, begin, end, strides, value = call.inputs
    part = strided_slice.bind(dy, begin, end, strides, **call.attrs)
    kept = tensor_strided_slice_update(dy, begin, end, strides, zeros_like(part), **call.attrs)
    return kept, None, None, None, sum_to_shape_of(part, value)


@op(
    "Slice(input: T, begin: Index, size: Index) -> output: T",
    host=("begin", "size"),
    Index=INDEX,
    result="view",
    static="shapes",
    numerics="none",
)
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """Return a block of `input_`: `size` elements of each dimension from `begin` on.

    `input_`: any tensor.
    `begin`: the first position in each dimension.
    `size`: how many elements of each dimension; -1 takes all that are left.

    Raises InvalidArgumentError if the block reaches beyond the tensor. `input_[1:, :2]` does the
    same with Python's syntax.

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2]).numpy()
    array([[2, 3],
           [5, 6]], dtype=int32)
    """
    return slice.bind(input_, begin, size, name)


@slice.shape
def slice_shape(input: Static, begin: Static, size: Static) -> Dims:
    if size.value is None:
        return from_value(size) or (None if input.shape is None else (None,) * len(input.shape))
    wanted = np.asarray(size.value).reshape(-1).tolist()
    if input.shape is None:
        return tuple(None if d == -1 else d for d in wanted)
    if len(wanted) != len(input.shape):
        raise ValueError(f"Shape must be rank {len(wanted)} but is rank {len(input.shape)}")
    first = _known(begin, len(wanted))
    result: list[int | None] = []
    for axis, (d, n, b) in enumerate(zip(input.shape, wanted, first, strict=True)):
        if d is not None and b is not None and n >= 0 and (b + n > d or b < 0):
            raise ValueError(f"Slice of dimension {axis} from {b} of size {n} is out of bounds")
        if n < -1:
            raise ValueError(f"Invalid value in tensor used for shape: {n}")
        result.append(lessened(d, b) if n == -1 else n)
    return tuple(result)


@slice.kernel
def slice_kernel(input: Any, begin: Any, size: Any) -> Any:
    rank = len(input.shape)
    if begin.ndim != 1 or size.ndim != 1 or begin.size != rank or size.size != rank:
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {rank}, but got shapes "
            f"{list(begin.shape)} and {list(size.shape)} instead."
        )
    index = []
    for axis, (b, n, d) in enumerate(zip(begin.tolist(), size.tolist(), input.shape, strict=True)):
        if n == -1:
            n = d - b
        if not 0 <= b <= d:
            raise invalid(f"Expected begin[{axis}] in [0, {d}], but got {b}")
        if not 0 <= n <= d - b:
            raise invalid(f"Expected size[{axis}] in [0, {d - b}], but got {n}")
        index.append(PYTHON_SLICE(b, b + n))
    return input[(*index, Ellipsis)]


PYTHON_SLICE = type(np.s_[:])  # the name `slice` is an op here


@slice.gradient
def slice_gradient(call: Any, dy: Any) -> Any:
    x, begin, _ = call.inputs
    whole, part = shape_of(x), shape_of(dy)
    if all(isinstance(each, np.ndarray) for each in (whole, part, begin)):
        margins: Any = np.stack([begin, whole - begin - part], 1).astype(np.int32)
        return lazy.pad(dy, margins.reshape(-1, 2)), None, None

    begin = cast(begin, dtypes.int32)
    return lazy.pad(dy, stack([begin, whole - begin - part], axis=1)), None, None
