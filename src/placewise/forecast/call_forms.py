"""Calls of torch's ops by form: what the shapes of their results depend on, and their tensors."""

from __future__ import annotations

import functools
from typing import Any

import torch

WRITTEN = "the first argument"  # is what an op returns that changes it


def call_key(func: Any, args: Any, kwargs: Any) -> Any:
    """Return what the form of an op's results depends on; None if it makes none of its own."""
    if not is_plain(func):
        return None
    key: list[Any] = [func]
    for value in args:
        if isinstance(value, torch.Tensor):
            key += (value.size(), value.stride(), value.dtype, value.is_meta)
        elif isinstance(value, (list, tuple)):
            if any(isinstance(one, torch.Tensor) for one in value):
                return None
            key.append(tuple(value))
        else:
            key += (value, type(value))
    for name, value in kwargs.items():
        if isinstance(value, (torch.Tensor, list)):
            return None
        key += (name, value)
    return tuple(key)


@functools.cache
def is_plain(func: Any) -> Any:
    """Return whether an op only makes tensors; WRITTEN if it returns the one that it changes."""
    schema = func._schema
    if torch.Tag.pointwise in func.tags and schema.name.endswith("_"):
        return WRITTEN
    return not schema.is_mutable and all(
        returned.alias_info is None and str(returned.type) == "Tensor"
        for returned in schema.returns
    )


def collect(values: Any, tensors: list[torch.Tensor]) -> None:
    """Add the tensors among arguments to a list, those in lists too."""
    for value in values:
        if isinstance(value, torch.Tensor):
            tensors.append(value)
        elif isinstance(value, (list, tuple)):
            collect(value, tensors)


def is_meta(device: Any) -> bool:
    """Return whether a device argument names the one without contents."""
    return device is not None and torch.device(device).type == "meta"
