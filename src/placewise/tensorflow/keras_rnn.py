"""Keras's LSTM and GRU layers as one op over all steps, where the layer is the usual one.

Keras asks its backend for the loop of these layers first; NotImplementedError sends it to a loop
of its own, whose Python runs once per step in eager execution. Where there is a GPU, Keras's answer
for cuDNN stands. Elsewhere an LSTM is a BlockLSTM, eagerly and in graphs: TensorFlow knows that op
(and its gradient, which it has wrong for BlockLSTMV2), so what is exported loads and trains there.
A GRU has no op that TensorFlow could run on a CPU, so it is one op in eager execution alone. Layers
with a mask keep Keras's loop: what a masked step gives, only the layer knows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from placewise.core.dtypes import float16, float32
from placewise.devices.configuration import list_logical_devices
from placewise.devices.test_queries import is_built_with_cuda, is_built_with_rocm
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import zeros, zeros_like
from placewise.ops.array.reverse import reverse
from placewise.ops.array.shape import expand_dims, reshape, shape, squeeze
from placewise.ops.array.split import split
from placewise.ops.array.transpose import transpose
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import executing_eagerly
from placewise.ops.math.exponential import sigmoid
from placewise.ops.math.trigonometric import tanh
from placewise.ops.nn.block_lstm import block_lstm
from placewise.ops.nn.cudnn_rnn import cudnn_rnn_op


def lstm(
    inputs: Any,
    initial_state_h: Any,
    initial_state_c: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    time_major: bool = False,
) -> Any:
    """Return an LSTM's last output, its outputs and its states, or raise NotImplementedError."""
    states = [convert_to_tensor(initial_state_h), convert_to_tensor(initial_state_c)]
    if mask is not None or unroll or not _is_usual(activation, recurrent_activation, bias):
        raise NotImplementedError
    if not _fit(inputs, states, time_major):
        raise NotImplementedError
    x = _time_first(inputs, time_major, go_backwards)
    weights = [convert_to_tensor(each) for each in (kernel, recurrent_kernel, bias)]
    run = _block_lstm if x.dtype in (float16, float32) else _cudnn_lstm
    outputs, h, c = run(x, *states, *weights)
    return _answer(outputs, [h, c], return_sequences, time_major)


def gru(
    inputs: Any,
    initial_state: Any,
    mask: Any,
    kernel: Any,
    recurrent_kernel: Any,
    bias: Any,
    activation: Any,
    recurrent_activation: Any,
    return_sequences: bool = False,
    go_backwards: bool = False,
    unroll: bool = False,
    time_major: bool = False,
    reset_after: bool = True,
) -> Any:
    """Return a GRU's last output, its outputs and its state, or raise NotImplementedError."""
    state = convert_to_tensor(initial_state)
    if mask is not None or unroll or not _is_usual(activation, recurrent_activation, bias):
        raise NotImplementedError
    if not reset_after or not _fit(inputs, [state], time_major):
        raise NotImplementedError
    x = _time_first(inputs, time_major, go_backwards)
    # Keras has the gates as update, reset, new; cuDNN as reset, update, new.
    weights = [_gates_in_order(each, (1, 0, 2)) for each in (kernel, recurrent_kernel, bias)]
    outputs, h, _ = _cudnn("gru", x, state, 0.0, *weights)
    return _answer(outputs, [h], return_sequences, time_major)


def _is_usual(activation: Any, recurrent_activation: Any, bias: Any) -> bool:
    """Return True for the functions that the ops have built in."""
    from keras.src import activations, ops  # noqa: PLC0415 - keeps keras out

    return (
        bias is not None
        and activation in (activations.tanh, ops.tanh, tanh)
        and recurrent_activation in (activations.sigmoid, ops.sigmoid, sigmoid)
    )


def _fit(inputs: Any, states: list[Any], time_major: bool) -> bool:
    """Return True if the states have a row for each sequence, of the inputs' dtype."""
    batch = inputs.shape.as_list()[1 if time_major else 0]
    return all(
        state.dtype is inputs.dtype
        and (None in (batch, rows := state.shape.as_list()[0]) or rows == batch)
        for state in states
    )


