"""How losses per element become one number, and where a graph keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.names import name_scope
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.layers.loss_weights import after, assert_broadcastable, broadcast_weights, is_eager
from placewise.ops.array.creation import constant
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.add_n import add_n
from placewise.ops.math.arithmetic import multiply
from placewise.ops.math.cast import cast
from placewise.ops.math.comparison import equal
from placewise.ops.math.division import divide_no_nan
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.tf1_spelling import ones_like, size, where_tf1, zeros_like

LOSSES = "losses"
REGULARIZATION_LOSSES = "regularization_losses"


class Reduction:
    """How weighted losses are brought together."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Return every way."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: str) -> None:
        """Raise ValueError unless `key` is one of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}.")


def number_present(losses: Tensor, weights: Any, per_batch: bool = False) -> Any:
    """Return how many losses have a weight other than zero, in all or for each batch entry."""
    if is_eager() and is_plain(weights) and weights != 0 and not per_batch:
        return number_of_elements(losses)
    with name_scope("num_present") as scope:
        weights = cast(weights, dtypes.float32)
        present = where_tf1(equal(weights, 0.0), zeros_like(weights), ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_batch:
            axes = list(range(1, present.shape.rank))
            return reduce_sum(present, axis=axes, keepdims=True, name=scope)
        return reduce_sum(present, name=scope)


def number_of_elements(losses: Tensor) -> Any:
    """Return how many losses there are, in their dtype."""
    with name_scope("num_elements") as scope:
        return cast(size(losses, name=scope), losses.dtype)


def is_plain(weights: float) -> bool:
    """Return True for a Python number."""
    return isinstance(weights, (int, float, np.number)) and not isinstance(weights, bool)


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Return the losses times their weights, reduced, and add that to a collection.

    >>> import placewise as tf
    >>> tf.compat.v1.losses.compute_weighted_loss([1.0, 2.0, 6.0], [1.0, 0.0, 1.0]).numpy()
    np.float32(3.5)
    """
    Reduction.validate(reduction)
    with name_scope(scope or "weighted_loss"):
        losses = convert_to_tensor(losses)
        plain = is_eager() and is_plain(weights)
        with after([None if plain else assert_broadcastable(weights, losses)]):
            given = losses.dtype
            losses = cast(losses, dtypes.float32)
            weights = float(weights) if plain else cast(weights, dtypes.float32)
            if not plain or weights != 1.0:
                losses = multiply(losses, weights)
            loss = cast(_reduced(losses, weights, reduction), given)
        if not is_eager():
            get_default_graph().last_loss_reduction = reduction
        add_loss(loss, loss_collection)
        return loss


def _reduced(losses: Tensor, weights: TensorLike, reduction: str) -> Any:
    if reduction == Reduction.NONE:
        return losses
    total = reduce_sum(losses)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.MEAN:
        count = reduce_sum(ones_like(losses) * weights)
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = number_of_elements(losses)
    else:
        count = number_present(losses, weights)
    if not is_eager():
        total = reduce_sum(total)  # of one number: TensorFlow's mean takes any losses
    return divide_no_nan(total, count, name="value")


def add_loss(loss: TensorLike, loss_collection: str | None = LOSSES) -> None:
    """Add a loss to a collection of the graph; where ops run at once there is none."""
    if loss_collection and not is_eager():
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = LOSSES) -> list[Any]:
    """Return the losses of a collection, or those under a scope."""
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Return the losses that regularizers of variables and layers gave."""
    return get_default_graph().get_collection(REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Any:
    """Return the sum of the regularization losses, zero if there are none."""
    found = get_regularization_losses(scope)
    return add_n(found, name=name) if found else constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Any:
    """Return the sum of all losses of the graph, or of those under a scope."""
    found = get_losses(scope=scope)
    if add_regularization_losses:
        found += get_regularization_losses(scope=scope)
    return add_n(found, name=name)
