"""Metrics of ranked classes: precision and recall among the k predictions that score best."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from placewise.core import dtypes
from placewise.core.names import name_scope
from placewise.graph.variable_scope import get_variable_scope, variable_scope
from placewise.layers.loss_weights import after, assert_broadcastable, broadcast_weights
from placewise.layers.metric_state import counter, metric
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.set_operations import set_difference, set_intersection, set_size
from placewise.ops.array.shape import expand_dims, shape, size
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import add, minimum, multiply
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal, greater
from placewise.ops.math.division import div, divide_no_nan
from placewise.ops.math.extremes import top_k
from placewise.ops.math.logic import logical_and, logical_not
from placewise.ops.math.reduction import reduce_any, reduce_sum
from placewise.ops.math.scan import cumsum
from placewise.ops.sparse.arrangement import expand_dims as expand_sparse
from placewise.ops.sparse.arrangement import retain
from placewise.ops.sparse.sparse_tensor import SparseTensor


def _at_k(name: str, k: Any = None, class_id: Any = None) -> str:
    text = f"{name}_at_{k}" if k is not None else f"{name}_at_k"
    return f"{text}_class{class_id}" if class_id is not None else text


def _labels_for(labels: Any, predictions_idx: Any) -> Any:
    """Return labels as int64 with a last dimension for several labels of one case."""
    if not isinstance(labels, SparseTensor):
        labels = cast(labels, dtypes.int64)
        ranks = labels.shape.rank, predictions_idx.shape.rank
        if None not in ranks and ranks[0] == ranks[1] - 1:
            labels = expand_dims(labels, -1)
        return labels
    if labels.dtype is not dtypes.int64:
        labels = SparseTensor(labels.indices, cast(labels.values, dtypes.int64), labels.dense_shape)
    if labels.shape.rank is not None and labels.shape.rank == predictions_idx.shape.rank - 1:
        labels = expand_sparse(labels, -1)
    return labels


def _holds(ids: Any, class_id: Any) -> Any:
    """Return, per case, whether a class is among its ids."""
    if isinstance(ids, SparseTensor):
        kept = retain(ids, equal(ids.values, cast(class_id, dtypes.int64)))
        return greater(set_size(kept), 0)
    return reduce_any(equal(ids, cast(class_id, dtypes.int64)), axis=-1)


def _cases(kind: str, predictions_idx: Any, labels: Any, class_id: Any) -> Any:
    """Return, per case, the number of hits (tp), of false alarms (fp) or of misses (fn)."""
    if class_id is not None:
        called, is_so = _holds(predictions_idx, class_id), _holds(labels, class_id)
        if kind == "fp":
            is_so = logical_not(is_so)
        elif kind == "fn":
            called = logical_not(called)
        return logical_and(called, is_so)
    if kind == "tp":
        return set_size(set_intersection(predictions_idx, labels))
    return set_size(set_difference(predictions_idx, labels, aminusb=kind == "fp"))


_NAMES = {"tp": "true_positive", "fp": "false_positive", "fn": "false_negative"}


def _counted(
    kind: str, predictions_idx: Any, labels: Any, k: Any, class_id: Any, weights: Any
) -> tuple[Any, Any]:
    """Return the number of such cases so far, and the op that takes in new ones."""
    with name_scope(_at_k(_NAMES[kind], k, class_id)) as scope:
        found = cast(_cases(kind, predictions_idx, labels, class_id), dtypes.float64)
        if weights is not None:
            weights = cast(weights, dtypes.float64)
            with after([assert_broadcastable(weights, found)]):
                found = multiply(found, weights)
        kept = counter(scope, dtypes.float64)
        return kept, kept.assign_add(reduce_sum(found), name="update")


def _at_top_k(
    name: str, kinds: tuple[str, str], from_scores: bool = False, called: str | None = None
) -> Callable[[Any], Any]:
    """Return a decorator that gives a function, of which only the text counts, its body.

    The metric is the share of the first kind of cases among both. Its second argument has the
    classes predicted, best first, or scores of all classes.
    """

    def declare(described: Callable[..., Any]) -> Any:
        @functools.wraps(described)
        def compute(
            labels: Any,
            predictions: Any,
            k: Any = None,
            class_id: Any = None,
            weights: Any = None,
            metrics_collections: Any = None,
            updates_collections: Any = None,
            name: str | None = None,
        ) -> tuple[Any, Any]:
            # The classes are found outside of the scope, as the names of operations show.
            ids = top_k(predictions, k)[1] if from_scores else convert_to_tensor(predictions)
            with variable_scope(name, _at_k(label, k, class_id), (ids, labels, weights)) as scope:
                cases = (cast(ids, dtypes.int64), _labels_for(labels, ids), k, class_id, weights)
                hits, more_hits = _counted(kinds[0], *cases)
                others, more_others = _counted(kinds[1], *cases)
                total = add(hits.value(), others.value())
                value = div(hits.value(), total, name=scope.original_name_scope)
                update = div(more_hits, add(more_hits, more_others), name="update")
                return value, update

        label = name
        return metric(None, called)(compute)

    return declare


@_at_top_k("precision", ("tp", "fp"))
def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return which part of the classes predicted, best first, are labels of their case."""


