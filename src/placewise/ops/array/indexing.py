"""Parts of tensors by position: Python indexing, slice, strided_slice."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import INDEX
from placewise.core.errors import OpError, invalid
from placewise.core.scope import local, watch
from placewise.core.shapes import Dimension, Dims, Static, from_value
from placewise.core.tensor import Tensor
from placewise.ops.array.contents import is_text, text_full
from placewise.ops.array.shape import shape_of
from placewise.ops.array.slicing_rules import Masks, Selection, select, static_shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define, op
from placewise.ops.values import EagerTensor, to_numpy, wrap

_MASKS = (
    "begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0, new_axis_mask: int = 0, "
    "shrink_axis_mask: int = 0"
)
_WIDE_INDEX = INDEX | {dtypes.int16}


@op(f"StridedSlice(input: T, begin: Index, end: Index, strides: Index; {_MASKS}) -> output: T",
    host=("begin", "end", "strides"), Index=_WIDE_INDEX)  # fmt: skip
def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Return the elements of `input_` from `begin` to `end` by `strides`, as Python slices do.

    Bit i of a mask: leave out begin[i] or end[i], read the i-th entry as an ellipsis, as a new
    axis, or as a single index that takes its dimension away.
    """
    if strides is None:
        strides = _ones_like_host(begin)
    return strided_slice.bind(
        input_, begin, end, strides, begin_mask=begin_mask, end_mask=end_mask,
        ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask, name=name,
    )  # fmt: skip


def _ones_like_host(begin: Any) -> Any:
    if isinstance(begin, (list, tuple)):
        return [1] * len(begin)
    if isinstance(begin, Tensor) and not isinstance(begin, EagerTensor):
        from placewise.ops.array.creation import ones_like

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
            input.shape, _known(begin, count), _known(end, count), _known(strides, count),
            Masks(**masks),
        )  # fmt: skip
    except OpError as failure:
        raise ValueError(failure.message) from None
    return shape


def _selection(shape: Any, begin: Any, end: Any, strides: Any, masks: dict[str, int]) -> Selection:
    if not begin.ndim == end.ndim == strides.ndim == 1 or not begin.size == end.size == strides.size:
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{list(begin.shape)}, {list(end.shape)}, and {list(strides.shape)} instead."
        )
    return select(shape, begin.tolist(), end.tolist(), strides.tolist(), Masks(**masks))


def _flipped(value: Any, flips: tuple[int, ...]) -> Any:
    if not flips:
        return value
    return np.flip(value, flips) if is_text(value) else value.flip(flips)


@strided_slice.kernel
def strided_slice_kernel(input: Any, begin: Any, end: Any, strides: Any, **masks: int) -> Any:
    if not len(input.shape) and masks["shrink_axis_mask"]:
        raise invalid("Attempting to slice scalar input.")
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
    " -> output: T", host=("shape", "begin", "end", "strides"), Index=_WIDE_INDEX,
    doc="Return zeros of `shape` with `dy` where the strided slice would take elements.",
)  # fmt: skip


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
        raise invalid(
            f"shape of dy was {list(dy.shape)} instead of {list(chosen.shape)}"
        )
    if is_text(dy):
        made = text_full(target, b"")
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
    f"{_MASKS}) -> output: T", host=("begin", "end", "strides"), Index=INDEX,
    doc="Return `input` with `value`, broadcast, where the strided slice would take elements.",
)  # fmt: skip


@tensor_strided_slice_update.shape
def tensor_strided_slice_update_shape(
    input: Static, begin: Static, end: Static, strides: Static, value: Static, **masks: int
) -> Dims:
    return input.shape


@tensor_strided_slice_update.kernel
def tensor_strided_slice_update_kernel(
    input: Any, begin: Any, end: Any, strides: Any, value: Any, **masks: int
) -> Any:
    return _with_part(input, _selection(input.shape, begin, end, strides, masks), value)


def _with_part(input: Any, chosen: Selection, value: Any) -> Any:
    """Return a copy of a content in which the selected part is `value`, broadcast to it."""
    made = input.copy() if is_text(input) else input.clone()
    shape = chosen.shape
    try:
        spread = np.broadcast_to(value, shape) if is_text(value) else value.expand(shape)
    except (RuntimeError, ValueError):
        raise invalid(
            f"Cannot update slice with shape {list(shape)} from value of shape {list(value.shape)}"
        ) from None
    made[chosen.index] = _flipped(spread, chosen.flips)
    return made


@tensor_strided_slice_update.gradient
def tensor_strided_slice_update_gradient(call: Any, dy: Any) -> Any:
    from placewise.ops.array.creation import zeros_like
    from placewise.ops.math.broadcasting import sum_to_shape_of

    _, begin, end, strides, value = call.inputs
    part = strided_slice.bind(dy, begin, end, strides, **call.attrs)
    kept = tensor_strided_slice_update(dy, begin, end, strides, zeros_like(part), **call.attrs)
    return kept, None, None, None, sum_to_shape_of(part, value)


@op("Slice(input: T, begin: Index, size: Index) -> output: T", host=("begin", "size"), Index=INDEX)
def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Any:
    """Return `size` elements per dimension of `input_` from `begin` on; -1: all that are left."""
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
        left = None if d is None or b is None else d - b
        result.append(left if n == -1 else n)
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
    for axis, (b, n, d) in enumerate(
        zip(begin.tolist(), size.tolist(), input.shape, strict=True)
    ):
        if n == -1:
            n = d - b
        if not 0 <= b <= d:
            raise invalid(f"Expected begin[{axis}] in [0, {d}], but got {b}")
        if not 0 <= n <= d - b:
            raise invalid(f"Expected size[{axis}] in [0, {d - b}], but got {n}")
        index.append(_python_slice(b, b + n))
    return input[(*index, Ellipsis)]


