"""tf.contrib.metrics: the metrics of tf.metrics with predictions before labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import placewise as tf
from placewise.layers import class_metrics, mean_metrics, threshold_metrics


def _swapped(metric: Any, name: str) -> Callable[..., tuple[Any, Any]]:
    """Return a metric that takes predictions first."""

    def streaming(
        predictions: Any,
        labels: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        value_and_update: tuple[Any, Any] = metric(
            labels,
            predictions,
            weights=weights,
            metrics_collections=metrics_collections,
            updates_collections=updates_collections,
            name=name,
        )
        return value_and_update

    streaming.__name__ = streaming.__qualname__ = name
    streaming.__doc__ = f"Return what tf.metrics.{metric.__name__} does; predictions come first."
    return streaming


def _over_values(metric: Any, name: str) -> Callable[..., tuple[Any, Any]]:
    """Return a metric of values alone."""

    def streaming(
        values: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        value_and_update: tuple[Any, Any] = metric(
            values,
            weights=weights,
            metrics_collections=metrics_collections,
            updates_collections=updates_collections,
            name=name,
        )
        return value_and_update

    streaming.__name__ = streaming.__qualname__ = name
    streaming.__doc__ = f"Return what tf.metrics.{metric.__name__} does."
    return streaming


streaming_accuracy = _swapped(mean_metrics.accuracy, "streaming_accuracy")
streaming_precision = _swapped(class_metrics.precision, "streaming_precision")
streaming_recall = _swapped(class_metrics.recall, "streaming_recall")
streaming_true_positives = _swapped(class_metrics.true_positives, "streaming_true_positives")
streaming_false_positives = _swapped(class_metrics.false_positives, "streaming_false_positives")
streaming_true_negatives = _swapped(class_metrics.true_negatives, "streaming_true_negatives")
streaming_false_negatives = _swapped(class_metrics.false_negatives, "streaming_false_negatives")
streaming_mean_absolute_error = _swapped(
    mean_metrics.mean_absolute_error, "streaming_mean_absolute_error"
)
streaming_mean_squared_error = _swapped(
    mean_metrics.mean_squared_error, "streaming_mean_squared_error"
)
streaming_root_mean_squared_error = _swapped(
    mean_metrics.root_mean_squared_error, "streaming_root_mean_squared_error"
)
streaming_mean = _over_values(mean_metrics.mean, "streaming_mean")
streaming_mean_tensor = _over_values(mean_metrics.mean_tensor, "streaming_mean_tensor")


def streaming_auc(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the area under a curve; predictions come first."""
    value_and_update: tuple[Any, Any] = threshold_metrics.auc(
        labels,
        predictions,
        weights=weights,
        num_thresholds=num_thresholds,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        curve=curve,
        name=name,
    )
    return value_and_update


def streaming_mean_iou(
    predictions: Any,
    labels: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean overlap of predicted and true classes; predictions come first."""
    value_and_update: tuple[Any, Any] = class_metrics.mean_iou(
        labels,
        predictions,
        num_classes,
        weights=weights,
        metrics_collections=metrics_collections,
        updates_collections=updates_collections,
        name=name,
    )
    return value_and_update


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """Return the share of predictions that are right, of this batch."""
    if labels.dtype.base_dtype != predictions.dtype.base_dtype:
        raise ValueError(
            f"Dtypes should be the same: labels {labels.dtype}, predictions {predictions.dtype}"
        )
    with tf.name_scope(name or "accuracy"):
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is None:
            return tf.reduce_mean(right)
        weights = tf.cast(weights, tf.float32)
        return tf.reduce_sum(right * weights) / tf.reduce_sum(weights * tf.ones_like(right))


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = tf.int32,
    name: str | None = None,
    weights: Any = None,
) -> Any:
    """Return how often each class was taken for each."""
    return tf.math.confusion_matrix(
        labels, predictions, num_classes=num_classes, dtype=dtype, name=name, weights=weights
    )


def aggregate_metrics(*value_update_tuples: Any) -> tuple[list[Any], list[Any]]:
    """Return the values of metrics, and their updates."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples, strict=True)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the values of metrics by name, and their updates."""
    names = list(names_to_tuples)
    values, updates = zip(*names_to_tuples.values(), strict=True)
    return dict(zip(names, values, strict=True)), dict(zip(names, updates, strict=True))
