"""tf.contrib.losses: the losses of tf.losses with predictions first, as their first version had.

Each puts what it gives into the collection of losses.
"""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.core.arguments import TensorLike
from placewise.graph.collections import GraphKeys, add_to_collection, get_collection
from placewise.layers import losses as tf_losses
from placewise.layers import weighted_loss
from placewise.layers.weighted_loss import Reduction

_MEAN = Reduction.SUM_BY_NONZERO_WEIGHTS


def absolute_difference(
    predictions: TensorLike, labels: Any = None, weights: TensorLike = 1.0, scope: Any = None
) -> Any:
    """Return the mean size of the differences."""
    return tf_losses.absolute_difference(
        labels, predictions, weights, scope or "absolute_difference"
    )


def mean_squared_error(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    weights: TensorLike = 1.0,
    scope: Any = None,
) -> Any:
    """Return the mean square of the differences."""
    return tf_losses.mean_squared_error(labels, predictions, weights, scope or "mean_squared_error")


def mean_pairwise_squared_error(
    predictions: TensorLike, labels: Any = None, weights: TensorLike = 1.0, scope: Any = None
) -> Any:
    """Return the mean square of the differences between pairs of differences."""
    return tf_losses.mean_pairwise_squared_error(
        labels, predictions, weights, scope or "mean_pairwise_squared_error"
    )


def log_loss(
    predictions: TensorLike,
    labels: Any = None,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: Any = None,
) -> Any:
    """Return the loss of probabilities against labels of 0 and 1."""
    return tf_losses.log_loss(labels, predictions, weights, epsilon, scope or "log_loss")


def hinge_loss(logits: Any, labels: Any = None, scope: Any = None) -> Any:
    """Return how far each logit is from the right side; labels are 0 and 1."""
    with tf.name_scope(scope or "hinge_loss"):
        logits.shape.assert_is_compatible_with(labels.shape)
        signs = 2 * tf.cast(labels, tf.float32) - 1
        return tf.nn.relu(1 - signs * logits)


def cosine_distance(
    predictions: TensorLike,
    labels: TensorLike | None = None,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: Any = None,
    dim: int | None = None,
) -> Any:
    """Return one less the cosine between predictions and labels, both of length one."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with tf.name_scope(scope or "cosine_distance_loss"):
        product = tf.cast(predictions, tf.float32) * tf.cast(labels, tf.float32)
        losses = 1 - tf.reduce_sum(product, [axis])
        return compute_weighted_loss(losses, weights)


def sigmoid_cross_entropy(
    logits: TensorLike,
    multi_class_labels: Any,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
) -> Any:
    """Return the loss of several yes-or-no questions."""
    return tf_losses.sigmoid_cross_entropy(
        multi_class_labels, logits, weights, label_smoothing, scope or "sigmoid_cross_entropy_loss"
    )


def softmax_cross_entropy(
    logits: TensorLike,
    onehot_labels: Any,
    weights: TensorLike = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
) -> Any:
    """Return the loss of one choice of many, labels one-hot."""
    return tf_losses.softmax_cross_entropy(
        onehot_labels, logits, weights, label_smoothing, scope or "softmax_cross_entropy_loss"
    )


def sparse_softmax_cross_entropy(
    logits: TensorLike, labels: TensorLike, weights: TensorLike = 1.0, scope: Any = None
) -> Any:
    """Return the loss of one choice of many, labels by number."""
    return tf_losses.sparse_softmax_cross_entropy(
        labels, logits, weights, scope or "sparse_softmax_cross_entropy_loss"
    )


def compute_weighted_loss(losses: Any, weights: TensorLike = 1.0, scope: Any = None) -> Any:
    """Return the weighted mean of losses."""
    return weighted_loss.compute_weighted_loss(losses, weights, scope or "weighted_loss")


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Put a loss into the collection of losses."""
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_losses(scope: Any = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """Return the losses under a scope."""
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope: Any = None) -> list[Any]:
    """Return the losses that regularizers gave."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Any:
    """Return the sum of all losses."""
    losses = get_losses()
    if add_regularization_losses:
        losses = losses + get_regularization_losses()
    return tf.add_n(losses, name=name)
