"""Regularizers: losses of weights."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.graph.collections import GraphKeys, add_to_collection, get_collection

Regularizer = Callable[[Any], Any]


def _checked(scale: Any, told: str = "scale") -> bool:
    """Return whether a scale is the number zero; refuse what can be no scale."""
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{told} cannot be an integer: {scale}")
    if not isinstance(scale, numbers.Real):
        return False
    if scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
    return scale == 0.0


def _nothing(_: Any) -> None:
    return None


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Return a regularizer: the sum of the weights' sizes times `scale`."""
    if _checked(scale):
        return _nothing

    def l1(weights: Any, name: str | None = None) -> Any:
        with tf.name_scope(name or scope or "l1_regularizer") as inside:
            factor = tf.convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.reduce_sum(tf.abs(weights)), name=inside)

    return l1


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Return a regularizer: half the sum of the weights' squares times `scale`."""
    if _checked(scale):
        return _nothing

    def l2(weights: Any) -> Any:
        with tf.name_scope(scope or "l2_regularizer") as inside:
            factor = tf.convert_to_tensor(scale, weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.nn.l2_loss(weights), name=inside)

    return l2


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer:
    """Return a regularizer that adds up the other two."""
    _checked(scale_l1, "scale_l1")
    _checked(scale_l2, "scale_l2")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    regularizer: Regularizer = sum_regularizer(
        [l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope
    )
    return regularizer


def sum_regularizer(regularizer_list: Any, scope: str | None = None) -> Any:
    """Return a regularizer that adds up others."""
    parts = [each for each in regularizer_list if each is not None]
    if not parts:
        return None

    def added(weights: Any) -> Any:
        with tf.name_scope(scope or "sum_regularizer") as inside:
            found = [each(weights) for each in parts]
            found = [each for each in found if each is not None]
            return tf.add_n(found, name=inside) if found else None

    return added


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Any:
    """Return the loss of all weights, and put it into the regularization losses."""
    if not weights_list:
        weights_list = get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with tf.name_scope("get_regularization_penalty") as inside:
        found = [regularizer(weights) for weights in weights_list]
        found = [tf.constant(0.0) if each is None else each for each in found]
        for each in found:
            if each.shape.rank != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{each.shape.rank}."
                )
        total = tf.add_n(found, name=inside)
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total
