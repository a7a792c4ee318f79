"""Older forms of ops, for `tf.raw_ops` and old graphs: each uses the kernel of the present one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, NUMBERS
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.core.tensor import Tensor
from placewise.ops.array.blocks import (
    batch_to_space_nd,
    batch_to_space_nd_kernel,
    batch_to_space_nd_shape,
    space_to_batch_nd,
    space_to_batch_nd_kernel,
    space_to_batch_nd_shape,
)
from placewise.ops.array.concat import concat_error, concat_gradient, concat_kernel, concat_shape
from placewise.ops.array.contents import is_text, moving
from placewise.ops.array.gather import gather_error, gather_gradient, gather_kernel, gather_shape
from placewise.ops.array.reverse import reverse_kernel
from placewise.ops.array.scatter import (
    _add,
    tensor_scatter_add_gradient,
)
from placewise.ops.declare import Call, define
from placewise.ops.families import same_shape
from placewise.ops.values import Content
from placewise.ops.work import copy_work, gather_work, scatter_work

if TYPE_CHECKING:
    import torch


_FIRST = np.asarray(0, np.int32)

_concat = define(
    "Concat(concat_dim: int32, values: N*T >= 2) -> output: T",
    host=("concat_dim",),
    doc="Return the tensors of a list joined along an axis.",
    numerics="none",
    work=copy_work,
)


@_concat.shape
def old_concat_shape(concat_dim: Static, values: list[Static]) -> Dims:
    return concat_shape(values, concat_dim)


@_concat.kernel
def old_concat_kernel(concat_dim: np.ndarray[Any, Any], values: list[Content]) -> Any:
    return concat_kernel(values, concat_dim)


@_concat.error
def old_concat_error(concat_dim: np.ndarray[Any, Any], values: list[Content]) -> str | None:
    return concat_error(values, concat_dim)


@_concat.gradient
def old_concat_gradient(call: Call, dy: Tensor) -> Any:
    parts, _ = concat_gradient(call._replace(inputs=(call.inputs[1], call.inputs[0])), dy)
    return None, parts


_gather = define(
    "Gather(params: Tparams, indices: Tindices; validate_indices: bool = True) -> output: Tparams",
    Tindices=INDEX,
    doc="Return the rows of `params` that `indices` names.",
    numerics="none",
    work=gather_work,
)


@_gather.shape
def old_gather_shape(params: Static, indices: Static, *, validate_indices: bool) -> Dims:
    return gather_shape(params, indices, Static((), dtypes.int32, _FIRST), batch_dims=0)


@_gather.kernel
def old_gather_kernel(params: Content, indices: torch.Tensor, *, validate_indices: bool) -> Any:
    return gather_kernel(params, indices, _FIRST, batch_dims=0)


_gather.kernel(moving(old_gather_kernel), on="wide_unsigned")


@_gather.error
def old_gather_error(
    params: Content, indices: torch.Tensor, *, validate_indices: bool
) -> str | None:
    return gather_error(params, indices, _FIRST, batch_dims=0)


@_gather.gradient
def old_gather_gradient(call: Call, dy: Tensor) -> Any:
    present = call._replace(inputs=(*call.inputs, _FIRST), attrs={"batch_dims": 0})
    return gather_gradient(present, dy)[:2]


_reverse = define(
    "Reverse(tensor: T, dims: bool) -> output: T",
    T=NUMBERS | {dtypes.bool, dtypes.string},
    host=("dims",),
    doc="Return `tensor` back to front along each dimension that `dims` marks.",
)
_reverse.shape(same_shape)


@_reverse.kernel
def old_reverse_kernel(tensor: Content, dims: np.ndarray[Any, Any]) -> Any:
    if dims.ndim != 1:
        raise invalid(f"'dims' must be 1-dimension, not {dims.ndim}")
    if dims.size != len(tensor.shape):
        raise invalid(
            f"'dims' must have the same number of values as 'input' has dimensions. 'input' has "
            f"{len(tensor.shape)}'dims' has {dims.size} values"
        )
    return reverse_kernel(tensor, np.flatnonzero(dims))


@_reverse.gradient
def old_reverse_gradient(call: Call, dy: Tensor) -> Any:
    return _reverse(dy, call.inputs[1]), None


def _square(block_size: int) -> Any:
    return np.asarray([block_size, block_size], np.int32)


def _square_static(block_size: int) -> Static:
    return Static((2,), dtypes.int32, _square(block_size))


_space_to_batch = define(
    "SpaceToBatch(input: T, paddings: Tpaddings; block_size: int >= 2) -> output: T",
    host=("paddings",),
    Tpaddings=INDEX,
    doc="Return images, padded, with square blocks moved into the batch.",
)


@_space_to_batch.shape
def old_space_to_batch_shape(input: Static, paddings: Static, *, block_size: int) -> Dims:
    return space_to_batch_nd_shape(input, _square_static(block_size), paddings)


@_space_to_batch.kernel
def old_space_to_batch_kernel(
    input: Content, paddings: np.ndarray[Any, Any], *, block_size: int
) -> Any:
    return space_to_batch_nd_kernel(input, _square(block_size), paddings)


@_space_to_batch.gradient
def old_space_to_batch_gradient(call: Call, dy: Tensor) -> Any:
    return batch_to_space_nd(dy, _square(call.attrs["block_size"]), call.inputs[1]), None


_batch_to_space = define(
    "BatchToSpace(input: T, crops: Tidx; block_size: int >= 2) -> output: T",
    host=("crops",),
    Tidx=INDEX,
    doc="Return images with the batch moved back into square blocks, cropped.",
)


@_batch_to_space.shape
def old_batch_to_space_shape(input: Static, crops: Static, *, block_size: int) -> Dims:
    return batch_to_space_nd_shape(input, _square_static(block_size), crops)


@_batch_to_space.kernel
def old_batch_to_space_kernel(
    input: Content, crops: np.ndarray[Any, Any], *, block_size: int
) -> Any:
    return batch_to_space_nd_kernel(input, _square(block_size), crops)


@_batch_to_space.gradient
def old_batch_to_space_gradient(call: Call, dy: Tensor) -> Any:
    return space_to_batch_nd(dy, _square(call.attrs["block_size"]), call.inputs[1]), None


scatter_nd_non_aliasing_add = define(
    "ScatterNdNonAliasingAdd(input: T, indices: Tindices, updates: T; "
    "bad_indices_policy: string = '') -> output: T",
    T=NUMBERS | dtypes.BOOL,
    Tindices=INDEX,
    doc="Return `input` with `updates` added at the positions in `indices`.",
    work=scatter_work,
)
scatter_nd_non_aliasing_add.shape(same_shape)
scatter_nd_non_aliasing_add.gradient(tensor_scatter_add_gradient)


@scatter_nd_non_aliasing_add.kernel
def scatter_nd_non_aliasing_add_kernel(
    input: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor, *, bad_indices_policy: str
) -> Any:
    return _add.op.kernels[None](input, indices, updates, bad_indices_policy=bad_indices_policy)


scatter_nd_non_aliasing_add.kernel(_add.op.kernels["GPU"], on="GPU")


_deep_copy = define(
    "DeepCopy(x: T) -> y: T",
    stateful=True,
    differentiable=False,
    doc="Return a tensor with the same content in memory of its own.",
)
_deep_copy.shape(same_shape)


@_deep_copy.kernel
def deep_copy_kernel(x: Any) -> Any:
    return x.copy() if is_text(x) else x.clone()
