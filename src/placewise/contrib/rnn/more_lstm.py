"""Further LSTM cells: normalized inside, over images, with one matrix op, over whole sequences."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.rnn.linear_maps import linear
from placewise.graph.initializers import Constant, Zeros
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.layers.cells import LayerRNNCell, RNNCell
from placewise.layers.dropout import dropped
from placewise.layers.dynamic_rnn import dynamic_rnn
from placewise.layers.layer import Layer
from placewise.layers.lstm_cells import LSTMStateTuple
from placewise.layers.static_rnn import static_rnn


class LayerNormBasicLSTMCell(RNNCell):
    """An LSTM whose gates and state are normalized, and whose new memory may be dropped."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: Any = None,
        activation: Any = tf.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: Any = 1.0,
        dropout_prob_seed: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._forget_bias, self._activation = num_units, forget_bias, activation
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed
        self._layer_norm, self._gain, self._shift = layer_norm, norm_gain, norm_shift

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def _norm(self, given: Any, scope: str, dtype: Any) -> Any:
        with variable_scope(scope):
            size = given.shape.as_list()[-1:]
            gamma = get_variable("gamma", size, dtype, initializer=Constant(self._gain))
            beta = get_variable("beta", size, dtype, initializer=Constant(self._shift))
        mean, variance = tf.nn.moments(given, [1], keepdims=True)
        return tf.nn.batch_normalization(given, mean, variance, beta, gamma, 1e-12)

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output and the next state."""
        memory, last = state
        kind = inputs.dtype
        together = linear([inputs, last], 4 * self._num_units, not self._layer_norm)
        gates = list(tf.split(together, 4, axis=1))
        if self._layer_norm:
            names = ("input", "transform", "forget", "output")
            gates = [self._norm(g, n, kind) for g, n in zip(gates, names, strict=True)]
        enter, new, forget, leave = gates
        new = self._activation(new)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            new = dropped(new, 1 - self._keep_prob, seed=self._seed)
        memory = memory * tf.sigmoid(forget + self._forget_bias) + tf.sigmoid(enter) * new
        if self._layer_norm:
            memory = self._norm(memory, "state", kind)
        output = self._activation(memory) * tf.sigmoid(leave)
        return output, LSTMStateTuple(memory, output)


class ConvLSTMCell(RNNCell):
    """An LSTM whose inputs, memory and outputs have dimensions of space."""

    def __init__(
        self,
        conv_ndims: int,
        input_shape: Any,
        output_channels: int,
        kernel_shape: Any,
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._dims, self._input_shape = conv_ndims, list(input_shape)
        self._channels, self._kernel_shape = output_channels, list(kernel_shape)
        self._use_bias, self._skip, self._forget_bias = use_bias, skip_connection, forget_bias
        self._total = output_channels + (self._input_shape[-1] if skip_connection else 0)
        state = tf.TensorShape([*self._input_shape[:-1], output_channels])
        self._state_size = LSTMStateTuple(state, state)
        self._output_size = tf.TensorShape([*self._input_shape[:-1], self._total])

    @property
    def state_size(self) -> LSTMStateTuple:
        """The shapes of memory and output."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """The shape of the output."""
        return self._output_size

    def call(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return the output and the next state."""
        memory, hidden = state
        together = tf.concat([inputs, hidden], -1)
        width = together.shape.as_list()[-1]
        kernel = get_variable(
            "kernel", [*self._kernel_shape, width, 4 * self._channels], inputs.dtype
        )
        made = tf.nn.convolution(together, kernel, padding="SAME")
        if self._use_bias:
            made = made + get_variable(
                "biases", [4 * self._channels], inputs.dtype, initializer=Zeros()
            )
        enter, new, forget, leave = tf.split(made, 4, axis=self._dims + 1)
        memory = tf.sigmoid(forget + self._forget_bias) * memory
        memory = memory + tf.sigmoid(enter) * tf.tanh(new)
        output = tf.tanh(memory) * tf.sigmoid(leave)
        next_state = LSTMStateTuple(memory, output)
        if self._skip:
            output = tf.concat([output, inputs], -1)
        return output, next_state


