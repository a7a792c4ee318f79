"""Metrics that are means: of values, of errors, of what is right."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.graph.variable_scope import variable_scope
from placewise.layers.loss_weights import after, broadcast_weights, fitted
from placewise.layers.metric_state import (
    both,
    counter,
    metric_variable,
    only_in_graphs,
    published,
    ratio,
)
from placewise.ops.array.creation import ones_like, zeros_like
from placewise.ops.array.where import where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import multiply, squared_difference, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, less
from placewise.ops.math.division import div
from placewise.ops.math.exponential import sqrt
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.tf1_spelling import size


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the weighted mean of all values seen so far, and the op that takes in new ones."""
    only_in_graphs("mean")
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total, count = counter("total"), counter("count")
        if weights is None:
            number = cast(size(values), dtypes.float32)
        else:
            _, values, weights = fitted(None, values, weights)
            weights = broadcast_weights(cast(weights, dtypes.float32), values)
            values = multiply(values, weights)
            number = reduce_sum(weights)
        more = total.assign_add(reduce_sum(values))
        with after([values]):
            further = count.assign_add(number)
        made = both(ratio, (total, count), (more, further))
        return published(*made, metrics_collections, updates_collections)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the weighted mean of all tensors seen so far, element by element."""
    only_in_graphs("mean_tensor")
    with variable_scope(name, "mean", (values, weights)):
        values = cast(values, dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, "total_tensor")
        count = metric_variable(values.shape, dtypes.float32, "count_tensor")
        number = ones_like(values)
        if weights is not None:
            _, values, weights = fitted(None, values, weights)
            weights = broadcast_weights(cast(weights, dtypes.float32), values)
            values, number = multiply(values, weights), multiply(number, weights)
        more = total.assign_add(values)
        with after([values]):
            further = count.assign_add(number)
        made = both(ratio, (total, count), (more, further))
        return published(*made, metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return how often predictions equal labels."""
    only_in_graphs("accuracy")
    labels, predictions, weights = fitted(labels, predictions, weights)
    if labels.dtype.base_dtype is not predictions.dtype.base_dtype:
        predictions = cast(predictions, labels.dtype)
    right = cast(equal(predictions, labels), dtypes.float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean distance between predictions and labels."""
    only_in_graphs("mean_absolute_error")
    labels, predictions, weights = fitted(labels, predictions, weights)
    errors = absolute(subtract(predictions, labels))
    return mean(
        errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error"
    )


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return one minus the mean product of unit vectors along `dim`."""
    only_in_graphs("mean_cosine_distance")
    labels, predictions, weights = fitted(labels, predictions, weights)
    products = reduce_sum(multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    return published(
        subtract(1.0, value), subtract(1.0, update), metrics_collections, updates_collections
    )


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean distance between predictions and labels by `normalizer`."""
    only_in_graphs("mean_relative_error")
    labels, predictions, weights = fitted(labels, predictions, weights)
    predictions, normalizer = without_last_of(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = where(
        equal(normalizer, 0.0),
        zeros_like(labels),
        div(absolute(subtract(labels, predictions)), normalizer),
    )
    return mean(
        errors, weights, metrics_collections, updates_collections, name or "mean_relative_error"
    )


def without_last_of(predictions: Any, normalizer: Any) -> tuple[Any, Any]:
    """Return predictions and normalizer with equal ranks."""
    normalizer, predictions, _ = fitted(convert_to_tensor(normalizer), predictions)
    return predictions, normalizer


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean square of the distance between predictions and labels."""
    only_in_graphs("mean_squared_error")
    labels, predictions, weights = fitted(labels, predictions, weights)
    errors = squared_difference(predictions, labels)
    return mean(
        errors, weights, metrics_collections, updates_collections, name or "mean_squared_error"
    )


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the root of the mean square of the distance between predictions and labels."""
    only_in_graphs("root_mean_squared_error")
    value, update = mean_squared_error(
        labels, predictions, weights, None, None, name or "root_mean_squared_error"
    )
    return published(sqrt(value), sqrt(update), metrics_collections, updates_collections)


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return which part of the values lies below a threshold."""
    only_in_graphs("percentage_below")
    below = cast(less(values, threshold), dtypes.float32)
    return mean(
        below,
        weights,
        metrics_collections,
        updates_collections,
        name or "percentage_below_threshold",
    )