def _time_first(inputs: Any, time_major: bool, go_backwards: bool) -> Any:
    x = inputs if time_major else transpose(inputs, (1, 0, 2))
    return reverse(x, [0]) if go_backwards else x


def _gates_in_order(weights: Any, order: tuple[int, ...]) -> Any:
    """Return weights whose last dimension has the gates in another order."""
    parts = split(weights, len(order), -1)
    return concat([parts[gate] for gate in order], -1)


def _block_lstm(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    """Return all outputs, the last one, and the last cells; gates come as i f c o."""
    w = _gates_in_order(concat([kernel, recurrent], 0), (0, 2, 1, 3))
    b = _gates_in_order(bias, (0, 2, 1, 3))
    steps = x.shape.as_list()[0]
    if steps is None:
        steps = shape(x, "int64")[0]
    no_peephole = zeros(recurrent.shape[:1], x.dtype)
    made = block_lstm(
        steps, x, c, h, w, no_peephole, no_peephole, no_peephole, b, forget_bias=0.0, cell_clip=0.0
    )
    cells, outputs = made[1], made[6]
    return outputs, outputs[-1], cells[-1]


def _cudnn_lstm(x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, bias: Any) -> Any:
    # cuDNN has a second bias, for the inputs.
    return _cudnn("lstm", x, h, c, kernel, recurrent, concat([zeros_like(bias), bias], 0))


def _cudnn(mode: str, x: Any, h: Any, c: Any, kernel: Any, recurrent: Any, biases: Any) -> Any:
    """Return all outputs, the last one, and the last cells, by what is a GPU's op in TensorFlow."""
    if not executing_eagerly():
        raise NotImplementedError
    flat = [reshape(each, [-1]) for each in (transpose(kernel), transpose(recurrent), biases)]
    steps, batch = x.shape[:2]
    outputs, h, c, _, _ = cudnn_rnn_op(
        x,
        expand_dims(h, 0),
        expand_dims(c, 0) if mode == "lstm" else c,
        concat(flat, 0),
        np.full([batch], steps, np.int32),
        rnn_mode=mode,
    )
    return outputs, squeeze(h, [0]), squeeze(c, [0]) if mode == "lstm" else None


def _answer(outputs: Any, states: list[Any], return_sequences: bool, time_major: bool) -> Any:
    last = states[0]
    if not return_sequences:
        return last, expand_dims(last, 0 if time_major else 1), states
    return last, outputs if time_major else transpose(outputs, (1, 0, 2)), states


def _unless_on_gpu(ours: Callable[..., Any], theirs: Callable[..., Any]) -> Callable[..., Any]:
    def loop(*arguments: Any, **options: Any) -> Any:
        chosen = theirs if list_logical_devices("GPU") else ours
        return chosen(*arguments, **options)

    return loop


def _with_cudnn_gates(theirs: Callable[..., Any]) -> Callable[..., Any]:
    """Return Keras's GRU by CudnnRNNV3 with its gates in the order of that op.

    Keras puts them in cuDNN's order for CUDA, and takes every other card for one of AMD's, whose
    order is the layer's own. On the cards of others the op has cuDNN's.
    """

    def loop(
        inputs: Any,
        initial_state: Any,
        mask: Any,
        kernel: Any,
        recurrent_kernel: Any,
        bias: Any,
        *arguments: Any,
        **options: Any,
    ) -> Any:
        weights = [kernel, recurrent_kernel, bias]
        if bias is not None and not is_built_with_cuda() and not is_built_with_rocm():
            weights = [_gates_in_order(each, (1, 0, 2)) for each in weights]
        return theirs(inputs, initial_state, mask, *weights, *arguments, **options)

    return loop


def install() -> None:
    """Let Keras find these functions in its backend, if that is TensorFlow's."""
    from keras.src import backend  # noqa: PLC0415 - keeps keras out

    if backend.backend() != "tensorflow":
        return
    backend.lstm = _unless_on_gpu(lstm, backend.lstm)
    backend.gru = _unless_on_gpu(gru, _with_cudnn_gates(backend.gru))
