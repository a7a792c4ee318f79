"""Regularizers: losses of weights."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.graph.collections import GraphKeys, add_to_collection, get_collection

Regularizer = Callable[[Any], Any]


def _no_penalty(_: Any) -> None:
    return None


def _scaled(penalty: Regularizer, scale: Any, scope: str) -> Regularizer:
    """Return a regularizer: a penalty of the weights times `scale`, under a name scope.

    A scale of zero gives no operation at all.
    """
    _check_scale(scale)
    if isinstance(scale, numbers.Real) and not scale:
        return _no_penalty

    def regularize(weights: Any, name: str | None = None) -> Any:
        del name  # as in TensorFlow, which names the operations by the scope alone
        with tf.name_scope(scope) as full_scope:
            factor = tf.convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, penalty(weights), name=full_scope)

    return regularize


def _check_scale(scale: Any, name: str = "scale") -> None:
    """Raise ValueError for whole and negative numbers; a tensor may be anything."""
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Return a regularizer: the sum of the weights' absolute values times `scale`."""
    return _scaled(lambda weights: tf.reduce_sum(tf.abs(weights)), scale, scope or "l1_regularizer")


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Return a function of weights that returns `scale` times half the sum of their squares.

    `scale`: the factor; 0 makes a regularizer that returns None.
    `scope`: the name scope of its operations.

    Raises ValueError for an integer or negative scale.

    >>> penalty = tf.compat.v1.contrib.layers.l2_regularizer(0.1)
    >>> print(penalty(tf.constant([3.0, 4.0])).numpy())
    1.25
    """
    return _scaled(tf.nn.l2_loss, scale, scope or "l2_regularizer")


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer:
    """Return a regularizer that adds up the other two."""
    scope = scope or "l1_l2_regularizer"
    kinds = {"scale_l1": (l1_regularizer, scale_l1), "scale_l2": (l2_regularizer, scale_l2)}
    for name, (_, scale) in kinds.items():
        _check_scale(scale, name)
    used = [(make, scale) for make, scale in kinds.values() if _is_tensor(scale) or scale != 0.0]
    if len(used) == 2:
        total: Regularizer = sum_regularizer([make(scale) for make, scale in used], scope=scope)
        return total
    make, scale = used[0] if used else (l1_regularizer, 0.0)
    return make(scale, scope)


def _is_tensor(scale: Any) -> bool:
    return not isinstance(scale, numbers.Real)


def sum_regularizer(regularizer_list: Any, scope: str | None = None) -> Any:
    """Return a regularizer that adds up others; None if all of them are."""
    parts = [part for part in regularizer_list if part is not None]

    def regularize(weights: Any) -> Any:
        with tf.name_scope(scope or "sum_regularizer") as full_scope:
            penalties = [penalty for part in parts if (penalty := part(weights)) is not None]
            return tf.add_n(penalties, name=full_scope) if penalties else None

    return regularize if parts else None


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Any:
    """Return the sum of the penalties of all weights, and add it to the regularization losses.

    The weights are those of the collection `weights` by default.
    """
    weights_list = weights_list or get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with tf.name_scope("get_regularization_penalty") as full_scope:
        total = tf.add_n([_penalty(regularizer, item) for item in weights_list], name=full_scope)
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total


def _penalty(regularizer: Regularizer, weights: Any) -> Any:
    penalty = regularizer(weights)
    if penalty is None:
        return tf.constant(0.0)
    if (rank := penalty.shape.rank) != 0:
        raise ValueError(
            f"regularizer must return a scalar Tensor instead of a Tensor with rank {rank}."
        )
    return penalty