_python_slice = type(np.s_[:])


@slice.gradient
def slice_gradient(call: Any, dy: Any) -> Any:
    from placewise.ops.array.padding import pad

    x, begin, _ = call.inputs
    whole, part = shape_of(x), shape_of(dy)
    if all(isinstance(each, np.ndarray) for each in (whole, part, begin)):
        margins: Any = np.stack([begin, whole - begin - part], 1).astype(np.int32)
        return pad(dy, margins.reshape(-1, 2)), None, None
    from placewise.ops.array.stacking import stack
    from placewise.ops.math.casting import cast

    begin = cast(begin, dtypes.int32)
    return pad(dy, stack([begin, whole - begin - part], axis=1)), None, None


_INDEX_WORDS = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


def _check_index(index: Any) -> None:
    if isinstance(index, (numbers.Integral, Dimension)):
        return
    dtype = getattr(index, "dtype", None)
    try:
        is_fine = dtype is not None and dtypes.as_dtype(dtype) in _WIDE_INDEX
    except TypeError:
        is_fine = False
    if not is_fine or (index.shape and len(index.shape) == 1):
        raise TypeError(f"{_INDEX_WORDS}, got {index!r}")


def _entry(index: Any) -> Any:
    """Return one bound as an int where its value is at hand, else as the tensor it is."""
    _check_index(index)
    if isinstance(index, EagerTensor):
        return int(to_numpy(index._value))
    if isinstance(index, (Tensor, bool)):
        return index
    return index if hasattr(type(index), "__tf_tensor__") else int(index)


def spec_of(key: Any) -> tuple[list[Any], list[Any], list[Any], Masks]:
    """Return begin, end, strides and masks of a Python index."""
    parts = key if isinstance(key, (list, tuple)) else (key,)
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = [0, 0, 0, 0, 0]
    for i, part in enumerate(parts):
        first: Any = 0
        last: Any = 0
        step: Any = 1
        if isinstance(part, _python_slice):
            if part.start is None:
                masks[0] |= 1 << i
            else:
                first = _entry(part.start)
            if part.stop is None:
                masks[1] |= 1 << i
            else:
                last = _entry(part.stop)
            if part.step is not None:
                step = _entry(part.step)
        elif part is Ellipsis:
            masks[2] |= 1 << i
        elif part is None:
            masks[3] |= 1 << i
        else:
            first = _entry(part)
            last = first + 1
            masks[4] |= 1 << i
        begin.append(first)
        end.append(last)
        strides.append(step)
    return begin, end, strides, Masks(*masks)


_PLAIN_KEYS = frozenset({int, type(Ellipsis), type(None)})


def _is_plain(key: Any) -> bool:
    """Return True for an index that torch reads as TensorFlow does."""
    for part in key if type(key) is tuple else (key,):
        kind = type(part)
        if kind is _python_slice:
            for bound in (part.start, part.stop, part.step):
                if bound is not None and type(bound) is not int:
                    return False
        elif kind not in _PLAIN_KEYS:
            return False
    return True


def getitem(tensor: Any, key: Any) -> Any:
    """Return `tensor[key]`: ints, slices, ellipsis, None, scalar integer tensors, boolean masks."""
    if (
        type(tensor) is EagerTensor
        and tensor._device is local.fast
        and not watch.on
        and not local.tapes
    ):
        value = tensor._value
        if type(value) is torch.Tensor and _is_plain(key):
            try:
                return wrap(value[key], tensor._device)
            except (IndexError, ValueError, TypeError):
                pass  # too far, backwards, two ellipses: told or done below
    if _is_mask(key):
        from placewise.ops.array.selecting import boolean_mask

        return boolean_mask(tensor, key)
    begin, end, strides, masks = spec_of(key)
    lists = [begin, end, strides]
    symbolic = [v for each in lists for v in each if not isinstance(v, int)]
    if not symbolic:
        kind = _index_type(lists)
        return strided_slice.bind(
            tensor, *[np.asarray(each, kind) for each in lists], **masks._asdict()
        )
    return strided_slice.bind(tensor, *[_packed(each, symbolic) for each in lists], **masks._asdict())


def _index_type(lists: list[list[Any]]) -> Any:
    if lists[0] and all(isinstance(v, bool) for v in lists[0]):
        return np.bool_  # TensorFlow refuses these by their dtype
    largest = max((abs(v) for each in lists for v in each), default=0)
    return np.int32 if largest < 2**31 else np.int64


def _packed(values: list[Any], symbolic: list[Any]) -> Any:
    """Return bounds of which some are graph tensors as one vector of a common dtype."""
    from placewise.ops.array.stacking import stack
    from placewise.ops.math.casting import cast

    tensors = [convert_to_tensor(v) for v in symbolic]
    kind = dtypes.int64 if any(t.dtype is dtypes.int64 for t in tensors) else dtypes.int32
    return stack([cast(convert_to_tensor(v), kind) for v in values])


def _is_mask(key: Any) -> bool:
    if isinstance(key, bool):
        return True
    dtype = getattr(key, "dtype", None)
    return dtype is not None and (dtype is dtypes.bool or dtype == np.bool_)


def strided_slice_assigned(value: Any, key: Any, new: Any) -> Any:
    """Return a copy of content `value` in which `value[key]` is content `new`, broadcast to it.

    For `variable[key].assign(new)`.
    """
    begin, end, strides, masks = spec_of(key)
    return _with_part(value, select(value.shape, begin, end, strides, masks), new)
