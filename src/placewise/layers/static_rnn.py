"""Recurrent networks unrolled: a list of inputs, one step of the cell for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise.core import nest
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.core.shapes import TensorShape
from placewise.graph.variable_scope import VariableScope, variable_scope
from placewise.layers.cells import GRUCell, RNNCell, check_cell
from placewise.layers.loss_weights import after
from placewise.layers.rnn_steps import batch_size_of, initial_state_for, lengths_of, step_until
from placewise.ops.array.concat import concat, stack, unstack
from placewise.ops.array.creation import zeros_like
from placewise.ops.array.reverse import reverse_sequence
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.comparison import greater_equal

if TYPE_CHECKING:
    from placewise.layers.lstm_cells import BasicLSTMCell, LSTMStateTuple


def static_rnn(
    cell: RNNCell,
    inputs: Any,
    initial_state: LSTMStateTuple | None = None,
    dtype: Any = None,
    sequence_length: TensorLike | None = None,
    scope: VariableScope | None = None,
) -> tuple[list[Any], Any]:
    """Return the outputs of a cell for each of the inputs, and its last state.

    Of sequences shorter than the inputs, outputs are zero past the end and the state stays.
    """
    check_cell("cell", cell)
    if not nest.is_nested(inputs):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "rnn") as inside:
        inputs = [nest.map_structure(convert_to_tensor, each) for each in inputs]
        _check_depths(nest.flatten(inputs[0]))
        batch = batch_size_of(nest.flatten(inputs[0]), 0)
        if initial_state is None and not dtype:
            raise ValueError("If no initial_state is provided, dtype must be specified")
        state = initial_state_for(cell, initial_state, batch, dtype)
        lengths = None if sequence_length is None else lengths_of(sequence_length)
        outputs: list[Any] = []
        for time, each in enumerate(inputs):
            if time > 0:
                inside.reuse_variables()
            output, new_state = cell(each, state)
            if lengths is not None:
                zeros = nest.map_structure(zeros_like, output)
                finished = greater_equal(time, lengths)
                output, new_state = step_until(finished, zeros, state, output, new_state)
            outputs.append(output)
            state = new_state
        return outputs, state


def _check_depths(first: list[Any]) -> None:
    for each in first:
        if each.shape.rank is None:
            continue
        inner = TensorShape(each.shape.as_list()[1:])
        if not inner.is_fully_defined():
            raise ValueError(
                "Input size (second dimension of inputs[0]) must be accessible via "
                "shape inference, but saw value None."
            )


def static_bidirectional_rnn(
    cell_fw: GRUCell,
    cell_bw: GRUCell,
    inputs: Any,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Return the joined outputs of a cell run forwards and one backwards, and both last states."""
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    if not nest.is_nested(inputs):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inside:
            forwards, state_fw = static_rnn(
                cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=inside
            )
        with variable_scope("bw") as inside:
            turned = _reversed(inputs, sequence_length)
            backwards, state_bw = static_rnn(
                cell_bw, turned, initial_state_bw, dtype, sequence_length, scope=inside
            )
    backwards = _reversed(backwards, sequence_length)
    joined = [
        nest.map_structure(lambda one, other: concat([one, other], 1), *pair)
        for pair in zip(forwards, backwards, strict=True)
    ]
    return joined, state_fw, state_bw


def _reversed(steps: Any, lengths: Any) -> list[Any]:
    """Return the steps in reverse; of shorter sequences, only those within."""
    if lengths is None:
        return list(reversed(steps))
    flat = [nest.flatten(each) for each in steps]
    turned = [
        unstack(reverse_sequence(stack(part), lengths, seq_axis=0, batch_axis=1), num=len(steps))
        for part in zip(*flat, strict=True)
    ]
    return [
        nest.pack_sequence_as(like, list(parts))
        for like, parts in zip(steps, zip(*turned, strict=True), strict=True)
    ]


def static_state_saving_rnn(
    cell: BasicLSTMCell,
    inputs: TensorLike,
    state_saver: Any,
    state_name: Sequence[Any],
    sequence_length: TensorLike | None = None,
    scope: Any = None,
) -> tuple[list[Any], Any]:
    """Return the outputs and last state of a cell whose state a saver keeps between runs."""
    several = nest.is_nested(cell.state_size)
    if several != nest.is_nested(state_name):
        raise ValueError(
            "state_name should be the same type as cell.state_size.  "
            f"state_name: {state_name}, cell.state_size: {cell.state_size}"
        )
    names = nest.flatten(state_name)
    if len(names) != len(nest.flatten(cell.state_size)):
        raise ValueError(
            f"#elems(state_name) != #elems(state_size): {len(names)} vs. "
            f"{len(nest.flatten(cell.state_size))}"
        )
    begin = [state_saver.state(name) for name in names]
    state = nest.pack_sequence_as(cell.state_size, begin) if several else begin[0]
    outputs, state = static_rnn(cell, inputs, state, None, sequence_length, scope)
    saved = [
        state_saver.save_state(name, part)
        for name, part in zip(names, nest.flatten(state), strict=True)
    ]
    with after(saved):
        outputs[-1] = nest.map_structure(identity, outputs[-1])
        state = nest.map_structure(identity, state)
    return outputs, state
