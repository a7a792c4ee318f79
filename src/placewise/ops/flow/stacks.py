"""Stacks: where the loops of TensorFlow 1 keep what their gradients need, for one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.names import next_number
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.values import Content, Handle
from placewise.ops.work import view_work

if TYPE_CHECKING:
    import numpy as np


stack = define(
    "StackV2(max_size: int32; elem_type: type, stack_name: string = '') -> handle: resource",
    host=("max_size",),
    stateful=True,
    differentiable=False,
    doc="Make a stack that lives for one run.",
    work=view_work,
)
stack.shape(lambda *_, **__: ())


@stack.kernel
def stack_kernel(max_size: np.ndarray[Any, Any], *, elem_type: DType, stack_name: str) -> Any:
    if max_size.ndim:
        raise invalid(f"Stack size must be a scalar, but had shape: {bracketed(max_size.shape)}")
    name = f"{stack_name or 'Stack'}_{next_number('Stack')}"
    made = Handle("Stack", name, None, elem_type)
    made.value = []
    return made


push = define(
    "StackPushV2(handle: resource, elem: T; swap_memory: bool = False) -> output: T",
    stateful=True,
    doc="Put a tensor on a stack, and return it.",
    work=view_work,
)


@push.shape
def push_shape(handle: Static, elem: Static, *, swap_memory: bool) -> Dims:
    return elem.shape


@push.kernel
def push_kernel(handle: Handle, elem: Content, *, swap_memory: bool) -> Any:
    handle.value.append(elem)
    return elem


@push.gradient
def push_gradient(call: Call, dy: Tensor) -> Any:
    return None, dy


pop = define(
    "StackPopV2(handle: resource; elem_type: type) -> elem: elem_type",
    stateful=True,
    differentiable=False,
    doc="Take the last tensor from a stack.",
    work=view_work,
)
pop.shape(lambda *_, **__: None)


@pop.kernel
def pop_kernel(handle: Handle, *, elem_type: DType) -> Any:
    if not handle.value:
        raise invalid(f"Stack[{handle.name}] is empty when calling Pop().")
    return handle.value.pop()


close = define(
    "StackCloseV2(handle: resource)",
    stateful=True,
    differentiable=False,
    doc="Give back what a stack holds.",
    work=view_work,
)


@close.kernel
def close_kernel(handle: Handle) -> None:
    handle.value.clear()
