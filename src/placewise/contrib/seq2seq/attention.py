"""Attention: how much of a memory each step looks at, and a cell that looks at it."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

import placewise as tf
from placewise.core import nest
from placewise.graph.initializers import Constant, Zeros
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.layers.cells import RNNCell, check_cell
from placewise.layers.dense import Dense
from placewise.ops.array.where import where


class AttentionMechanism:
    """What an AttentionWrapper asks for how much to look at."""


def hardmax(logits: Any, name: str | None = None) -> Any:
    """Return a one at the largest of each row."""
    with tf.name_scope(name or "Hardmax"):
        logits = tf.convert_to_tensor(logits)
        depth = logits.shape.as_list()[-1] or tf.shape(logits)[-1]
        return tf.one_hot(tf.argmax(logits, -1), depth, dtype=logits.dtype)


class _Attention(AttentionMechanism):
    """What mechanisms share: the memory masked beyond its lengths, its keys, the shares."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        lengths: Any,
        query_layer: Any,
        probability_fn: Any,
        score_mask_value: Any,
        dtype: Any,
        name: str,
    ) -> None:
        self._num_units, self._name = num_units, name
        kind = dtype or tf.float32
        with tf.name_scope(f"{name}Init" if name else "BaseAttentionMechanismInit"):
            memory = nest.map_structure(tf.convert_to_tensor, memory)
            self._lengths = None if lengths is None else tf.convert_to_tensor(lengths)
            self._values = _masked(memory, self._lengths)
            self.memory_layer = Dense(num_units, name="memory_layer", use_bias=False, dtype=kind)
            self._keys = self.memory_layer(self._values)
        self.query_layer = query_layer
        self._probability = probability_fn or tf.nn.softmax
        self._mask_value = -np.inf if score_mask_value is None else score_mask_value
        self._batch_size = self._keys.shape.as_list()[0] or tf.shape(self._keys)[0]
        self._alignments_size = self._keys.shape.as_list()[1] or tf.shape(self._keys)[1]

    @property
    def values(self) -> Any:
        """The memory, zero beyond its lengths."""
        return self._values

    @property
    def keys(self) -> Any:
        """The memory as it is compared with queries."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """The length of the memory."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """The size of the state: that of the alignments."""
        return self._alignments_size

    @property
    def memory_initialized(self) -> bool:
        """Whether there is a memory."""
        return True

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Any:
        """Return that nothing is looked at."""
        made = tf.zeros([batch_size, self._alignments_size], dtype)
        known = self._alignments_size if isinstance(self._alignments_size, int) else None
        made.set_shape([tf.get_static_value(batch_size), known])
        return made

    def initial_state(self, batch_size: Any, dtype: Any) -> Any:
        """Return the first state."""
        return self.initial_alignments(batch_size, dtype)

    def _shares(self, score: Any) -> Any:
        if self._lengths is not None:
            mask = tf.sequence_mask(self._lengths, tf.shape(score)[1])
            score = where(mask, score, self._mask_value * tf.ones_like(score))
        return self._probability(score)

    def _score(self, query: Any) -> Any:
        raise NotImplementedError

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """Return how much of each place to look at, and the next state."""
        shares = self._shares(self._score(query))
        return shares, shares


def _masked(memory: Any, lengths: Any) -> Any:
    if lengths is None:
        return memory

    def masked(each: Any) -> Any:
        mask = tf.sequence_mask(lengths, tf.shape(each)[1], dtype=each.dtype)
        return each * tf.reshape(mask, tf.concat([tf.shape(mask), [1] * (each.shape.rank - 2)], 0))

    return nest.map_structure(masked, memory)


class LuongAttention(_Attention):
    """Scores by the product of query and keys."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            num_units,
            memory,
            memory_sequence_length,
            None,
            probability_fn,
            score_mask_value,
            dtype,
            name,
        )
        self._scale = scale

    def _score(self, query: Any) -> Any:
        depth, units = query.shape.as_list()[-1], self._keys.shape.as_list()[-1]
        if depth != units:
            raise ValueError(
                f"Incompatible or unknown inner dimensions between query and keys.  Query ({query})"
                f" has units: {depth}.  Keys ({self._keys}) have units: {units}.  Perhaps you need "
                f"to set num_units to the keys' dimension ({units})?"
            )
        with variable_scope(None, "luong_attention", [query]):
            score = tf.squeeze(
                tf.matmul(tf.expand_dims(query, 1), self._keys, transpose_b=True), [1]
            )
            if self._scale:
                factor = get_variable("attention_g", (), query.dtype, initializer=Constant(1.0))
                score = factor * score
        return score


class BahdanauAttention(_Attention):
    """Scores by a small network of query and keys."""

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Any = None,
        score_mask_value: Any = None,
        dtype: Any = None,
        custom_key_value_fn: Any = None,
        name: str = "BahdanauAttention",
    ) -> None:
        kind = dtype or tf.float32
        super().__init__(
            num_units,
            memory,
            memory_sequence_length,
            Dense(num_units, name="query_layer", use_bias=False, dtype=kind),
            probability_fn,
            score_mask_value,
            dtype,
            name,
        )
        self._normalize = normalize

    def _score(self, query: Any) -> Any:
        with variable_scope(None, "bahdanau_attention", [query]):
            asked = tf.expand_dims(self.query_layer(query), 1)
            kind, units = query.dtype, self._num_units
            direction = get_variable("attention_v", [units], kind)
            if not self._normalize:
                return tf.reduce_sum(direction * tf.tanh(self._keys + asked), [2])
            start = Constant(np.sqrt(1.0 / units))
            length = get_variable("attention_g", (), kind, initializer=start)
            bias = get_variable("attention_b", [units], kind, initializer=Zeros())
            scaled = length * direction * tf.math.rsqrt(tf.reduce_sum(tf.square(direction)))
            return tf.reduce_sum(scaled * tf.tanh(self._keys + asked + bias), [2])


