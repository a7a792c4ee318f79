"""The sum of a list of tensors."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.arguments import ShapeLike, TensorLike
from placewise.core.dtypes import NUMBERS
from placewise.core.errors import invalid
from placewise.core.scope import Scope, current
from placewise.core.shapes import Dims, Static, TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Call, define
from placewise.ops.facts import SCALAR_NUMBERS, Scalar
from placewise.ops.families import bracketed, is_wide_unsigned, through_numpy
from placewise.ops.values import Variant
from placewise.ops.work import sum_work

_NO_LIST = (
    "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
)

add_n_op = define(
    "AddN(inputs: N*T >= 1) -> sum: T",
    T=NUMBERS | {dtypes.variant},
    doc="Return the sum of tensors of one shape and dtype.",
    result="view",
    scalar=Scalar("total(({}))", SCALAR_NUMBERS),
    work=sum_work,
)


@add_n_op.shape
def add_n_shape(inputs: list[Static]) -> Dims:
    merged = TensorShape(None)
    for each in inputs:
        merged = merged.merge_with(TensorShape(each.shape))
    return None if merged.rank is None else tuple(merged.as_list())


@add_n_op.kernel
def add_n_kernel(inputs: list[Any]) -> Any:
    if isinstance(inputs[0], Variant):  # lists of tensors
        return reduce(lambda one, two: one.added(two), inputs)
    _check_shapes(inputs)
    if len(inputs) == 1:
        return inputs[0]
    if is_wide_unsigned(inputs[0]):
        return reduce(through_numpy(np.add), inputs)
    total = torch.add(inputs[0], inputs[1])
    for each in inputs[2:]:
        total.add_(each)
    return total


def _check_shapes(inputs: list[Any]) -> None:
    first = inputs[0].shape
    for index, each in enumerate(inputs):
        if each.shape != first:
            raise invalid(
                f"Inputs to operation AddN of type AddN must have the same size and shape. "
                f"Input 0: {bracketed(first)} != input {index}: {bracketed(each.shape)}"
            )


@add_n_op.gradient
def add_n_gradient(call: Call, dy: Tensor) -> Any:
    return ([dy] * len(call.inputs[0]),)


_accumulate = define(
    "AccumulateNV2(inputs: N*T >= 1; shape: shape) -> sum: T",
    T=NUMBERS,
    doc="Return the sum of tensors of the shape told.",
    work=sum_work,
)
_accumulate.gradient(add_n_gradient)


@_accumulate.shape
def accumulate_shape(inputs: list[Static], *, shape: ShapeLike) -> Dims:
    known = TensorShape(shape)
    return add_n_shape(inputs) if known.rank is None else tuple(known.as_list())


@_accumulate.kernel
def accumulate_kernel(inputs: list[Any], *, shape: list[Any]) -> Any:
    return add_n_kernel(inputs)


def add_n(inputs: Any, name: str | None = None) -> Any:
    """Return the sum of all tensors of a list.

    `inputs`: a list or tuple of tensors of one shape and dtype; nothing broadcasts. Gradients that
        are rows of a variable (IndexedSlices) are taken as well.

    Raises ValueError for an empty list, InvalidArgumentError for shapes that differ.

    >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """
    inputs = list(inputs)
    if not inputs:
        raise ValueError(_NO_LIST)
    tensors = [convert_to_tensor(each) for each in inputs]
    if len(tensors) == 1:
        return identity(tensors[0], name) if name else tensors[0]
    return add_n_op(tensors, name)


def accumulate_n(
    inputs: TensorLike,
    shape: ShapeLike | None = None,
    tensor_dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Return the sum of all tensors of a list, which must be of `shape` and `tensor_dtype`."""
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(
            "inputs must be a list of at least one Tensor with the same dtype and shape"
        )
    tensors = [convert_to_tensor(each) for each in inputs]
    if any(each.dtype is not tensors[0].dtype for each in tensors):
        raise ValueError(
            "inputs must be a list of at least one Tensor with the same dtype and shape"
        )
    known = TensorShape(shape)
    for each in tensors:
        known = known.merge_with(each.shape)
    if tensor_dtype is not None and tensor_dtype != tensors[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type "
            f"{tensors[0].dtype}. These must be equal. Try casting the input to the desired type."
        )
    if current.interpreter is Scope.eager or len(tensors) == 1:
        return add_n(tensors, name)
    return _accumulate(tensors, shape=known, name=name)
