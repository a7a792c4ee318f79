"""How losses of examples become one number, of which each replica has its share.

The sum of what the replicas return is the loss of the whole batch.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.errors import InvalidArgumentError
from placewise.distribute.context import get_strategy, in_cross_replica_context
from placewise.ops.array.shape import expand_dims, shape_of, squeeze
from placewise.ops.convert import convert_to_tensor, scalar
from placewise.ops.math.arithmetic import multiply
from placewise.ops.math.cast import cast
from placewise.ops.math.division import divide_no_nan, truediv
from placewise.ops.math.reduction import reduce_sum


def _replica_count(caller: str) -> int:
    """Return how many replicas run in step; raise RuntimeError where code runs once for all."""
    if in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{caller}` in cross replica context, while it was expected to be "
            "called in replica context. Call it in the function that `strategy.run` is given."
        )
    count: int = get_strategy().num_replicas_in_sync
    return count


def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: Any = None,
) -> Any:
    """Return the sum of the losses over the size of the batch on all replicas.

    Without `global_batch_size` it is the number of losses times the number of replicas. Raises
    RuntimeError without it in a strategy's scope, outside of `strategy.run`.
    """
    losses = convert_to_tensor(per_example_loss)
    kind = losses.dtype
    if losses.shape.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. "
            f"Received per_example_loss={losses} with rank 0"
        )
    if sample_weight is not None:
        weights = convert_to_tensor(sample_weight)
        losses = cast(_weighted(cast(losses, dtypes.float32), cast(weights, dtypes.float32)), kind)
    if global_batch_size is None:
        size: Any = shape_of(losses)[0]
        size = convert_to_tensor(size, dtypes.int32) if not hasattr(size, "_shape_tuple") else size
        size = (
            size
            if (count := _replica_count("compute_average_loss")) == 1
            else multiply(size, count)
        )
    else:
        size = convert_to_tensor(global_batch_size)
        if not size.dtype.is_integer:
            raise TypeError(
                'global_batch_size must be an integer..  Expected "x" to be integer type.  '
                f"Found: tensor of dtype {size.dtype!r}"
            )
        if isinstance(global_batch_size, int) and global_batch_size < 0:
            raise InvalidArgumentError(
                None,
                None,
                "global_batch_size must be non-negative..  \n"
                "Condition x >= 0 did not hold element-wise:\n"
                f"x (shape=() dtype=int32) = \n{global_batch_size}",
            )
    total, size = reduce_sum(losses), cast(size, kind)
    return divide_no_nan(total, size) if kind.is_floating else truediv(total, size)


def _weighted(losses: Any, weights: Any) -> Any:
    """Return losses times weights, which may lack the last dimension or have one of size 1 more."""
    given, wanted = weights.shape.rank, losses.shape.rank
    if given is not None and wanted is not None:
        if given - wanted == 1:
            weights = squeeze(weights, [-1])
        elif wanted - given == 1 and given:
            weights = expand_dims(weights, -1)
    return multiply(losses, weights)


def scale_regularization_loss(regularization_loss: TensorLike) -> Any:
    """Return the sum of a regularisation loss, divided by the number of replicas.

    Raises RuntimeError in a strategy's scope, outside of `strategy.run`.
    """
    loss = convert_to_tensor(regularization_loss)
    count = _replica_count("scale_regularization_loss")
    return reduce_sum(loss if count == 1 else truediv(loss, scalar(count, loss.dtype)))
