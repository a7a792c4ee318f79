"""How values of several replicas become one."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placewise.ops.state.aggregation import VariableAggregationV2


class ReduceOp(enum.Enum):
    """Sum or mean."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregationV2) -> ReduceOp | None:
        """Return what a variable's aggregation asks for; None if it takes the first."""
        name = getattr(aggregation, "name", "")
        if name == "ONLY_FIRST_REPLICA":
            return None
        if name in ("SUM", "MEAN"):
            return ReduceOp[name]
        raise ValueError(
            f"Could not convert from `tf.VariableAggregation` {aggregation} to"
            "`tf.distribute.ReduceOp` type"
        )


def as_reduce_op(given: Any) -> ReduceOp:
    """Return a ReduceOp that was given as such, or by name in any case."""
    if isinstance(given, ReduceOp):
        return given
    if isinstance(given, str):
        return ReduceOp(given.upper())
    raise TypeError(f"reduce_op must be ReduceOp.SUM or ReduceOp.MEAN, not {given!r}")


ReduceOp.__module__ = "tensorflow.python.distribute.reduce_util"
