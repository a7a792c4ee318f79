"""The ops of TensorFlow 1's TensorArray: a list behind a handle, kept in order by a flow.

The list lives as long as the run that made it. Its gradient is another list of the same size, one
for each call of `tf.gradients` (the `source`), to which several writes to one place add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from placewise.core.dtypes import DType
from placewise.core.errors import invalid
from placewise.core.names import next_number
from placewise.core.scope import current
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import identity
from placewise.ops.declare import Call, define
from placewise.ops.families import bracketed
from placewise.ops.flow.array_items import Items
from placewise.ops.values import Content, Handle, c_name
from placewise.ops.work import view_work

if TYPE_CHECKING:
    import numpy as np


tensor_array = define(
    "TensorArrayV3(size: int32; dtype: type, element_shape: shape = None,"
    " dynamic_size: bool = False, clear_after_read: bool = True,"
    " identical_element_shapes: bool = False, tensor_array_name: string = '')"
    " -> handle: resource, flow: float32",
    host=("size",),
    stateful=True,
    differentiable=False,
    doc="Make a list of tensors that lives for one run.",
    work=view_work,
)


@tensor_array.shape
def tensor_array_shape(size: Static, **_: object) -> list[Dims]:
    if size.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(size.shape)}")
    return [(), ()]


@tensor_array.kernel
def tensor_array_kernel(
    size: np.ndarray[Any, Any],
    *,
    dtype: DType,
    element_shape: tuple[Any, ...] | None,
    dynamic_size: bool,
    clear_after_read: bool,
    identical_element_shapes: bool,
    tensor_array_name: str,
    torch_device: str = "cpu",
) -> tuple[Any, Any]:
    if size.ndim:
        raise invalid("TensorArray size must be scalar, but had shape: " + bracketed(size.shape))
    if size < 0:
        raise invalid("Size should be >= 0.")
    number = next_number("TensorArray")
    name = f"{tensor_array_name or 'TensorArray'}_{number}"
    handle = Handle("TensorArray", name, None, dtype)
    handle.value = Items(
        dtype,
        int(size),
        TensorShape(element_shape)._dims,
        dynamic_size,
        clear_after_read,
        identical_element_shapes,
        name,
    )
    return handle, torch.zeros((), device=torch_device)


array_gradient = define(
    "TensorArrayGradV3(handle: resource, flow_in: float32; source: string)"
    " -> grad_handle: resource, flow_out: float32",
    stateful=True,
    differentiable=False,
    doc="Return the list that gathers a list's gradients.",
    work=view_work,
)
array_gradient.shape(lambda *_, **__: [(), ()])


@array_gradient.kernel
def array_gradient_kernel(handle: Handle, flow_in: torch.Tensor, *, source: str) -> tuple[Any, Any]:
    return handle.value.gradient(source), flow_in


def gradient_of(handle: Tensor, flow: Tensor) -> tuple[Any, Any]:
    """Return handle and flow of the list for the gradients being computed now."""
    graph = current.interpreter.graph
    source = graph.scopes.gradients.rstrip("/")
    with graph.name_scope("TensorArrayGrad"):
        found, after = array_gradient(handle, flow, source=source)
        with graph.control_dependencies([after.op]):
            return found, identity(flow, name="gradient_flow")


write = define(
    "TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float32)"
    " -> flow_out: float32",
    host=("index",),
    stateful=True,
    doc="Put a tensor into a list.",
    work=view_work,
)


@write.shape
def write_shape(handle: Static, index: Static, value: Static, flow_in: Static) -> Dims:
    if index.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(index.shape)}")
    return ()


@write.kernel
def write_kernel(
    handle: Handle, index: np.ndarray[Any, Any], value: Content, flow_in: torch.Tensor
) -> Any:
    handle.value.write(int(index), value)
    return flow_in


@write.gradient
def write_gradient(call: Call, dy: Tensor) -> Any:
    handle, index, value, _ = call.inputs
    list_of, flow = gradient_of(handle, dy)
    return None, None, shaped(read(list_of, index, flow, dtype=value.dtype), value._dims), dy


def shaped(tensor: Tensor, dims: Dims) -> Any:
    """Return a tensor, told its shape."""
    tensor.set_shape(TensorShape(dims))
    return tensor


read = define(
    "TensorArrayReadV3(handle: resource, index: int32, flow_in: float32; dtype: type)"
    " -> value: dtype",
    host=("index",),
    stateful=True,
    doc="Return a tensor of a list.",
    work=view_work,
)


@read.shape
def read_shape(handle: Static, index: Static, flow_in: Static, *, dtype: DType) -> Dims:
    if index.shape:
        raise ValueError(f"Shape must be rank 0 but is rank {len(index.shape)}")
    return None


@read.kernel
def read_kernel(
    handle: Handle,
    index: np.ndarray[Any, Any],
    flow_in: torch.Tensor,
    *,
    dtype: DType,
    torch_device: str = "cpu",
) -> Any:
    items = handle.value
    if items.dtype is not dtype:
        raise invalid(
            f"TensorArray dtype is {c_name(items.dtype)} but Op requested dtype {c_name(dtype)}."
        )
    return items.read(int(index), torch_device)


@read.gradient
def read_gradient(call: Call, dy: Tensor) -> Any:
    handle, index, flow = call.inputs
    list_of, after = gradient_of(handle, flow)
    return None, None, write(list_of, index, dy, after)


size = define(
    "TensorArraySizeV3(handle: resource, flow_in: float32) -> size: int32",
    host=("size",),
    stateful=True,
    differentiable=False,
    doc="Return the length of a list.",
    work=view_work,
)
size.shape(lambda *_: ())


@size.kernel
def size_kernel(handle: Handle, flow_in: torch.Tensor) -> Any:
    handle.value.check_open()
    return torch.tensor(len(handle.value.values), dtype=torch.int32)


close = define(
    "TensorArrayCloseV3(handle: resource)",
    stateful=True,
    differentiable=False,
    doc="Give back what a list holds.",
    work=view_work,
)


@close.kernel
def close_kernel(handle: Handle) -> None:
    items = handle.value
    items.values, items.closed = [], True
