"""What each op gives when an input is sparse: functions that keep zero at zero act on the values.

`run` is asked by the eager runtime after an input turned out to be no tensor. The rules stand here,
above the ops they are for, and are kept on the ops. An op that has none and does not act on values
alone takes no sparse tensors, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.ops.array.shape import expand_dims as dense_expand_dims
from placewise.ops.array.shape import rank, shape, size
from placewise.ops.array.shape import reshape as dense_reshape
from placewise.ops.math.cast import cast
from placewise.ops.math.histogram import dense_bincount_op, sparse_bincount_op
from placewise.ops.math.reduction import reduce_prod
from placewise.ops.sparse.arrangement import expand_dims, reshape
from placewise.ops.sparse.sparse_tensor import SparseTensor


def sparse_rule(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function say what some ops give for a sparse first input; they are named by object."""

    def register(rule: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            function.op.sparse_rule = rule
        return rule

    return register


def run(op: Any, inputs: Any, attrs: Any, name: str | None) -> Any:
    """Return what `op` gives on these inputs, or NotImplemented."""
    sp = inputs[0]
    if not isinstance(sp, SparseTensor):
        return NotImplemented
    if op.sparse_values:
        return sp.with_values(op.bind(sp.values, **attrs, name=name))
    if op.sparse_rule is not None:
        return op.sparse_rule(inputs, attrs, name)
    return NotImplemented


@sparse_rule(shape)
def _shape(inputs: Any, attrs: Any, name: str | None) -> Any:
    return cast(inputs[0].dense_shape, attrs["out_type"])


@sparse_rule(size)
def _size(inputs: Any, attrs: Any, name: str | None) -> Any:
    return reduce_prod(cast(inputs[0].dense_shape, attrs["out_type"]))


@sparse_rule(rank)
def _rank(inputs: Any, attrs: Any, name: str | None) -> Any:
    return size(inputs[0].dense_shape)


@sparse_rule(dense_bincount_op)
def _bincount(inputs: Any, attrs: Any, name: str | None) -> Any:
    sp, count, weights = inputs
    if isinstance(weights, SparseTensor):
        weights = weights.values
    return sparse_bincount_op(
        sp.indices, sp.values, sp.dense_shape, count, weights, **attrs, name=name
    )


@sparse_rule(dense_expand_dims)
def _expand_dims(inputs: Any, attrs: Any, name: str | None) -> Any:
    return expand_dims(*inputs)


@sparse_rule(dense_reshape)
def _reshape(inputs: Any, attrs: Any, name: str | None) -> Any:
    return reshape(*inputs)
