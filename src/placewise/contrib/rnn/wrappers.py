"""Cells around cells: projections of inputs and outputs, embeddings, attention, ways around."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.contrib.rnn.linear_maps import linear
from placewise.core import nest
from placewise.graph.initializers import Constant, RandomUniform, TruncatedNormal
from placewise.graph.variable_scope import get_variable, get_variable_scope, variable_scope
from placewise.layers.cells import RNNCell, check_cell


class _Wrapper(RNNCell):
    """What wrappers share: the states of the cell inside."""

    def __init__(self, cell: Any, reuse: Any = None, **kwargs: Any) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        check_cell("cell", cell)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """The size of the state of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the output of the cell inside."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros."""
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            return self._cell.zero_state(batch_size, dtype)


class OutputProjectionWrapper(_Wrapper):
    """A cell whose outputs are mapped to another size."""

    def __init__(
        self, cell: Any, output_size: int, activation: Any = None, reuse: Any = None
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size, self._activation = output_size, activation

    @property
    def output_size(self) -> int:
        """The size after the map."""
        return self._output_size

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the mapped output, and the next state."""
        output, state = self._cell(inputs, state)
        projected = linear(output, self._output_size, True)
        return (projected if self._activation is None else self._activation(projected)), state


class InputProjectionWrapper(_Wrapper):
    """A cell whose inputs are mapped to another size first."""

    def __init__(
        self,
        cell: Any,
        num_proj: int,
        activation: Any = None,
        input_size: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output for the mapped inputs, and the next state."""
        projected = linear(inputs, self._num_proj, True)
        projected = projected if self._activation is None else self._activation(projected)
        return self._cell(projected, state)


class EmbeddingWrapper(_Wrapper):
    """A cell that takes ids, and looks up their vectors."""

    def __init__(
        self,
        cell: Any,
        embedding_classes: int,
        embedding_size: int,
        initializer: Any = None,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._classes, self._size, self._initializer = (
            embedding_classes,
            embedding_size,
            initializer,
        )

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output for the vectors of ids, and the next state."""
        start = self._initializer or get_variable_scope().initializer
        if start is None:
            start = RandomUniform(-(3.0**0.5), 3.0**0.5)
        kind = nest.flatten(state)[0].dtype
        table = get_variable(
            "embedding", [self._classes, self._size], initializer=start, dtype=kind
        )
        return self._cell(tf.nn.embedding_lookup(table, tf.reshape(inputs, [-1])), state)


class AttentionCellWrapper(_Wrapper):
    """A cell that looks back on its last outputs."""

    def __init__(
        self,
        cell: Any,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: Any = None,
    ) -> None:
        super().__init__(cell, reuse)
        if nest.is_nested(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size "
                f"is: {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        self._length, self._input_size = attn_length, input_size
        self._size = cell.output_size if attn_size is None else attn_size
        self._vec_size = self._size if attn_vec_size is None else attn_vec_size
        self._state_is_tuple = state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of the cell's state, of the attention, and of the outputs it looks back on."""
        parts = (self._cell.state_size, self._size, self._size * self._length)
        return parts if self._state_is_tuple else sum(parts)

    @property
    def output_size(self) -> int:
        """The size of the attention."""
        return self._size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return a state of zeros."""
        return RNNCell.zero_state(self, batch_size, dtype)

    def call(self, inputs: Any, state: Any) -> Any:
        """Return the output mixed with what was looked back on, and the next state."""
        if self._state_is_tuple:
            state, attention, history = state
        else:
            inner = self._cell.state_size
            state, attention, history = (
                tf.slice(state, [0, start], [-1, size])
                for start, size in (
                    (0, inner),
                    (inner, self._size),
                    (inner + self._size, self._size * self._length),
                )
            )
        history = tf.reshape(history, [-1, self._length, self._size])
        width = inputs.shape.as_list()[1] if self._input_size is None else self._input_size
        inputs = linear([inputs, attention], width, True)
        output, new_state = self._cell(inputs, state)
        query = tf.concat(nest.flatten(new_state), 1) if self._state_is_tuple else new_state
        attention, history = self._attended(query, history)
        with variable_scope("attn_output_projection"):
            output = linear([output, attention], self._size, True)
        history = tf.concat([history, tf.expand_dims(output, 1)], 1)
        history = tf.reshape(history, [-1, self._size * self._length])
        if self._state_is_tuple:
            return output, (new_state, attention, history)
        return output, tf.concat([new_state, attention, history], 1)

    def _attended(self, query: Any, history: Any) -> tuple[Any, Any]:
        """Return the mean of past outputs, weighted by the query, and all but the oldest."""
        with variable_scope("attention"):
            weights = get_variable("attn_w", [1, 1, self._size, self._vec_size])
            scale = get_variable("attn_v", [self._vec_size])
            hidden = tf.reshape(history, [-1, self._length, 1, self._size])
            features = tf.nn.conv2d(hidden, weights, [1, 1, 1, 1], "SAME")
            asked = tf.reshape(linear(query, self._vec_size, True), [-1, 1, 1, self._vec_size])
            scores = tf.reduce_sum(scale * tf.tanh(features + asked), [2, 3])
            shares = tf.nn.softmax(scores)
            mean = tf.reduce_sum(tf.reshape(shares, [-1, self._length, 1, 1]) * hidden, [1, 2])
            return tf.reshape(mean, [-1, self._size]), history[:, 1:, :]


class HighwayWrapper(_Wrapper):
    """A cell whose inputs may pass around it."""

    def __init__(
        self, cell: Any, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0
    ) -> None:
        super().__init__(cell)
        self._coupled, self._carry_bias = couple_carry_transform_gates, carry_bias_init

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> Any:
        """Return the output mixed with the inputs, and the next state."""
        outputs, new_state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(self._mixed, inputs, outputs), new_state

    def _mixed(self, given: Any, made: Any) -> Any:
        width = given.shape.as_list()[-1]
        carry = self._gate("carry", given, width, self._carry_bias)
        if self._coupled:
            passed = 1 - carry
        else:
            passed = self._gate("transform", given, width, -self._carry_bias)
        return given * carry + made * passed

    def _gate(self, name: str, given: Any, width: int, start: float) -> Any:
        weights = get_variable(f"{name}_w", [width, width], initializer=TruncatedNormal(0.0, 0.1))
        offsets = get_variable(f"{name}_b", [width], initializer=Constant(start))
        return tf.sigmoid(tf.matmul(given, weights) + offsets)
