"""Stacks of bidirectional networks, each layer reading both ways of the one below."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.graph.variable_scope import variable_scope
from placewise.layers.dynamic_rnn import bidirectional_dynamic_rnn
from placewise.layers.static_rnn import static_bidirectional_rnn


def _checked(cells_fw: Any, cells_bw: Any, states_fw: Any, states_bw: Any) -> tuple[Any, Any]:
    for cells, told in ((cells_fw, "forward"), (cells_bw, "backward")):
        if cells is None:
            short = "cells_fw" if told == "forward" else "cells_bw"
            raise ValueError(
                f"Must specify at least one {told} cell for BidirectionalRNN, got {short}=None"
            )
        if not isinstance(cells, list):
            raise ValueError(f"cells_{told[0]}w must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    none = [None] * len(cells_fw)
    for states, told in ((states_fw, "fw"), (states_bw, "bw")):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(
                f"initial_states_{told} must be a list of state tensors (one per layer)."
            )
    return states_fw or none, states_bw or none


def stack_bidirectional_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> Any:
    """Return the outputs of the last layer, and the last states of all both ways."""
    starts_fw, starts_bw = _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    ends_fw, ends_bw, layer = [], [], inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{number}") as opened:
                layer, end_fw, end_bw = static_bidirectional_rnn(
                    cell_fw,
                    cell_bw,
                    layer,
                    initial_state_fw=starts_fw[number],
                    initial_state_bw=starts_bw[number],
                    sequence_length=sequence_length,
                    dtype=dtype,
                    scope=opened,
                )
            ends_fw.append(end_fw)
            ends_bw.append(end_bw)
    return layer, tuple(ends_fw), tuple(ends_bw)


def stack_bidirectional_dynamic_rnn(
    cells_fw: Any,
    cells_bw: Any,
    inputs: Any,
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    parallel_iterations: Any = None,
    time_major: bool = False,
    scope: Any = None,
    swap_memory: bool = False,
) -> Any:
    """Return the outputs of the last layer, and the last states of all both ways."""
    starts_fw, starts_bw = _checked(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    ends_fw, ends_bw, layer = [], [], inputs
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for number, (cell_fw, cell_bw) in enumerate(zip(cells_fw, cells_bw, strict=True)):
            with variable_scope(f"cell_{number}"):
                outputs, (end_fw, end_bw) = bidirectional_dynamic_rnn(
                    cell_fw,
                    cell_bw,
                    layer,
                    initial_state_fw=starts_fw[number],
                    initial_state_bw=starts_bw[number],
                    sequence_length=sequence_length,
                    parallel_iterations=parallel_iterations,
                    dtype=dtype,
                    swap_memory=swap_memory,
                    time_major=time_major,
                )
                layer = tf.concat(outputs, 2)
            ends_fw.append(end_fw)
            ends_bw.append(end_bw)
    return layer, tuple(ends_fw), tuple(ends_bw)


def transpose_batch_time(x: Any) -> Any:
    """Return a tensor with its first two dimensions swapped."""
    x = tf.convert_to_tensor(x)
    if x.shape.rank is not None and x.shape.rank < 2:
        raise ValueError(
            f"Expected input tensor {x} to have rank at least 2, but saw shape: {x.shape}"
        )
    return tf.transpose(x, [1, 0, *range(2, x.shape.rank)])


def best_effort_input_batch_size(flat_input: Any) -> Any:
    """Return the batch size of inputs, time first: known if any of them knows."""
    for each in flat_input:
        if each.shape.rank is None or each.shape.rank < 2:
            continue
        size = each.shape.as_list()[1]
        if size is not None:
            return size
    return tf.shape(flat_input[0])[1]
