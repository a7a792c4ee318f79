"""Recurrent networks as loops: as many steps as the inputs have when the graph runs."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.graph.variable_scope import variable_scope
from placewise.layers.cells import check_cell, sizes_of
from placewise.layers.loss_weights import after, is_eager
from placewise.layers.rnn_steps import batch_size_of, initial_state_for, lengths_of, step_until
from placewise.ops.array.concat import concat, stack
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.creation import zeros
from placewise.ops.array.reverse import reverse, reverse_sequence
from placewise.ops.array.shape import identity, rank, shape
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.assert_print import assert_op
from placewise.ops.flow.loops import while_loop
from placewise.ops.flow.tensor_array import TensorArray
from placewise.ops.math.arithmetic import maximum, minimum
from placewise.ops.math.comparison import equal, greater_equal
from placewise.ops.math.reduction import reduce_all, reduce_max


def dynamic_rnn(
    cell: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Return the outputs of a recurrent cell over the steps of `inputs`, and its last state.

    `cell`: a cell such as `tf.compat.v1.nn.rnn_cell.LSTMCell(units)`.
    `inputs`: [batch, steps, features], or a structure of such tensors.
    `sequence_length`: the number of steps of each case. Past it outputs are zero and the state
        stays.
    `initial_state`: the state to begin with, zeros by default.
    `dtype`: of the state; needed if there is no `initial_state`.
    `parallel_iterations`, `swap_memory`: accepted; steps run one after the other.
    `time_major`: inputs and outputs are [steps, batch, features].
    `scope`: the variable scope, 'rnn' by default.

    Raises ValueError if neither a state nor a dtype is there, or the number of features is not
    known.

    >>> with tf.Graph().as_default():
    ...     cell = tf.compat.v1.nn.rnn_cell.BasicRNNCell(5)
    ...     inputs = tf.zeros([2, 7, 3])
    ...     outputs, state = tf.compat.v1.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)
    >>> outputs.shape.as_list(), state.shape.as_list()
    ([2, 7, 5], [2, 5])
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        inputs = nest.map_structure(convert_to_tensor, inputs)
        if not time_major:
            inputs = nest.map_structure(_turned, inputs)
        flat = nest.flatten(inputs)
        for each in flat:
            if each.shape.rank is not None and each.shape.rank < 2:
                raise ValueError(f"Shape {each.shape} must have rank at least 2")
        batch = batch_size_of(flat, 1)
        lengths = None if sequence_length is None else lengths_of(sequence_length)
        state = initial_state_for(cell, initial_state, batch, dtype)
        if lengths is not None:
            lengths = _checked_lengths(lengths, batch)
        outputs, state = _loop(
            cell, inputs, state, lengths, dtype, parallel_iterations or 32, swap_memory
        )
        if not time_major:
            outputs = nest.map_structure(_turned, outputs)
        return outputs, state


def _turned(x: Any) -> Any:
    """Return a tensor with its first two dimensions exchanged."""
    known = x.shape.rank
    if known is not None and known < 2:
        return x
    if known is None:
        return transpose(x, concat([[1, 0], numbers(2, rank(x))], 0))
    return transpose(x, [1, 0, *range(2, known)])


def _checked_lengths(lengths: Any, batch: Any) -> Any:
    """Return the lengths of sequences, one for each of the batch."""
    known = lengths.shape.as_list()[0] if lengths.shape.rank == 1 else None
    if is_eager() or (isinstance(batch, int) and known == batch):
        return lengths
    told = [
        f"Expected shape for Tensor {lengths.name} is ",
        stack([batch]),
        " but saw shape: ",
        shape(lengths),
    ]
    with after([assert_op(reduce_all(equal(shape(lengths), stack([batch]))), told)]):
        return identity(lengths, name="CheckSeqLen")


def _loop(
    cell: Any, inputs: Any, state: Any, lengths: Any, dtype: Any, parallel: int, swap: bool
) -> tuple[Any, Any]:
    flat = nest.flatten(inputs)
    steps = flat[0].shape.as_list()[0] if flat[0].shape.rank is not None else None
    steps = shape(flat[0])[0] if steps is None else steps
    for each in flat:
        if each.shape.rank is not None and None in each.shape.as_list()[2:]:
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw "
                "value None."
            )
    batch = batch_size_of(flat, 1)
    kind = dtype or nest.flatten(state)[0].dtype
    sizes = [sizes_of(each) for each in nest.flatten(cell.output_size)]
    rows = batch if isinstance(batch, int) else None
    sources = [
        TensorArray(
            each.dtype,
            size=steps,
            element_shape=each.shape.as_list()[1:],
            tensor_array_name=f"dynamic_rnn/input_{i}",
        ).unstack(each)
        for i, each in enumerate(flat)
    ]
    results = tuple(
        TensorArray(
            kind,
            size=steps,
            element_shape=[rows, *each],
            tensor_array_name=f"dynamic_rnn/output_{i}",
        )
        for i, each in enumerate(sizes)
    )
    bound, zero = steps, None
    if lengths is not None:
        bound = minimum(steps, maximum(1, reduce_max(lengths)))
        zero = nest.pack_sequence_as(
            cell.output_size, [zeros(_shape_of(batch, each), kind) for each in sizes]
        )

    def step(time: Any, written: Any, before: Any) -> Any:
        given = [source.read(time) for source in sources]
        if not is_eager():
            for one, whole in zip(given, flat, strict=True):
                one.set_shape(whole.shape.as_list()[1:])
        output, after_it = cell(nest.pack_sequence_as(inputs, given), before)
        if lengths is not None:
            finished = greater_equal(time, lengths)
            output, after_it = step_until(finished, zero, before, output, after_it)
        written = tuple(
            array.write(time, each)
            for array, each in zip(written, nest.flatten(output), strict=True)
        )
        return time + 1, written, after_it

    _, written, state = while_loop(
        lambda time, *_: time < bound,
        step,
        (convert_to_tensor(0, name="time"), results, state),
        parallel_iterations=parallel,
        maximum_iterations=steps,
        swap_memory=swap,
    )
    outputs = [array.stack() for array in written]
    if not is_eager():
        known = steps if isinstance(steps, int) else None
        for each, size in zip(outputs, sizes, strict=True):
            each.set_shape([known, rows, *size])
    return nest.pack_sequence_as(cell.output_size, outputs), state


def _shape_of(batch: Any, size: list[Any]) -> Any:
    return [batch, *size] if isinstance(batch, int) else stack([batch, *size])


def bidirectional_dynamic_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Any,
    sequence_length: Any = None,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: Any = None,
) -> tuple[Any, Any]:
    """Return the outputs of one cell run forwards and one backwards, and both last states."""
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    options = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "swap_memory": swap_memory,
        "parallel_iterations": parallel_iterations,
        "time_major": time_major,
    }
    axes = (0, 1) if time_major else (1, 0)

    def turned(x: Any) -> Any:
        if sequence_length is None:
            return reverse(x, axis=[axes[0]])
        return reverse_sequence(x, sequence_length, seq_axis=axes[0], batch_axis=axes[1])

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as inside:
            forwards, state_fw = dynamic_rnn(
                cell_fw, inputs, initial_state=initial_state_fw, scope=inside, **options
            )
        with variable_scope("bw") as inside:
            backwards, state_bw = dynamic_rnn(
                cell_bw,
                nest.map_structure(turned, nest.map_structure(convert_to_tensor, inputs)),
                initial_state=initial_state_bw,
                scope=inside,
                **options,
            )
        backwards = nest.map_structure(turned, backwards)
    return (forwards, backwards), (state_fw, state_bw)
