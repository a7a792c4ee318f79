"""Metrics of probabilities: counts at thresholds, and the curves they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.layers.loss_weights import after, broadcast_weights, fitted
from placewise.layers.metric_state import both, metric, metric_variable
from placewise.ops.array.creation import constant, ones_like
from placewise.ops.array.shape import reshape
from placewise.ops.array.where import where
from placewise.ops.flow.assert_print import assert_op
from placewise.ops.math.arithmetic import abs as absolute
from placewise.ops.math.arithmetic import add, maximum, minimum, multiply, subtract
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, greater, greater_equal, less_equal
from placewise.ops.math.division import div, divide_no_nan
from placewise.ops.math.exponential import log
from placewise.ops.math.extremes import argmax, argmin
from placewise.ops.math.logic import logical_and, logical_not
from placewise.ops.math.reduction import reduce_all, reduce_min, reduce_sum
from placewise.ops.math.scan import cumsum

_EPSILON = 1e-7
_KINDS = {
    "tp": "true_positives",
    "fn": "false_negatives",
    "tn": "true_negatives",
    "fp": "false_positives",
}


def _counts(
    labels: Any, predictions: Any, thresholds: Any, weights: Any, kinds: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the counts of each kind at each threshold so far, and their updates."""
    with after(_within_bounds(predictions)):
        labels, predictions, weights = fitted(
            cast(labels, dtypes.bool), cast(predictions, dtypes.float32), weights
        )
    scores = reshape(predictions, [1, -1])
    positive = reshape(cast(labels, dtypes.bool), [1, -1])
    called = greater(scores, constant([[each] for each in thresholds], dtypes.float32))
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float32), predictions)
        weights = reshape(weights, [1, -1])
    conditions: dict[str, Any] = {
        "tp": lambda: logical_and(positive, called),
        "fn": lambda: logical_and(positive, logical_not(called)),
        "tn": lambda: logical_and(logical_not(positive), logical_not(called)),
        "fp": lambda: logical_and(logical_not(positive), called),
    }
    now, updated = {}, {}
    for kind, condition in conditions.items():
        if kind not in kinds:
            continue
        now[kind] = metric_variable([len(thresholds)], dtypes.float32, _KINDS[kind])
        cases = cast(condition(), dtypes.float32)
        if weights is not None:
            cases = multiply(cases, weights)
        updated[kind] = now[kind].assign_add(reduce_sum(cases, 1))
    return now, updated


def _within_bounds(predictions: Any) -> list[Any]:
    predictions = cast(predictions, dtypes.float32)
    return [
        assert_op(
            reduce_all(compare(predictions, bound)),
            [
                "predictions must be in [0, 1]",
                f"Condition x {sign} y did not hold element-wise:",
                f"x ({predictions.name}) = ",
                predictions,
                "y = ",
                bound,
            ],
        )
        for compare, sign, bound in ((greater_equal, ">=", 0.0), (less_equal, "<=", 1.0))
    ]


def _spread(count: int, last: float) -> list[float]:
    """Return thresholds evenly spread over (0, 1), with one below and one above them."""
    inner = [(place + 1) * 1.0 / (count - 1) for place in range(count - 2)]
    return [0.0 - _EPSILON, *inner, last]


