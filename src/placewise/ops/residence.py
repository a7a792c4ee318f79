"""In whose memory the contents of a device's tensors lie, and how they get where they are needed.

A device with memory of its own (a real GPU) holds its tensors there. Integers and booleans may also
lie in host memory, as in TensorFlow: shapes, sizes, loop counters and other int32 values are made
and read by the host. Numbers of floating point never do. A kernel computes in one memory: if one of
its tensors is on the device all are brought there, if all are on the host it runs on the host.

"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from placewise.core.dtypes import DType
from placewise.memory.ledgers import brought
from placewise.memory.transfer import HOST, move, place
from placewise.ops.contentless import without_contents
from placewise.ops.values import ALWAYS_ON_DEVICE, DTYPE, TORCH, Content, Handle, Variant

if TYPE_CHECKING:
    from placewise.devices.device import Device


def may_be_on_host(dtype: DType) -> bool:
    """Return whether a content of a dtype may lie in host memory while its tensor is on a GPU."""
    return dtype in TORCH and TORCH[dtype] not in ALWAYS_ON_DEVICE


def relocated(value: torch.Tensor, target: str) -> Any:
    """Return a content that may lie in any memory where code for a torch device can use it.

    From host memory it can be used everywhere: kernels fetch it when they need it.
    """
    if isinstance(value, Variant):
        return value.moved(target)
    if isinstance(value, torch.Tensor) and value.device != HOST:
        return move(value, target)
    return value


def placed_constant(value: Content, device: Device) -> Any:
    """Return a content that was made on the host on a device; int32 stays, for who reads it there.

    A kernel that needs it on the device fetches it.
    """
    if device.has_own_memory and isinstance(value, torch.Tensor) and value.dtype is not torch.int32:
        return brought(value, device)
    return value


def is_resident(value: Any) -> bool:
    """Return whether a content, or what a handle holds, lies in the memory of a device."""
    if type(value) is Handle:
        value = value.value
    return isinstance(value, torch.Tensor) and value.device != HOST


def _any_resident(values: Iterable[Any]) -> bool:
    return any(
        any(map(is_resident, value)) if type(value) is list else is_resident(value)
        for value in values
    )


def _moved(value: Any, target: str) -> Any:
    if type(value) is list:
        return [_moved(one, target) for one in value]
    if type(value) is Handle:
        if isinstance(value.value, torch.Tensor) and value.value.device == HOST:
            value.value = move(value.value, target)  # a variable lies where it is computed with
        return value
    return place(value, target) if isinstance(value, torch.Tensor) else value


def gathered(values: Sequence[Any], target: str) -> Sequence[Any]:
    """Return contents in one memory: the device's, if one of them is there."""
    if not _any_resident(values):
        return values
    return [_moved(value, target) for value in values]


def settled(op: Any, result: Any, given: Any, target: str) -> Any:
    """Return results in the memory where they belong: some kernels compute on the host.

    What the op declares to be on the host, and int32, stays. `given` is the dtype of the op's first
    input.
    """
    outputs = op.outputs
    if len(outputs) == 1 or not isinstance(result, (list, tuple)):
        return _settled(result, not outputs or op.is_on_host(outputs[0], given), target)
    return [
        _settled(one, op.is_on_host(output, given), target)
        for output, one in zip(outputs, result, strict=True)
    ]


def _settled(value: Any, is_on_host: bool, target: str) -> Any:
    if isinstance(value, (list, tuple)):
        return [_settled(one, is_on_host, target) for one in value]
    if is_on_host or not isinstance(value, torch.Tensor) or value.dtype is torch.int32:
        return value
    return place(value, target)


def makes_tensors(kernel: Any) -> bool:
    """Return whether a kernel takes the torch device to make its result on: `torch_device`."""
    code = getattr(kernel, "__code__", None)
    return code is not None and "torch_device" in code.co_varnames[: _parameters(code)]


def _parameters(code: Any) -> int:
    count: int = code.co_argcount + code.co_kwonlyargcount
    return count


def on_device(op: Any, kernel: Callable[..., Any], device: Any) -> Callable[..., Any]:
    """Return a kernel as it is called on a device with memory of its own."""
    target = device.torch_device
    if makes_tensors(kernel):
        kernel = functools.partial(kernel, torch_device=target)
    if not device.has_contents:
        kernel = without_contents(op, kernel, device)

    @functools.wraps(kernel, assigned=())
    def run(*values: Any, **attrs: Any) -> Any:
        result = kernel(*gathered(values, target), **attrs)
        given = next((DTYPE.get(v.dtype) for v in values if isinstance(v, torch.Tensor)), None)
        return settled(op, result, given, target)

    return run


def needs_gathering(input_dtypes: list[Any]) -> bool:
    """Return whether inputs of these dtypes may lie in several memories, or all on the host.

    Then a kernel must be called through `on_device`. So must one without tensors as inputs.
    """
    return not input_dtypes or not all(
        kind in TORCH and not may_be_on_host(kind) for kind in input_dtypes
    )