class Conv1DLSTMCell(ConvLSTMCell):
    """An LSTM over one dimension of space."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """An LSTM over images."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """An LSTM over volumes."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)


class LSTMBlockCell(LayerRNNCell):
    """An LSTM with peepholes and a bound on its memory."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: Any = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._clip, self._use_peephole = cell_clip, use_peephole

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Make the matrix, the bias and the peepholes."""
        width = self._depth(inputs_shape)
        self._kernel = self.add_variable("kernel", [width + self._num_units, self._num_units * 4])
        self._bias = self.add_variable("bias", [self._num_units * 4], initializer=Constant(0.0))
        self._peepholes = []
        if self._use_peephole:
            self._peepholes = [
                self.add_variable(f"w_{gate}_diag", [self._num_units]) for gate in "ifo"
            ]
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output and the next state."""
        memory, last = state
        made = tf.matmul(tf.concat([inputs, last], 1), self._kernel)
        enter, new, forget, leave = tf.split(tf.nn.bias_add(made, self._bias), 4, axis=1)
        forget = forget + self._forget_bias
        if self._peepholes:
            enter = enter + memory * self._peepholes[0]
            forget = forget + memory * self._peepholes[1]
        memory = tf.sigmoid(forget) * memory + tf.sigmoid(enter) * tf.tanh(new)
        if self._clip is not None and self._clip > 0:
            memory = tf.clip_by_value(memory, -self._clip, self._clip)
        if self._peepholes:
            leave = leave + memory * self._peepholes[2]
        output = tf.sigmoid(leave) * tf.tanh(memory)
        return output, LSTMStateTuple(memory, output)


class FusedRNNCell:
    """What takes whole sequences, time first: override `__call__`."""

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Return the outputs of all steps and the last state."""
        raise NotImplementedError


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell as what takes whole sequences."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._dynamic = cell, use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Return the outputs of all steps and the last state."""
        is_list = isinstance(inputs, (list, tuple))
        options = {
            "sequence_length": sequence_length,
            "initial_state": initial_state,
            "dtype": dtype,
            "scope": scope,
        }
        if self._dynamic:
            rows = tf.stack(inputs) if is_list else inputs
            outputs, state = dynamic_rnn(self._cell, rows, time_major=True, **options)
            return (tf.unstack(outputs) if is_list else outputs), state
        rows = inputs if is_list else tf.unstack(inputs)
        outputs, state = static_rnn(self._cell, rows, **options)
        return (outputs if is_list else tf.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """What takes whole sequences, last step first."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def _reversed(self, given: Any, lengths: Any) -> Any:
        if lengths is None:
            return tf.reverse(given, [0])
        return tf.reverse_sequence(given, lengths, seq_axis=0, batch_axis=1)

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Return the outputs of all steps and the last state."""
        outputs, state = self._cell(
            self._reversed(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return self._reversed(outputs, sequence_length), state


class LSTMBlockFusedCell(Layer, FusedRNNCell):
    """An LSTM over whole sequences, time first."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: Any = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        inner: Any = LSTMBlockCell(num_units, forget_bias, cell_clip, use_peephole)
        inner.add_variable = self.add_variable  # its variables are this layer's
        self._inner = inner
        self._num_units = num_units

    @property
    def num_units(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Make the matrix, the bias and the peepholes."""
        self._inner.build(tf.TensorShape(input_shape)[1:])
        self.built = True

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the outputs of all steps and the last state."""
        return Layer.__call__(self, inputs, *args, **kwargs)

    def call(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None
    ) -> Any:
        """Return the outputs of all steps and the last state."""
        is_list = isinstance(inputs, (list, tuple))
        rows = tf.stack(inputs) if is_list else inputs
        steps = _Steps(self._inner)
        outputs, state = dynamic_rnn(
            steps,
            rows,
            sequence_length=sequence_length,
            initial_state=initial_state,
            dtype=dtype or rows.dtype,
            time_major=True,
        )
        return (tf.unstack(outputs) if is_list else outputs), state


class _Steps:
    """The steps of a cell whose variables are there already."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell
        self.state_size, self.output_size = cell.state_size, cell.output_size
        self.zero_state = cell.zero_state

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        return self._cell.call(inputs, state)