@_at_top_k("recall", ("tp", "fn"))
def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return which part of the labels are among the classes predicted for their case."""


@_at_top_k("precision", ("tp", "fp"), from_scores=True, called="sparse_precision_at_k")
def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return which part of the k classes that score best are labels of their case."""


@_at_top_k("recall", ("tp", "fn"), from_scores=True)
def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Any:
    """Return which part of the labels are among the k classes that score best."""


@metric(
    lambda arguments: _at_k("average_precision", arguments["k"]),
    called="sparse_average_precision_at_k",
)
def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return the mean, over cases, of the mean precision at each rank that holds a label."""
    if k < 1:
        raise ValueError(f"Invalid k={k}.")
    ids = cast(top_k(predictions, k)[1], dtypes.int64)
    found = _average_precision(ids, _labels_for(labels, ids), k)
    if weights is not None:
        weights = broadcast_weights(cast(weights, dtypes.float64), found)
        found = multiply(found, weights)
        batch = reduce_sum(weights, name="batch_max")
    else:
        batch = cast(size(found, name="batch_max"), dtypes.float64)
    with name_scope("max") as scope:
        most = counter(scope, dtypes.float64)
        more_most = most.assign_add(batch, name="update")
    with name_scope("total") as scope:
        total = counter(scope, dtypes.float64)
        more_total = total.assign_add(reduce_sum(found, name="batch_total"), name="update")
    value = divide_no_nan(total.value(), most.value(), name="mean")
    update = divide_no_nan(more_total, more_most, name=get_variable_scope().original_name_scope)
    return value, update


def _average_precision(ids: Any, labels: Any, k: int) -> Any:
    """Return, per case, the precision at each rank that holds a label, summed, by the most hits."""
    is_label = cast(_each_in(ids, labels, k), dtypes.float64)
    precision = div(
        cumsum(is_label, axis=-1), cast(numbers(1, k + 1), dtypes.float64), name="precision_per_k"
    )
    reached = reduce_sum(multiply(precision, is_label), axis=-1)
    possible = cast(minimum(_number_of(labels), k), dtypes.float64)
    return div(reached, possible, name="average_precision")


def _each_in(ids: Any, labels: Any, k: int) -> Any:
    """Return, for each id, 1 if it is among the labels of its case, else 0."""
    if isinstance(labels, SparseTensor):
        columns = [
            set_size(set_intersection(ids[..., place : place + 1], labels)) for place in range(k)
        ]
        return concat([expand_dims(each, -1) for each in columns], -1)
    return reduce_any(equal(expand_dims(ids, -1), expand_dims(labels, -2)), axis=-1)


def _number_of(labels: Any) -> Any:
    """Return how many labels a case has: distinct ones if sparse, all if dense."""
    if isinstance(labels, SparseTensor):
        return set_size(labels)
    return shape(labels)[-1]
