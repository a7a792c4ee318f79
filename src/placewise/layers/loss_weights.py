"""Weights of losses and metrics: do they fit the values, and how do they spread over them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.names import name_scope
from placewise.core.scope import Scope, current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.ops.array.shape import expand_dims, rank, shape, squeeze
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.assert_print import assert_op
from placewise.ops.flow.control import cond
from placewise.ops.flow.order import no_op
from placewise.ops.math.arithmetic import multiply
from placewise.ops.math.comparison import equal
from placewise.ops.math.logic import logical_or
from placewise.ops.math.reduction import reduce_all
from placewise.ops.tf1_spelling import ones_like
from placewise.ops.tf1_spelling import rank as written_rank
from placewise.ops.tf1_spelling import shape as written_shape

_REFUSAL = "weights can not be broadcast to values."


def is_eager() -> bool:
    """Return True where ops run at once."""
    return current.interpreter is Scope.eager


@contextmanager
def after(checks: Any) -> Iterator[None]:
    """Let what is made in the block run only after `checks`; eager checks have run already."""
    needed = [check for check in checks if check is not None and not _is_done(check)]
    if is_eager() or not needed:
        yield
        return
    with get_default_graph().control_dependencies(needed):
        yield


def _is_done(check: Any) -> bool:
    """Return True for a check made while the graph was built: what waited for it is not folded."""
    op = getattr(check, "op", check)
    return bool(op.type == "NoOp" and not op.control_inputs)


def assert_broadcastable(weights: TensorLike, values: Tensor) -> Any:
    """Check that weights are one number, or have the rank of the values and sizes theirs or 1.

    What is known now is checked now; for the rest an operation that checks it is returned.
    """
    with name_scope("assert_broadcastable"):
        if not is_eager():
            return _written_check(weights, values)
        values = convert_to_tensor(values)
        return _checked(convert_to_tensor(weights, dtype_hint=values.dtype), values)


def _written_check(weights: TensorLike, values: Tensor) -> Any:
    """Check in a graph, where TensorFlow writes shapes and ranks down first."""
    with name_scope("weights") as scope:
        hint = getattr(values, "dtype", None)
        weights = convert_to_tensor(weights, name=scope, dtype_hint=hint)
        written_shape(weights, name="shape")
        written_rank(weights, name="rank")
    with name_scope("values") as scope:
        values = convert_to_tensor(values, name=scope)
        written_shape(values, name="shape")
        written_rank(values, name="rank")
    check = _checked(weights, values)
    if check is None:
        # It has been checked; programs may still run what they got.
        return no_op(f"static_{'dims' if weights.shape.rank else 'scalar'}_check_success")
    return check


def _checked(weights: Tensor, values: Tensor) -> Any:
    ours, theirs = weights.shape, values.shape
    if ours.rank == 0:
        return None
    if ours.rank is None or theirs.rank is None:
        return _checked_later(weights, values, None)
    if ours.rank != theirs.rank:
        raise ValueError(
            f"{_REFUSAL} values.rank={theirs.rank}. weights.rank={ours.rank}. "
            f"values.shape={theirs}. weights.shape={ours}."
        )
    open_question = False
    for place, (mine, other) in enumerate(zip(ours.as_list(), theirs.as_list(), strict=True)):
        if mine == 1:
            continue
        if mine is None or other is None:
            open_question = True
        elif mine != other:
            raise ValueError(
                f"{_REFUSAL} Mismatch at dim {place}. values.shape={_spaced(theirs)} "
                f"weights.shape={_spaced(ours)}."
            )
    return _checked_later(weights, values, True) if open_question else None


def _spaced(dims: TensorShape) -> str:
    # NumPy's way to print an array of integers, where all are known.
    if dims.is_fully_defined():
        return "[" + " ".join(str(each) for each in dims.as_list()) + "]"
    return str(dims)


def _checked_later(weights: Tensor, values: Tensor, same_rank: bool | None) -> Any:
    ours, theirs = shape(weights), shape(values)

    def fits() -> Any:
        return reduce_all(logical_or(equal(ours, theirs), equal(ours, 1)))

    if same_rank:
        valid, is_scalar = fits(), convert_to_tensor(False)
    else:
        count = rank(weights)
        is_scalar = equal(count, 0)
        valid = logical_or(is_scalar, cond(equal(count, rank(values)), fits, lambda: is_scalar))
    told = [
        _REFUSAL,
        "weights.shape=",
        weights.name,
        ours,
        "values.shape=",
        values.name,
        theirs,
        "is_scalar=",
        is_scalar,
    ]
    return assert_op(valid, told)


def broadcast_weights(weights: Any, values: Any) -> Any:
    """Return weights in the shape of the values."""
    with name_scope("broadcast_weights") as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, name="weights", dtype_hint=values.dtype)
        ours, theirs = weights.shape, values.shape
        if (
            ours.is_fully_defined()
            and theirs.is_fully_defined()
            and (ours.as_list() == theirs.as_list())
        ):
            return weights
        with after([assert_broadcastable(weights, values)]):
            return multiply(weights, ones_like(values), name=scope)


def without_last_one(
    labels: TensorLike, predictions: Tensor, expected_rank_diff: int = 0
) -> tuple[Any, Any]:
    """Return labels and predictions, the one with one rank too many without its last dimension.

    Only a last dimension of size 1 is dropped; where ranks are unknown, when the graph runs.
    """
    with name_scope("remove_squeezable_dimensions"):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        ours, theirs = labels.shape, predictions.shape
        if ours.rank is not None and theirs.rank is not None:
            difference = theirs.rank - ours.rank
            if difference == expected_rank_diff + 1 and _may_drop(theirs):
                predictions = squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1 and _may_drop(ours):
                labels = squeeze(labels, [-1])
            return labels, predictions
        difference = rank(predictions) - rank(labels)
        if theirs.rank is None or _may_drop(theirs):
            predictions = _maybe_squeezed(predictions, equal(expected_rank_diff + 1, difference))
        if ours.rank is None or _may_drop(ours):
            labels = _maybe_squeezed(labels, equal(expected_rank_diff - 1, difference))
        return labels, predictions


def _may_drop(dims: TensorShape) -> bool:
    return bool(dims.rank) and dims.as_list()[-1] in (None, 1)


def _maybe_squeezed(value: Any, condition: Any) -> Any:
    return cond(condition, lambda: squeeze(value, [-1]), lambda: value)


def fitted(
    labels: Any, predictions: Any, weights: TensorLike | None = None, expected_rank_diff: int = 0
) -> tuple[Any, Any, Any]:
    """Return labels, predictions and weights with ranks brought into line where 1s allow it."""
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = without_last_one(labels, predictions, expected_rank_diff)
        if expected_rank_diff == 0:
            predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return labels, predictions, None
    weights = convert_to_tensor(weights)
    if weights.shape.rank == 0:
        return labels, predictions, weights
    reference = predictions if expected_rank_diff == 0 else labels
    return labels, predictions, _in_rank(weights, reference)


def _in_rank(weights: Any, values: Any) -> Any:
    """Return weights with a last dimension of 1 dropped or added to have the values' rank."""
    ours, theirs = weights.shape, values.shape
    if ours.rank is not None and theirs.rank is not None:
        if ours.rank - theirs.rank == 1 and _may_drop(ours):
            return squeeze(weights, [-1])
        return expand_dims(weights, [-1]) if theirs.rank - ours.rank == 1 else weights
    difference = rank(weights) - rank(values)

    def longer() -> Any:
        return cond(equal(difference, -1), lambda: expand_dims(weights, [-1]), lambda: weights)

    if ours.rank is not None and not _may_drop(ours):
        adjusted = longer
    else:

        def adjusted() -> Any:
            return cond(equal(difference, 1), lambda: squeeze(weights, [-1]), longer)

    return cond(equal(rank(weights), 0), lambda: weights, adjusted)