class AttentionWrapperState(
    namedtuple(
        "AttentionWrapperState",
        (
            "cell_state",
            "attention",
            "time",
            "alignments",
            "alignment_history",
            "attention_state",
        ),
    )
):
    """The state of a cell with attention."""

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """Return a state like this with some parts changed."""
        return self._replace(**kwargs)


class AttentionWrapper(RNNCell):
    """A cell whose inputs are joined with what it looked at, and whose outputs look at a memory."""

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Any = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        check_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = list(attention_mechanism) if self._is_multi else [attention_mechanism]
        for each in self._mechanisms:
            if not isinstance(each, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or list of multiple "
                    f"AttentionMechanism instances, got type: {type(each).__name__}"
                )
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        sizes = attention_layer_size
        self._layers: list[Any] = []
        if sizes is not None:
            every = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
            if len(every) != len(self._mechanisms):
                raise ValueError(
                    "If provided, attention_layer_size must contain exactly one integer per "
                    f"attention_mechanism, saw: {len(every)} vs {len(self._mechanisms)}"
                )
            self._layers = [Dense(size, name="attention_layer", use_bias=False) for size in every]
            self._size = sum(every)
        elif attention_layer is not None:
            self._layers = list(attention_layer) if self._is_multi else [attention_layer]
            self._size = sum(
                layer.compute_output_shape(
                    [None, cell.output_size + each.values.shape.as_list()[-1]]
                ).as_list()[-1]
                for layer, each in zip(self._layers, self._mechanisms, strict=True)
            )
        else:
            self._size = sum(each.values.shape.as_list()[-1] for each in self._mechanisms)
        self._cell, self._output_attention = cell, output_attention
        self._input_fn = cell_input_fn or (lambda inputs, seen: tf.concat([inputs, seen], -1))
        self._history, self._first = alignment_history, initial_cell_state

    def _one_or_all(self, items: Any) -> Any:
        found = tuple(items)
        return found if self._is_multi else found[0]

    @property
    def output_size(self) -> Any:
        """The size of the attention, or of the cell's outputs."""
        return self._size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """The sizes of the parts of the state."""
        sizes = [each.alignments_size for each in self._mechanisms]
        return AttentionWrapperState(
            self._cell.state_size,
            self._size,
            tf.TensorShape([]),
            self._one_or_all(sizes),
            self._one_or_all([size if self._history else () for size in sizes]),
            self._one_or_all([each.state_size for each in self._mechanisms]),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """Return the state to begin with."""
        with tf.name_scope(f"{type(self).__name__}ZeroState"):
            if self._first is not None:
                state = self._first
            else:
                state = self._cell.zero_state(batch_size, dtype)
            alignments = [each.initial_alignments(batch_size, dtype) for each in self._mechanisms]
            attention = tf.zeros([batch_size, self._size], dtype)
            attention.set_shape([tf.get_static_value(batch_size), self._size])
            histories = [
                tf.TensorArray(
                    dtype,
                    size=0,
                    dynamic_size=True,
                    element_shape=each.shape,
                    clear_after_read=False,
                )
                if self._history
                else ()
                for each in alignments
            ]
            return AttentionWrapperState(
                state,
                attention,
                tf.zeros([], tf.int32),
                self._one_or_all(alignments),
                self._one_or_all(histories),
                self._one_or_all(
                    [each.initial_state(batch_size, dtype) for each in self._mechanisms]
                ),
            )

    def call(self, inputs: Any, state: AttentionWrapperState) -> Any:
        """Return what was looked at, or the cell's output, and the next state."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. Received type "
                f"{type(state)} instead."
            )
        output, cell_state = self._cell(self._input_fn(inputs, state.attention), state.cell_state)

        def every(given: Any) -> list[Any]:
            return list(given) if self._is_multi else [given]

        seen, shares, states, histories = [], [], [], []
        for place, mechanism in enumerate(self._mechanisms):
            share, after = mechanism(output, every(state.attention_state)[place])
            context = tf.squeeze(tf.matmul(tf.expand_dims(share, 1), mechanism.values), [1])
            if self._layers:
                context = self._layers[place](tf.concat([output, context], 1))
            history = every(state.alignment_history)[place]
            histories.append(history.write(state.time, share) if self._history else ())
            shares.append(share)
            states.append(after)
            seen.append(context)
        attention = seen[0] if len(seen) == 1 else tf.concat(seen, 1)
        after = AttentionWrapperState(
            cell_state,
            attention,
            state.time + 1,
            self._one_or_all(shares),
            self._one_or_all(histories),
            self._one_or_all(states),
        )
        return (attention if self._output_attention else output), after