def _at_thresholds(kind: str) -> Callable[..., Any]:
    default = _KINDS[kind]

    def count(
        labels: Any,
        predictions: Any,
        thresholds: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        now, updated = _counts(labels, predictions, list(thresholds), weights, (kind,))
        return now[kind].value(), updated[kind]

    count.__name__ = count.__qualname__ = f"{default}_at_thresholds"
    count.__doc__ = f"Return the weighted number of {default.replace('_', ' ')} per threshold."
    return metric(default)(count)  # type: ignore[no-any-return]


true_positives_at_thresholds = _at_thresholds("tp")
false_negatives_at_thresholds = _at_thresholds("fn")
true_negatives_at_thresholds = _at_thresholds("tn")
false_positives_at_thresholds = _at_thresholds("fp")


@metric("precision_at_thresholds")
def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return, per threshold, which part of what lies above it is positive."""
    return _shares(labels, predictions, thresholds, weights, ("tp", "fp"), "precision")


@metric("recall_at_thresholds")
def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return, per threshold, which part of what is positive lies above it."""
    return _shares(labels, predictions, thresholds, weights, ("tp", "fn"), "recall")


def _shares(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any,
    kinds: tuple[str, str],
    what: str,
) -> tuple[Any, Any]:
    now, updated = _counts(labels, predictions, list(thresholds), weights, kinds)

    def share(hits: Any, others: Any, name: str) -> Any:
        return div(hits, add(add(_EPSILON, hits), others), name=f"{what}_{name}")

    return both(share, [now[kind] for kind in kinds], [updated[kind] for kind in kinds])


def _over_all(
    compute: Callable[..., Any], labels: Any, predictions: Any, points: list[float], weights: Any
) -> tuple[Any, Any]:
    """Return what a function makes of the counts of all four kinds at some thresholds."""
    now, updated = _counts(labels, predictions, points, weights, _KINDS)
    return both(compute, [now[kind].value() for kind in _KINDS], [updated[k] for k in _KINDS])


@metric("auc")
def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> tuple[Any, Any]:
    """Return the area under the curve of hits over false alarms, or of precision over recall."""
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    if thresholds is None:
        points = _spread(num_thresholds, 1.0 + _EPSILON)
    else:
        points = [0.0 - _EPSILON, *sorted(thresholds), 1.0 + _EPSILON]

    def area(hits: Any, missed: Any, quiet: Any, alarms: Any, name: str) -> Any:
        if curve == "PR" and summation_method == "careful_interpolation":
            return _interpolated(hits, alarms, missed, len(points))
        return _area(hits, missed, quiet, alarms, len(points), curve, summation_method, name)

    return _over_all(area, labels, predictions, points, weights)


def _area(
    hits: Any, missed: Any, quiet: Any, alarms: Any, count: int, curve: str, method: str, name: str
) -> Any:
    # Small enough not to change a share, large enough to keep an empty one finite.
    epsilon = 1.0e-6
    recall = div(add(hits, epsilon), add(add(hits, missed), epsilon))
    if curve == "ROC":
        x, y = div(alarms, add(add(alarms, quiet), epsilon)), recall
    else:
        x, y = recall, div(add(hits, epsilon), add(add(hits, alarms), epsilon))
    steps = subtract(x[: count - 1], x[1:])
    if method in ("trapezoidal", "careful_interpolation"):
        heights = div(add(y[: count - 1], y[1:]), 2.0)
    elif method == "minoring":
        heights = minimum(y[: count - 1], y[1:])
    elif method == "majoring":
        heights = maximum(y[: count - 1], y[1:])
    else:
        raise ValueError(f"Invalid summation_method: {method}")
    return reduce_sum(multiply(steps, heights), name=name)


def _interpolated(hits: Any, alarms: Any, missed: Any, count: int) -> Any:
    """Return the area under precision over recall, hits and alarms linear between thresholds."""
    gained = subtract(hits[: count - 1], hits[1:])
    called = add(hits, alarms)
    above, below = called[: count - 1], called[1:]
    slope = divide_no_nan(gained, maximum(subtract(above, below), 0), name="prec_slope")
    intercept = subtract(hits[1:], multiply(slope, below))
    growth = where(
        logical_and(greater(above, 0), greater(below, 0)),
        divide_no_nan(above, maximum(below, 0), name="recall_relative_ratio"),
        ones_like(below),
    )
    pieces = multiply(slope, add(gained, multiply(intercept, log(growth))))
    positive = maximum(add(hits[1:], missed[1:]), 0)
    return reduce_sum(
        divide_no_nan(pieces, positive, name="pr_auc_increment"), name="interpolate_pr_auc"
    )


@metric("sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the share of positives found at the threshold with the given specificity."""
    if specificity < 0 or specificity > 1:
        raise ValueError("`specificity` must be in the range [0, 1].")
    points = _spread(num_thresholds, 1.0 + _EPSILON)

    def found(hits: Any, missed: Any, quiet: Any, alarms: Any, name: str) -> Any:
        shares = div(quiet, add(add(quiet, alarms), _EPSILON))
        place = cast(argmin(absolute(subtract(shares, specificity)), 0), dtypes.int32)
        return div(hits[place], add(add(hits[place], missed[place]), _EPSILON), name=name)

    return _over_all(found, labels, predictions, points, weights)


@metric("specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the share of negatives left alone at the threshold with the given sensitivity."""
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")
    points = _spread(num_thresholds, 1.0 - _EPSILON)

    def found(hits: Any, missed: Any, quiet: Any, alarms: Any, name: str) -> Any:
        shares = div(hits, add(add(hits, missed), _EPSILON))
        away = absolute(subtract(shares, sensitivity))
        # Of several thresholds that come as near, the last: it raises the fewest alarms.
        nearest = cast(equal(away, reduce_min(away)), dtypes.int64)
        place = cast(argmax(cumsum(nearest), 0), dtypes.int32)
        return div(quiet[place], add(add(quiet[place], alarms[place]), _EPSILON), name=name)

    return _over_all(found, labels, predictions, points, weights)
