"""softmax and its logarithm, along any axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from placewise.core.arguments import TensorLike
from placewise.core.dtypes import FLOATS
from placewise.core.errors import invalid
from placewise.core.shapes import Static
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import Bind, Call, define
from placewise.ops.families import bracketed, same_shape
from placewise.ops.math.exponential import exp
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.work import normalization_work


def _declared(name: str, output: str, function: Callable[..., Any], doc: str) -> Bind:
    made = define(
        f"{name}(logits: T) -> {output}: T",
        T=FLOATS,
        doc=doc,
        result="new",
        keeps_shape=True,
        work=normalization_work,
    )

    @made.shape
    def softmax_shape(logits: Static) -> Any:
        if logits.shape == ():
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        return same_shape(logits)

    @made.kernel
    def softmax_kernel(logits: torch.Tensor) -> Any:
        if not logits.dim():
            raise invalid(f"logits must have >= 1 dimension, got {bracketed(logits.shape)}")
        return function(logits, -1)

    return made


softmax_op = _declared("Softmax", "softmax", torch.softmax, "Return softmax along the last axis.")
log_softmax_op = _declared(
    "LogSoftmax",
    "logsoftmax",
    torch.log_softmax,
    "Return the logarithm of softmax along the last axis.",
)


@softmax_op.gradient
def softmax_gradient(call: Call, dy: Tensor) -> Any:
    y = call.output
    return (dy - reduce_sum(dy * y, -1, keepdims=True)) * y


@log_softmax_op.gradient
def log_softmax_gradient(call: Call, dy: Tensor) -> Any:
    probabilities = exp(call.output)
    return dy - reduce_sum(dy, -1, keepdims=True) * probabilities


def along_axis(
    function: Callable[..., Any], logits: TensorLike, axis: int | None, name: str | None
) -> Any:
    """Apply a function of the last axis along another one."""
    axis = -1 if axis is None else int(axis)
    x = convert_to_tensor(logits)
    shape = x._shape_tuple
    if axis == -1 or shape is None or len(shape) == axis + 1:
        if axis == -1 or shape is not None:
            return function(x, name)
        raise ValueError("softmax along an axis needs a tensor of known rank")
    rank = len(shape)
    if not -rank <= axis < rank:
        raise invalid(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of "
            f"dimensions in the input. Received: dim={axis}"
        )
    order = np.arange(rank, dtype=np.int32)
    order[[axis, -1]] = order[[-1, axis]]
    return transpose(function(transpose(x, order), None), order, name=name)


def softmax(logits: TensorLike, axis: Any = None, name: str | None = None) -> Any:
    """Return exp(logits) divided by its sum along `axis`: numbers that add up to 1.

    `logits`: floating-point numbers of rank 1 or more.
    `axis`: the axis that adds up to 1, the last one by default.

    The largest element is subtracted first, so that large numbers do not overflow. For a loss take
    `tf.nn.softmax_cross_entropy_with_logits`, which does not lose digits.

    >>> tf.nn.softmax([1.0, 1.0, 1.0, 1.0]).numpy()
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """
    return along_axis(softmax_op, logits, axis, name)


def log_softmax(logits: TensorLike, axis: Any = None, name: str | None = None) -> Any:
    """Return x - log(sum(exp(x))) along `axis`, the last one by default."""
    return along_axis(log_softmax_op, logits, axis, name)


def last_axis(x: Any, axis: int) -> Any:
    """Return `x` with `axis` moved to the end."""
    rank = len(x._shape_tuple)
    if not rank:
        return x
    at = axis % rank
    if at == rank - 1:
        return x
    order = [each for each in range(rank) if each != at] + [at]
    return transpose(x, np.asarray(order, np.int32))


def as_matrix(x: Any) -> Any:
    """Return `x` with all dimensions before the last as one."""
    shape = x._shape_tuple
    if shape is not None and len(shape) == 2:
        return x
    if shape is not None and shape and shape[-1] is not None:
        count = -1 if None in shape[:-1] else int(np.prod(shape[:-1], dtype=np.int64))
        return reshape(x, (count, shape[-1]))

    return reshape(x, concat([[-1], shape_of(x)[-1:]], 0))
