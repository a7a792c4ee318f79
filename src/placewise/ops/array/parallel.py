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
from placewise.ops.families import bracketed


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
    return as_shape(shape)._dims


@parallel_stack.kernel
def parallel_concat_kernel(values: Any, *, shape: TensorShape) -> Any:
    whole = as_shape(shape)
    if not whole.is_fully_defined():
        raise invalid(f"Shape {whole} is not fully defined")
    sizes = whole.as_list()
    if values and [*sizes[:1], *values[0].shape[1:]] != sizes:
        raise invalid(
            f"value and update shape doesn't match: {bracketed(sizes)} vs. "
            f"{bracketed(values[0].shape)}"
        )
    if sizes and len(values) > int(sizes[0] or 0):
        raise invalid(
            f"0th dimension of value = {sizes[0]} must be greater than loc_ = {len(values) - 1}"
        )
    for index, value in enumerate(values):
        if tuple(value.shape) != tuple(values[0].shape) or not len(value.shape):
            raise invalid(
                f"All input shapes must match: value 0 shape {bracketed(values[0].shape)} "
                f"disagrees with value {index} shape {bracketed(value.shape)}"
            )
    return np.concatenate(values) if is_text(values[0]) else torch.cat(values)
