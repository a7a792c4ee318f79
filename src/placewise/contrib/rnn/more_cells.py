"""Further recurrent cells: simple recurrent units, independent units, one-gate cells, NAS."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.rnn.linear_maps import linear
from placewise.graph.initializers import Constant, Zeros
from placewise.graph.variable_scope import get_variable_scope, variable_scope
from placewise.layers.cells import LayerRNNCell, RNNCell
from placewise.layers.choices import activation_of
from placewise.layers.lstm_cells import LSTMStateTuple


class _Units(LayerRNNCell):
    """What cells with one state of `num_units` share."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        name: Any = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self._num_units, self._activation = num_units, activation_of(activation) or tf.tanh

    @property
    def state_size(self) -> Any:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units


class UGRNNCell(RNNCell):
    """A cell with one gate: it lets the state be kept or replaced."""

    def __init__(
        self,
        num_units: int,
        initializer: Any = None,
        forget_bias: float = 1.0,
        activation: Any = tf.tanh,
        reuse: Any = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer = num_units, initializer
        self._forget_bias, self._activation = forget_bias, activation

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, which is the next state too."""
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            made = linear([inputs, state], 2 * self._num_units, True)
        gate, new = tf.split(made, 2, axis=1)
        kept = tf.sigmoid(gate + self._forget_bias)
        output = kept * state + (1.0 - kept) * self._activation(new)
        return output, output


class SRUCell(_Units):
    """A simple recurrent unit: gates that do not look at the state."""

    def build(self, inputs_shape: Any) -> None:
        """Make the matrix and the bias."""
        width = self._depth(inputs_shape)
        self._kernel = self.add_variable("kernel", [width, 4 * self._num_units])
        self._bias = self.add_variable("bias", [2 * self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output and the next state."""
        new, gates_f, gates_r, around = tf.split(tf.matmul(inputs, self._kernel), 4, axis=1)
        gates = tf.sigmoid(tf.nn.bias_add(tf.concat([gates_f, gates_r], 1), self._bias))
        forget, reset = tf.split(gates, 2, axis=1)
        memory = forget * state + (1.0 - forget) * new
        return reset * self._activation(memory) + (1.0 - reset) * around, memory


class IndRNNCell(_Units):
    """A cell whose units see only their own state."""

    def build(self, inputs_shape: Any) -> None:
        """Make the weights and the bias."""
        width = self._depth(inputs_shape)
        self._kernel_w = self.add_variable("kernel_w", [width, self._num_units])
        self._kernel_u = self.add_variable("kernel_u", [1, self._num_units])
        self._bias = self.add_variable("bias", [self._num_units], initializer=Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, which is the next state too."""
        made = tf.matmul(inputs, self._kernel_w) + state * self._kernel_u
        output = self._activation(tf.nn.bias_add(made, self._bias))
        return output, output


class IndyGRUCell(_Units):
    """A GRU whose units see only their own state."""

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._starts = kernel_initializer, bias_initializer

    def build(self, inputs_shape: Any) -> None:
        """Make the weights and biases of gates and candidate."""
        width, units = self._depth(inputs_shape), self._num_units
        kernel, bias = self._starts
        make = self.add_variable
        self._gates = (
            make("gates/kernel_w", [width, 2 * units], initializer=kernel),
            make("gates/kernel_u", [1, 2 * units], initializer=kernel),
            make("gates/bias", [2 * units], initializer=bias or Constant(1.0)),
        )
        self._candidate = (
            make("candidate/kernel", [width, units], initializer=kernel),
            make("candidate/kernel_u", [1, units], initializer=kernel),
            make("candidate/bias", [units], initializer=bias or Zeros()),
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, which is the next state too."""
        weights, own, bias = self._gates
        made = tf.matmul(inputs, weights) + tf.tile(state, [1, 2]) * own
        reset, update = tf.split(tf.sigmoid(tf.nn.bias_add(made, bias)), 2, axis=1)
        weights, own, bias = self._candidate
        made = tf.matmul(inputs, weights) + reset * state * own
        output = update * state + (1 - update) * self._activation(tf.nn.bias_add(made, bias))
        return output, output


class IndyLSTMCell(_Units):
    """An LSTM whose units see only their own output."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Any = None,
        reuse: Any = None,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias, self._starts = forget_bias, (kernel_initializer, bias_initializer)

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: Any) -> None:
        """Make the weights and the bias."""
        width, units = self._depth(inputs_shape), self._num_units
        kernel, bias = self._starts
        self._kernel_w = self.add_variable("kernel_w", [width, 4 * units], initializer=kernel)
        self._kernel_u = self.add_variable("kernel_u", [1, 4 * units], initializer=kernel)
        self._bias = self.add_variable("bias", [4 * units], initializer=bias or Zeros())
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output and the next state."""
        memory, last = state
        made = tf.matmul(inputs, self._kernel_w) + tf.tile(last, [1, 4]) * self._kernel_u
        enter, new, forget, leave = tf.split(tf.nn.bias_add(made, self._bias), 4, axis=1)
        memory = memory * tf.sigmoid(forget + self._forget_bias)
        memory = memory + tf.sigmoid(enter) * self._activation(new)
        output = self._activation(memory) * tf.sigmoid(leave)
        return output, LSTMStateTuple(memory, output)


class GRUBlockCell(_Units):
    """A GRU with its weights under the names of the one-op version."""

    _NAMES = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: Any = None,
        name: str = "gru_cell",
    ) -> None:
        units = num_units if cell_size is None else cell_size
        if units is None or (cell_size is not None and num_units is not None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        super().__init__(units, None, reuse, name)

    def build(self, inputs_shape: Any) -> None:
        """Make the weights and biases."""
        width, units = self._depth(inputs_shape) + self._num_units, self._num_units
        gates, gates_bias, candidate, candidate_bias = self._NAMES
        self._gates = (
            self.add_variable(gates, [width, 2 * units]),
            self.add_variable(gates_bias, [2 * units], initializer=Constant(1.0)),
        )
        self._candidate = (
            self.add_variable(candidate, [width, units]),
            self.add_variable(candidate_bias, [units], initializer=Constant(0.0)),
        )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output, which is the next state too."""
        made = tf.matmul(tf.concat([inputs, state], 1), self._gates[0])
        reset, update = tf.split(tf.sigmoid(tf.nn.bias_add(made, self._gates[1])), 2, axis=1)
        made = tf.matmul(tf.concat([inputs, reset * state], 1), self._candidate[0])
        new = tf.tanh(tf.nn.bias_add(made, self._candidate[1]))
        output = update * state + (1 - update) * new
        return output, output


class GRUBlockCellV2(GRUBlockCell):
    """A GRU with its weights under the names of `GRUCell`."""

    _NAMES = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


class NASCell(LayerRNNCell):
    """The cell that a search over architectures found."""

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._num_units, self._num_proj, self._use_bias = num_units, num_proj, use_bias

    @property
    def state_size(self) -> LSTMStateTuple:
        """The sizes of memory and output."""
        return LSTMStateTuple(self._num_units, self._num_proj or self._num_units)

    @property
    def output_size(self) -> int:
        """The size of the output."""
        return self._num_proj or self._num_units

    def build(self, inputs_shape: Any) -> None:
        """Make the weights."""
        width = 8 * self._num_units
        self._recurrent = self.add_variable("recurrent_kernel", [self.output_size, width])
        self._bias = None
        self._kernel = self.add_variable("kernel", [self._depth(inputs_shape), width])
        if self._use_bias:
            self._bias = self.add_variable("bias", [width], initializer=Zeros())
        self._projection = None
        if self._num_proj is not None:
            self._projection = self.add_variable(
                "projection_weights", [self._num_units, self._num_proj]
            )
        self.built = True

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output and the next state."""
        memory, last = state
        from_last = tf.matmul(last, self._recurrent)
        if self._bias is not None:
            from_last = tf.nn.bias_add(from_last, self._bias)
        m = tf.split(from_last, 8, axis=1)
        x = tf.split(tf.matmul(inputs, self._kernel), 8, axis=1)
        sigmoid, relu, tanh = tf.sigmoid, tf.nn.relu, tf.tanh
        first = [
            sigmoid(x[0] + m[0]),
            relu(x[1] + m[1]),
            sigmoid(x[2] + m[2]),
            relu(x[3] * m[3]),
            tanh(x[4] + m[4]),
            sigmoid(x[5] + m[5]),
            tanh(x[6] + m[6]),
            sigmoid(x[7] + m[7]),
        ]
        left = tanh(tanh(first[0] * first[1]) + memory)
        second = [
            tanh(first[2] + first[3]),
            tanh(first[4] * first[5]),
            sigmoid(first[6] + first[7]),
        ]
        new_memory = left * second[0]
        output = tanh(new_memory * tanh(second[1] + second[2]))
        if self._projection is not None:
            output = tf.matmul(output, self._projection)
        return output, LSTMStateTuple(new_memory, output)
