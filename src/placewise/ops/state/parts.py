"""Changing the part of a variable that a slice names, and counting up by reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes
from placewise.core.dtypes import INDEX
from placewise.core.errors import OutOfRangeError
from placewise.core.shapes import Dims, Static
from placewise.ops.array.slice_ops import _MASKS, _selection, spread_over
from placewise.ops.declare import define
from placewise.ops.state.resource import content_of, own_content, variable_lock
from placewise.ops.values import Handle

if TYPE_CHECKING:
    import numpy as np
    import torch


_BOUNDS = "begin: Index, end: Index, strides: Index"
_HOST = ("begin", "end", "strides")


def _replace_part(
    handle: Handle,
    begin: np.ndarray[Any, Any],
    end: np.ndarray[Any, Any],
    strides: np.ndarray[Any, Any],
    value: torch.Tensor,
    masks: dict[Any, Any],
) -> None:
    with variable_lock(handle):
        chosen = _selection(content_of(handle).shape, begin, end, strides, masks)
        part = spread_over(chosen, value)
        own_content(handle, "StridedSliceAssign")[chosen.index] = part


strided_slice_assign = define(
    f"StridedSliceAssign(ref: T, {_BOUNDS}, value: T; {_MASKS}) -> output_ref: T",
    host=_HOST,
    stateful=True,
    differentiable=False,
    refs=("ref", "output_ref"),
    Index=INDEX,
    doc="Replace a part of a reference variable.",
)


@strided_slice_assign.shape
def strided_slice_assign_shape(ref: Static, *_: Static, **__: object) -> Dims:
    return ref.shape


@strided_slice_assign.kernel
def strided_slice_assign_kernel(
    ref: Handle,
    begin: np.ndarray[Any, Any],
    end: np.ndarray[Any, Any],
    strides: np.ndarray[Any, Any],
    value: Any,
    **masks: int,
) -> Handle:
    _replace_part(ref, begin, end, strides, value, masks)
    return ref


resource_strided_slice_assign = define(
    f"ResourceStridedSliceAssign(ref: resource, {_BOUNDS}, value: T; {_MASKS})",
    host=_HOST,
    stateful=True,
    differentiable=False,
    Index=INDEX,
    doc="Replace a part of a variable.",
)


@resource_strided_slice_assign.kernel
def resource_strided_slice_assign_kernel(
    ref: Handle,
    begin: np.ndarray[Any, Any],
    end: np.ndarray[Any, Any],
    strides: np.ndarray[Any, Any],
    value: Any,
    **masks: int,
) -> None:
    _replace_part(ref, begin, end, strides, value, masks)


count_up_to = define(
    "CountUpTo(ref: T; limit: int) -> output: T",
    stateful=True,
    differentiable=False,
    devices=("CPU",),
    refs=("ref",),
    T=frozenset({dtypes.int32, dtypes.int64}),
    doc="Return a reference variable's value, then add one.",
)
count_up_to.shape(lambda ref, **_: ())


@count_up_to.kernel
def count_up_to_kernel(ref: Handle, *, limit: int) -> Any:
    with variable_lock(ref):
        old = content_of(ref)
        if int(old) >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit}")
        ref.value = old + 1
    return old
