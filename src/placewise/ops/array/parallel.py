"""Stacking without waiting for all parts: parallel_stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static, TensorShape, as_shape
from placewise.ops.array.contents import is_text
from placewise.ops.array.shape import expand_dims
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import op
from placewise.ops.families import bracketed, merged_dims


@op("ParallelConcat(values: N*T >= 1; shape: shape) -> output: T")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """Return tensors side by side along a new first axis; for graphs only, as in TensorFlow."""
    if current.interpreter is Scope.eager:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    tensors = [convert_to_tensor(value) for value in values]
    shape = [len(tensors), *as_shape(tensors[0].shape).as_list()]
    return parallel_stack.bind(
        [expand_dims(tensor, 0) for tensor in tensors], shape=as_shape(shape), name=name
    )


@parallel_stack.shape
def parallel_concat_shape(values: list[Static], *, shape: TensorShape) -> Dims:
    whole = as_shape(shape)
    if not whole.is_fully_defined():
        raise ValueError("shape attr must be fully defined.")
    sizes = whole.as_list()
    if not sizes:
        raise ValueError("Out of range dim_index 0 for shape with 0 dimensions")
    part: Dims = (1, *sizes[1:])
    for index, value in enumerate(values):
        if value.shape == ():
            raise ValueError(
                "The rank of all input shapes must be greater than 0, but input "
                f"{index} had rank 0."
            )
        if value.shape is not None and value.shape[0] not in (None, 1):
            raise ValueError("Size of first dimension must be 1.")
        merged_dims(value.shape, part)
    return tuple(sizes)


@parallel_stack.kernel
def parallel_concat_kernel(values: Any, *, shape: TensorShape) -> Any:
    whole = as_shape(shape)
    if not whole.is_fully_defined():
        shown = ",".join("?" if size is None else str(size) for size in whole)
        raise invalid(f"Shape [{shown}] is not fully defined")
    sizes = [int(size) for size in whole.as_list() if size is not None]
    if not sizes:
        raise invalid("value should be at least rank 1.")
    for index, value in enumerate(values):
        _check_row(sizes, value, index)
    joined: Any = np.concatenate(values) if is_text(values[0]) else torch.cat(values)
    missing = sizes[0] - len(values)
    if not missing:
        return joined
    # TensorFlow leaves the rows that nobody gives as the memory was.
    rest = (missing, *sizes[1:])
    if is_text(values[0]):
        return np.concatenate([joined, np.full(rest, b"", object)])
    return torch.cat([joined, joined.new_zeros(rest)])


def _check_row(sizes: list[int], value: Any, index: int) -> None:
    shape = tuple(value.shape)
    if index >= sizes[0]:
        raise invalid(f"0th dimension of value = {sizes[0]} must be greater than loc_ = {index}")
    if len(shape) != len(sizes) or list(shape[1:]) != sizes[1:]:
        colon = ":" if len(shape) != len(sizes) else ""
        raise invalid(
            f"value and update shape doesn't match{colon} {bracketed(sizes)} vs. {bracketed(shape)}"
        )
    if shape[0] != 1:
        raise invalid(f"update shape doesn't match: {bracketed(shape)}")
