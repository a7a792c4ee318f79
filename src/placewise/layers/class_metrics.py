"""Metrics of predicted classes: counts of right and wrong, precision, recall, overlaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.layers.loss_weights import broadcast_weights, fitted
from placewise.layers.metric_state import (
    both,
    counter,
    metric,
    metric_variable,
    ratio,
)
from placewise.ops.array.creation import ones, ones_like
from placewise.ops.array.shape import identity, reshape
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.linalg.diagonal import tensor_diag_part
from placewise.ops.math.arithmetic import add, multiply, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, greater, not_equal
from placewise.ops.math.division import div, truediv
from placewise.ops.math.histogram import confusion_matrix
from placewise.ops.math.logic import logical_and
from placewise.ops.math.reduction import reduce_mean, reduce_sum
from placewise.ops.tf1_spelling import size


def _counted(values: Any, weights: Any) -> tuple[Any, Any]:
    """Return how often a condition held so far, and the op that takes in new cases."""
    count = counter("count")
    values = cast(values, dtypes.float32)
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), values)
        values = multiply(values, weights)
    return identity(count), count.assign_add(reduce_sum(values))


def _condition(name: str, label: bool, prediction: bool, what: str) -> Callable[..., Any]:
    """Make the metric that counts cases with a given label and prediction."""

    def count(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        labels, predictions, weights = fitted(
            cast(labels, dtypes.bool), cast(predictions, dtypes.bool), weights
        )
        is_met = logical_and(equal(labels, label), equal(predictions, prediction))
        return _counted(is_met, weights)

    count.__name__ = count.__qualname__ = name
    count.__doc__ = f"Return the weighted number of {what} so far."
    return metric(name)(count)  # type: ignore[no-any-return]


true_positives = _condition("true_positives", True, True, "cases rightly called positive")
true_negatives = _condition("true_negatives", False, False, "cases rightly called negative")
false_positives = _condition("false_positives", False, True, "cases wrongly called positive")
false_negatives = _condition("false_negatives", True, False, "cases wrongly called negative")


def _share(hits: Any, others: Any, name: str | None = None) -> Any:
    return where(greater(add(hits, others), 0), div(hits, add(hits, others)), 0.0, name=name)


def _hits_by(others: Any, labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any]:
    """Return the share of right cases called positive among them and those of another metric."""
    cases = fitted(cast(labels, dtypes.bool), cast(predictions, dtypes.bool), weights)
    counts, updates = zip(true_positives(*cases), others(*cases), strict=True)
    return both(_share, counts, updates)


@metric("precision")
def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return which part of what was called positive is positive."""
    return _hits_by(false_positives, labels, predictions, weights)


@metric("recall")
def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return which part of what is positive was called so."""
    return _hits_by(false_negatives, labels, predictions, weights)


def _flat(value: Any) -> Any:
    return reshape(value, [-1]) if value.shape.rank is None or value.shape.rank > 1 else value


@metric("mean_iou")
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean, over classes, of what labels and predictions share by what either has.

    The second of the pair is the matrix of counts after taking in new cases.
    """
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    predictions.shape.assert_is_compatible_with(labels.shape)
    shape = [num_classes, num_classes]
    total = metric_variable(shape, dtypes.float64, "total_confusion_matrix")
    if weights is not None:
        weights = _flat(convert_to_tensor(weights))
    current = confusion_matrix(
        _flat(cast(labels, dtypes.int64)),
        _flat(cast(predictions, dtypes.int64)),
        num_classes,
        weights=weights,
        dtype=dtypes.float64,
    )
    update = total.assign_add(current)
    return _overlap(total, "mean_iou"), update


def _overlap(matrix: Any, name: str) -> Any:
    matrix = convert_to_tensor(matrix)
    predicted = cast(reduce_sum(matrix, 0), dtypes.float32)
    labelled = cast(reduce_sum(matrix, 1), dtypes.float32)
    shared = cast(tensor_diag_part(matrix), dtypes.float32)
    either = subtract(add(predicted, labelled), shared)
    seen = reduce_sum(cast(not_equal(either, 0), dtypes.float32))
    either = where(greater(either, 0), either, ones_like(either))
    total = reduce_sum(div(shared, either), name=name)
    return where(greater(seen, 0), truediv(total, seen), 0.0)


@metric("mean_accuracy")
def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean, over classes, of how often a case of the class was called so."""
    labels = _flat(cast(labels, dtypes.int64))
    predictions = _flat(convert_to_tensor(predictions))
    predictions.shape.assert_is_compatible_with(labels.shape)
    total = metric_variable([num_classes], dtypes.float32, "total")
    count = metric_variable([num_classes], dtypes.float32, "count")
    cases = ones([size(labels)], dtypes.float32)
    right = cast(equal(cast(predictions, labels.dtype), labels), dtypes.float32)
    if weights is not None:
        weights = cast(_flat(convert_to_tensor(weights)), dtypes.float32)
        right, cases = multiply(right, weights), multiply(cases, weights)
    more = total.scatter_add(IndexedSlices(cases, labels))
    more_right = count.scatter_add(IndexedSlices(right, labels))
    value = reduce_mean(ratio(count, total), name="mean_accuracy")
    update = ratio(more_right, more, name="update_op")
    return value, update
