"""What the functions that run cells over time share: batch sizes, lengths, steps that stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core import dtypes, nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.tensor import Tensor
from placewise.layers.loss_weights import is_eager
from placewise.ops.array.shape import identity, shape
from placewise.ops.array.where import where_v1
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.cast import cast

if TYPE_CHECKING:
    from placewise.layers.cells import RNNCell


def batch_size_of(inputs: list[Any], axis: int) -> Any:
    """Return the batch size of any input that tells it, else what it will be."""
    for each in inputs:
        dims = each.shape.as_list() if each.shape.rank is not None else []
        if len(dims) > axis and dims[axis] is not None:
            return dims[axis]
    return shape(inputs[0])[axis]


def lengths_of(sequence_length: TensorLike) -> Any:
    """Return the lengths of sequences as a vector of int32."""
    lengths = cast(convert_to_tensor(sequence_length), dtypes.int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            f"sequence_length must be a vector of length batch_size, but saw shape: {lengths.shape}"
        )
    return identity(lengths, name="sequence_length")


def initial_state_for(
    cell: RNNCell, initial_state: Any, batch_size: TensorLike, dtype: DType | None
) -> Any:
    """Return the state to begin with: the one given, or the cell's zeros."""
    if initial_state is not None:
        return nest.map_structure(convert_to_tensor, initial_state)
    if not dtype:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def where_rows(rows: Tensor, chosen: Tensor, other: Tensor) -> Any:
    """Return, row by row, `chosen` where `rows` is true, else `other`."""
    if not hasattr(other, "shape") or other.shape.rank == 0 or hasattr(other, "write"):
        return other  # what has no rows goes on
    made = where_v1(rows, chosen, other)
    if not is_eager():
        made.set_shape(other.shape)
    return made


def step_until(finished: Any, zero_output: Any, state: Any, output: Any, new_state: Any) -> Any:
    """Return output and state of a step: of sequences that have ended, zeros and the old state."""
    nest.assert_same_structure(state, new_state)
    outputs = nest.map_structure(
        lambda zero, new: where_rows(finished, zero, new), zero_output, output
    )
    states = nest.map_structure(lambda old, new: where_rows(finished, old, new), state, new_state)
    return outputs, states
