"""Metrics that are means: of values, of errors, of what is right."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.layers.loss_weights import after, broadcast_weights, fitted
from placewise.layers.metric_state import (
    both,
    counter,
    metric,
    metric_variable,
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


@metric("mean")
def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the weighted mean of all values seen so far, and the op that takes in new ones."""
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
    return both(ratio, (total, count), (more, further))


@metric("mean")
def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the weighted mean of all tensors seen so far, element by element."""
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
    return both(ratio, (total, count), (more, further))


def _mean_of(scope: str) -> Callable[[Any], Any]:
    """Return a decorator for functions that return values and weights: the metric is their mean."""

    def declare(compute: Callable[..., tuple[Any, Any]]) -> Any:
        signature = inspect.signature(compute)

        @functools.wraps(compute)
        def average(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
            values, weights = compute(*args, **kwargs)
            name = signature.bind(*args, **kwargs).arguments.get("name") or scope
            return mean(values, weights, name=name)  # type: ignore[no-any-return]

        return metric(None)(average)

    return declare


@_mean_of("accuracy")
def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return how often predictions equal labels."""
    labels, predictions, weights = fitted(labels, predictions, weights)
    if labels.dtype.base_dtype is not predictions.dtype.base_dtype:
        predictions = cast(predictions, labels.dtype)
    return cast(equal(predictions, labels), dtypes.float32), weights


@_mean_of("mean_absolute_error")
def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean distance between predictions and labels."""
    labels, predictions, weights = fitted(labels, predictions, weights)
    return absolute(subtract(predictions, labels)), weights


@metric(None)
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
    labels, predictions, weights = fitted(labels, predictions, weights)
    products = reduce_sum(multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, name=name or "mean_cosine_distance")
    return subtract(1.0, value), subtract(1.0, update)


@_mean_of("mean_relative_error")
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
    labels, predictions, weights = fitted(labels, predictions, weights)
    normalizer, predictions, _ = fitted(convert_to_tensor(normalizer), predictions)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = where(
        equal(normalizer, 0.0),
        zeros_like(labels),
        div(absolute(subtract(labels, predictions)), normalizer),
    )
    return errors, weights


@_mean_of("mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean square of the distance between predictions and labels."""
    labels, predictions, weights = fitted(labels, predictions, weights)
    return squared_difference(predictions, labels), weights


@metric(None)
def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the root of the mean square of the distance between predictions and labels."""
    name = name or "root_mean_squared_error"
    value, update = mean_squared_error(labels, predictions, weights, name=name)
    return sqrt(value), sqrt(update)


@_mean_of("percentage_below_threshold")
def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return which part of the values lies below a threshold."""
    return cast(less(values, threshold), dtypes.float32), weights
