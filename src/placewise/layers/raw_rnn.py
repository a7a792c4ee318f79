"""`tf.nn.raw_rnn`: a loop over a cell in which a function chooses each next input and state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import dtypes, nest
from placewise.core.tensor import Tensor
from placewise.graph.variable_scope import variable_scope
from placewise.layers.cells import GRUCell, check_cell, sizes_of
from placewise.layers.loss_weights import is_eager
from placewise.layers.rnn_steps import batch_size_of, where_rows
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import constant, zeros
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.loops import while_loop
from placewise.ops.flow.tensor_array import TensorArray
from placewise.ops.math.logic import logical_not, logical_or
from placewise.ops.math.reduction import reduce_all


def raw_rnn(
    cell: GRUCell,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: Any = None,
) -> tuple[Any, Any, Any]:
    """Return TensorArrays of what each step gave, the last state, and the last loop state.

    `loop_fn(time, cell_output, cell_state, loop_state)` returns which sequences have ended, the
    next input, the next state, what to give out, and the next loop state; at time 0, with None for
    the other arguments, what to begin with and what will be given out.
    """
    check_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn"):
        time = constant(0, dtypes.int32, name="time")
        finished, first, state, emitted, loop_state = loop_fn(time, None, None, None)
        first = nest.map_structure(convert_to_tensor, first)
        state = nest.map_structure(convert_to_tensor, state)
        keeps_loop_state = loop_state is not None
        batch = batch_size_of(nest.flatten(first), 0)
        structure, blanks = _blanks(cell, emitted, state, batch)
        arrays = [
            TensorArray(
                each.dtype,
                size=0,
                dynamic_size=True,
                element_shape=each.shape,
                tensor_array_name=f"rnn_output_{i}",
            )
            for i, each in enumerate(blanks)
        ]
        blank = nest.pack_sequence_as(structure, blanks)

        def step(
            time: Tensor,
            ended: Tensor,
            given: Tensor,
            arrays: list[Any],
            state: Tensor,
            loop_state: Tensor,
        ) -> Any:
            output, new_state = cell(given, state)
            later = time + 1
            ends, following, new_state, emit, new_loop_state = loop_fn(
                later, output, new_state, loop_state if keeps_loop_state else None
            )
            nest.assert_same_structure(state, new_state)
            nest.assert_same_structure(given, following)
            nest.assert_same_structure(blank, emit)
            kept = nest.map_structure(lambda old, new: where_rows(ended, old, new), blank, emit)
            new_state = nest.map_structure(
                lambda old, new: where_rows(ended, old, new), state, new_state
            )
            written = [
                array.write(time, each)
                for array, each in zip(arrays, nest.flatten(kept), strict=True)
            ]
            if new_loop_state is None:
                new_loop_state = loop_state
            return later, logical_or(ended, ends), following, written, new_state, new_loop_state

        begin = constant(0, dtypes.int32) if loop_state is None else loop_state
        found = while_loop(
            lambda time, ended, *_: logical_not(reduce_all(ended)),
            step,
            (time, convert_to_tensor(finished), first, arrays, state, begin),
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        outputs = nest.pack_sequence_as(structure, list(found[3]))
        return outputs, found[4], found[5] if keeps_loop_state else None


def _blanks(cell: GRUCell, emitted: Any, state: Tensor, batch: int) -> tuple[Any, list[Any]]:
    """Return the structure of what a step gives, and zeros for sequences that have ended."""
    wanted: list[tuple[Any, Any]]
    if emitted is None:
        kind = nest.flatten(state)[0].dtype
        wanted = [(sizes_of(each), kind) for each in nest.flatten(cell.output_size)]
        structure = cell.output_size
    else:
        parts = [convert_to_tensor(each) for each in nest.flatten(emitted)]
        wanted = [
            (each.shape.as_list() if each.shape.is_fully_defined() else shape(each), each.dtype)
            for each in parts
        ]
        structure = emitted
    blanks = []
    for size, kind in wanted:
        if isinstance(size, list):
            made = zeros([batch, *size] if isinstance(batch, int) else stack([batch, *size]), kind)
            if not is_eager():
                made.set_shape([batch if isinstance(batch, int) else None, *size])
        else:
            made = zeros(concat([stack([batch]), size], 0), kind)
        blanks.append(made)
    return structure, blanks
