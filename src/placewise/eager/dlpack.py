"""Tensors to and from other libraries without a copy, by DLPack."""

from __future__ import annotations

from typing import Any

import torch

from placewise.core.arguments import TensorLike
from placewise.core.errors import invalid
from placewise.devices.inventory import inventory
from placewise.ops.values import EagerTensor, wrap


def to_dlpack(tf_tensor: TensorLike) -> Any:
    """Return a DLPack capsule of a tensor."""
    if not isinstance(tf_tensor, EagerTensor):
        raise TypeError("The argument to `to_dlpack` must be a TF tensor, not Python object")
    if not isinstance(tf_tensor._value, torch.Tensor):
        raise invalid(f"Unsupported data type for DLPack: {tf_tensor.dtype.name}")
    return tf_tensor._value.__dlpack__()


def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """Return a tensor over the memory of a DLPack capsule, or of an object that has one."""
    if isinstance(dlcapsule, torch.Tensor):
        value = dlcapsule.detach()
    else:
        value = torch.utils.dlpack.from_dlpack(dlcapsule)
    present = inventory()
    if value.device.type == "cpu":
        return wrap(value, present.cpu)
    for device in present.devices:
        if torch.device(device.torch_device) == value.device:
            return wrap(value, device)
    raise invalid(f"no device here for a tensor on {value.device}")
