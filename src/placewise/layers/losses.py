"""`tf.losses`: losses of predictions, weighted and reduced to one number."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.names import name_scope
from placewise.layers.loss_weights import after, assert_broadcastable, fitted, is_eager
from placewise.layers.weighted_loss import (
    LOSSES,
    Reduction,
    add_loss,
    compute_weighted_loss,
    number_present,
)
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.identity import stop_gradient
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import (
    maximum,
    minimum,
    multiply,
    square,
    squared_difference,
    subtract,
)
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import greater
from placewise.ops.math.division import divide_no_nan
from placewise.ops.math.exponential import log
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.nn.activations import relu
from placewise.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from placewise.ops.tf1_spelling import add_tf1, ones_like, shape, where_tf1, zeros_like

BY_NONZERO = Reduction.SUM_BY_NONZERO_WEIGHTS


def _given(**values: Any) -> None:
    for name, value in values.items():
        if value is None:
            raise ValueError(f"{name} must not be None.")


def _pair(predictions: Any, labels: Any) -> tuple[Any, Any]:
    predictions, labels = cast(predictions, dtypes.float32), cast(labels, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels


def absolute_difference(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return the mean distance between predictions and labels."""
    _given(labels=labels, predictions=predictions)
    with name_scope(scope or "absolute_difference") as inside:
        predictions, labels = _pair(predictions, labels)
        losses = absolute(subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: int | None = None,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
    dim: int | None = None,
) -> Any:
    """Return one minus the product of unit vectors along `axis`."""
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'")
        axis = dim
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    _given(labels=labels, predictions=predictions)
    with name_scope(scope or "cosine_distance_loss") as inside:
        predictions, labels = _pair(predictions, labels)
        products = reduce_sum(multiply(predictions, labels), axis=(axis,), keepdims=True)
        return compute_weighted_loss(1 - products, weights, inside, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return how far logits fall short of 1 on the side that labels (0 or 1) name."""
    _given(labels=labels, logits=logits)
    with name_scope(scope or "hinge_loss") as inside:
        logits, labels = _pair(logits, labels)
        ones = ones_like(labels)
        sides = subtract(2 * labels, ones)
        losses = relu(subtract(ones, multiply(sides, logits)))
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return a loss that is quadratic for errors below `delta` and linear beyond."""
    _given(labels=labels, predictions=predictions)
    with name_scope(scope or "huber_loss") as inside:
        predictions, labels = _pair(predictions, labels)
        errors = absolute(subtract(predictions, labels))
        near = minimum(errors, delta)
        far = subtract(errors, near)
        half = convert_to_tensor(0.5, near.dtype)
        losses = add_tf1(multiply(half, multiply(near, near)), multiply(delta, far))
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: TensorLike = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return the cross-entropy of probabilities with labels; `epsilon` keeps logs finite."""
    _given(labels=labels, predictions=predictions)
    with name_scope(scope or "log_loss") as inside:
        predictions, labels = _pair(predictions, labels)
        hits = -multiply(labels, log(predictions + epsilon))
        losses = hits - multiply(1 - labels, log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
) -> Any:
    """Return how far differences between pairs of predictions are from those between labels."""
    _given(labels=labels, predictions=predictions)
    with name_scope(scope or "mean_pairwise_squared_error"):
        weights = cast(weights, dtypes.float32)
        labels = cast(labels, dtypes.float32)
        check = assert_broadcastable(weights, labels)
        with after([check]):
            predictions, labels = _pair(predictions, labels)
            errors = subtract(predictions, labels)
            axes = list(range(1, errors.shape.rank))
            squares = reduce_sum(square(errors), axis=axes, keepdims=True)
            count = number_present(errors, weights, per_batch=True)
            first = 2.0 * divide_no_nan(squares, maximum(count - 1, 0), name="value")
            total = reduce_sum(errors, axis=axes, keepdims=True)
            pairs = maximum(multiply(count, count - 1), 0)
            second = 2.0 * divide_no_nan(square(total), pairs, name="value")
            loss = reduce_sum(multiply(first - second, weights))
            found = where_tf1(greater(reduce_sum(count), 0), loss, zeros_like(loss), name="value")
        add_loss(found, loss_collection)
        return found


def mean_squared_error(
    labels: Any,
    predictions: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return the mean square of the distance between predictions and labels.

    >>> import placewise as tf
    >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0]).numpy()
    np.float32(2.0)
    """
    _given(labels=labels, predictions=predictions)
    with name_scope(scope or "mean_squared_error") as inside:
        predictions, labels = _pair(predictions, labels)
        losses = squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return the cross-entropy of sigmoid(logits) with labels; smoothing moves these towards ½."""
    _given(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope or "sigmoid_cross_entropy_loss") as inside:
        logits = convert_to_tensor(logits)
        labels = cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return the cross-entropy of softmax(logits) with rows of probabilities."""
    _given(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope or "softmax_cross_entropy_loss") as inside:
        logits = convert_to_tensor(logits)
        labels = cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            negatives = label_smoothing / cast(shape(labels)[-1], logits.dtype)
            labels = labels * (1.0 - label_smoothing) + negatives
        labels = stop_gradient(labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, inside, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike = 1.0,
    scope: str | None = None,
    loss_collection: str = LOSSES,
    reduction: str = BY_NONZERO,
) -> Any:
    """Return the cross-entropy of softmax(logits) with the numbers of the right classes."""
    _given(labels=labels, logits=logits)
    with name_scope(scope or "sparse_softmax_cross_entropy_loss") as inside:
        plain = is_eager() and isinstance(weights, (int, float))
        labels, logits, fitting = fitted(
            labels, logits, None if plain else weights, expected_rank_diff=1
        )
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=labels, logits=logits, name="xentropy"
        )
        return compute_weighted_loss(
            losses, weights if plain else fitting, inside, loss_collection, reduction
        )
