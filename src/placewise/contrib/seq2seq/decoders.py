"""Decoders: a cell, a helper and an output layer, and the loop that runs them."""

from __future__ import annotations

import contextlib
from collections import namedtuple
from typing import Any

import placewise as tf
from placewise.core import nest
from placewise.graph.variable_scope import get_variable_scope, variable_scope
from placewise.layers.cells import check_cell
from placewise.layers.layer import Layer
from placewise.ops.array.where import where
from placewise.ops.flow.loops import while_loop


class BasicDecoderOutput(namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))):
    """What a step gives: the outputs, and what was sampled from them."""


class Decoder:
    """What `dynamic_decode` runs: override its properties, `initialize` and `step`."""

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The sizes of what a step gives."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The dtypes of what a step gives."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether a sequence that is finished may go on."""
        return False

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """Return which sequences are finished, the first inputs and the first state."""
        raise NotImplementedError

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Return outputs, next state, next inputs, and which sequences are finished."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Return outputs and state after the last step."""
        raise NotImplementedError


class BasicDecoder(Decoder):
    """A cell whose inputs a helper gives."""

    def __init__(
        self, cell: Any, helper: Any, initial_state: Any, output_layer: Any = None
    ) -> None:
        check_cell("cell", cell)
        if output_layer is not None and not (
            isinstance(output_layer, Layer) or callable(output_layer)
        ):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._helper.batch_size

    @property
    def output_size(self) -> BasicDecoderOutput:
        """The sizes of outputs and samples."""
        size = self._cell.output_size
        if self._output_layer is not None:
            shape = tf.TensorShape([None, size])
            size = self._output_layer.compute_output_shape(shape)[1:]
            size = size.as_list()[0]
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The dtypes of outputs and samples."""
        kind = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(kind, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """Return which sequences are finished, the first inputs and the first state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Return outputs, next state, next inputs, and which sequences are finished."""
        with tf.name_scope(name or "BasicDecoderStep"):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, inputs, state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), state, inputs, finished


def _zeros(size: Any, batch: Any, kind: Any) -> Any:
    dims = list(size.as_list()) if isinstance(size, tf.TensorShape) else [size]
    made = tf.zeros(tf.concat([[batch], tf.constant(dims, tf.int32)], 0), kind)
    made.set_shape([tf.get_static_value(batch), *dims])
    return made


def _is_array(value: Any) -> bool:
    return isinstance(value, tf.TensorArray) or hasattr(value, "stack")


def dynamic_decode(
    decoder: Any,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: Any = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: Any = None,
    **kwargs: Any,
) -> tuple[Any, Any, Any]:
    """Run a decoder until all sequences are finished; return outputs, last state and lengths."""
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder") as opened:
        del opened
        if get_variable_scope().caching_device is None:
            get_variable_scope().set_caching_device(lambda op: op.device)
        limit = None
        if maximum_iterations is not None:
            limit = tf.convert_to_tensor(maximum_iterations, tf.int32)
            if limit.shape.rank != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = decoder.initialize()
        sizes, kinds = decoder.output_size, decoder.output_dtype
        flat_sizes = _flat_sizes(sizes)
        flat_kinds = nest.flatten(kinds)
        blanks = [
            _zeros(size, decoder.batch_size, kind)
            for size, kind in zip(flat_sizes, flat_kinds, strict=True)
        ]
        if limit is not None:
            finished = tf.logical_or(finished, limit <= 0)
        lengths = tf.zeros_like(finished, dtype=tf.int32)
        arrays = [
            tf.TensorArray(kind, size=0, dynamic_size=True, element_shape=blank.shape)
            for kind, blank in zip(flat_kinds, blanks, strict=True)
        ]

        def step(
            time: Any, kept: Any, before: Any, given: Any, done: Any, counts: Any
        ) -> tuple[Any, ...]:
            outputs, after, following, ended = decoder.step(time, given, before)
            ended_now = ended if decoder.tracks_own_finished else tf.logical_or(ended, done)
            counts = where(tf.logical_not(done), tf.fill(tf.shape(counts), time + 1), counts)
            nest.assert_same_structure(before, after)
            emitted = nest.flatten(outputs)
            if impute_finished:
                emitted = [
                    _rows(done, blank, each) for each, blank in zip(emitted, blanks, strict=True)
                ]
                flat = [
                    new if _is_array(new) or new.shape.rank == 0 else _rows(done, old, new)
                    for old, new in zip(nest.flatten(before), nest.flatten(after), strict=True)
                ]
                after = nest.pack_sequence_as(after, flat)
            kept = [array.write(time, each) for array, each in zip(kept, emitted, strict=True)]
            if limit is not None:
                ended_now = tf.logical_or(ended_now, time + 1 >= limit)
            return time + 1, kept, after, following, ended_now, counts

        _, arrays, state, _, _, lengths = while_loop(
            lambda time, kept, before, given, done, counts: tf.logical_not(tf.reduce_all(done)),
            step,
            (tf.constant(0), arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
        )
        stacked = [array.stack() for array in arrays]
        for each, blank in zip(stacked, blanks, strict=True):
            each.set_shape([None, *blank.shape.as_list()])
        outputs = nest.pack_sequence_as(kinds, stacked)
        with contextlib.suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(_turned, outputs)
    return outputs, state, lengths


def _flat_sizes(sizes: Any) -> list[Any]:
    """Return the sizes of a structure; a shape is one size."""
    if isinstance(sizes, tf.TensorShape) or not isinstance(sizes, (list, tuple)):
        return [sizes]
    return [size for each in sizes for size in _flat_sizes(each)]


def _rows(done: Any, old: Any, new: Any) -> Any:
    """Return rows of the old where a sequence is done, else of the new."""
    wide = tf.reshape(done, [-1] + [1] * (new.shape.rank - 1))
    made = where(wide, old, new)
    made.set_shape(new.shape)
    return made


def _turned(each: Any) -> Any:
    if each.shape.rank is None or each.shape.rank < 2:
        return each
    return tf.transpose(each, [1, 0, *range(2, each.shape.rank)])
