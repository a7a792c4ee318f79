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
        helper = self._helper
        with tf.name_scope(name or "BasicDecoderStep"):
            outputs, cell_state = self._cell(inputs, state)
            if (layer := self._output_layer) is not None:
                outputs = layer(outputs)
            known = {"time": time, "outputs": outputs, "state": cell_state}
            known["sample_ids"] = helper.sample(**known)
            finished, next_inputs, next_state = helper.next_inputs(**known)
        emitted = BasicDecoderOutput(outputs, known["sample_ids"])
        return emitted, next_state, next_inputs, finished


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
    """Run a decoder until all sequences are finished; return outputs, last state and lengths.

    With `impute_finished`, a sequence that is finished emits zeros and keeps its state.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        if get_variable_scope().caching_device is None:
            get_variable_scope().set_caching_device(lambda op: op.device)
        loop = _Decoding(decoder, impute_finished, _to_limit(maximum_iterations))
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: tf.logical_not(
                tf.reduce_all(finished)
            ),
            loop.step,
            loop.start(),
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
        )
        outputs = loop.collect(arrays)
        with contextlib.suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(_to_batch_major, outputs)
    return outputs, state, lengths


def _to_limit(maximum_iterations: Any) -> Any:
    if maximum_iterations is None:
        return None
    limit = tf.convert_to_tensor(maximum_iterations, tf.int32)
    if limit.shape.rank != 0:
        raise ValueError("maximum_iterations must be a scalar")
    return limit


class _Decoding:
    """One decoding loop: its first values, its step, and what it emitted."""

    def __init__(self, decoder: Decoder, impute_finished: bool, limit: Any) -> None:
        self._decoder, self._imputes, self._limit = decoder, impute_finished, limit

    def start(self) -> tuple[Any, ...]:
        """Return the loop's first values: time, arrays, state, inputs, finished, lengths."""
        finished, inputs, state = self._decoder.initialize()
        self._dtypes = self._decoder.output_dtype
        dtypes, batch = nest.flatten(self._dtypes), self._decoder.batch_size
        sizes = _flat_sizes(self._decoder.output_size)
        self._blanks = [
            _zeros(size, batch, dtype) for size, dtype in zip(sizes, dtypes, strict=True)
        ]
        arrays = [
            tf.TensorArray(blank.dtype, size=0, dynamic_size=True, element_shape=blank.shape)
            for blank in self._blanks
        ]
        finished = self._or_limit_reached(finished, 0)
        return tf.constant(0), arrays, state, inputs, finished, tf.zeros_like(finished, tf.int32)

    def step(
        self, time: Any, arrays: Any, state: Any, inputs: Any, finished: Any, lengths: Any
    ) -> tuple[Any, ...]:
        """Return the loop's values after one step of the decoder."""
        outputs, next_state, next_inputs, ended = self._decoder.step(time, inputs, state)
        nest.assert_same_structure(state, next_state)
        emitted = nest.flatten(outputs)
        if self._imputes:
            emitted = [_rows(finished, *pair) for pair in zip(self._blanks, emitted, strict=True)]
            next_state = _keep_state(finished, state, next_state)
        if not self._decoder.tracks_own_finished:
            # Once finished is finished for good.
            ended = tf.logical_or(ended, finished)
        # The step in which a sequence ends counts, so this looks at what was finished before.
        lengths = where(finished, lengths, tf.fill(tf.shape(lengths), time + 1))
        arrays = [array.write(time, item) for array, item in zip(arrays, emitted, strict=True)]
        ended = self._or_limit_reached(ended, time + 1)
        return time + 1, arrays, next_state, next_inputs, ended, lengths

    def _or_limit_reached(self, finished: Any, steps: Any) -> Any:
        return finished if self._limit is None else tf.logical_or(finished, steps >= self._limit)

    def collect(self, arrays: Any) -> Any:
        """Return what all steps emitted, in the structure of the decoder's outputs."""
        stacked = [array.stack() for array in arrays]
        for tensor, blank in zip(stacked, self._blanks, strict=True):
            tensor.set_shape([None, *blank.shape.as_list()])
        return nest.pack_sequence_as(self._dtypes, stacked)


def _keep_state(finished: Any, old: Any, new: Any) -> Any:
    """Return a state whose rows are the old ones where sequences are finished."""

    def choose(old_part: Any, new_part: Any) -> Any:
        # Arrays and scalars are no rows of the batch: they go on.
        is_array = isinstance(new_part, tf.TensorArray) or hasattr(new_part, "stack")
        if is_array or new_part.shape.rank == 0:
            return new_part
        return _rows(finished, old_part, new_part)

    pairs = zip(nest.flatten(old), nest.flatten(new), strict=True)
    return nest.pack_sequence_as(new, [choose(*pair) for pair in pairs])


def _zeros(size: Any, batch: Any, dtype: Any) -> Any:
    dims = list(size.as_list()) if isinstance(size, tf.TensorShape) else [size]
    zeros = tf.zeros(tf.concat([[batch], tf.constant(dims, tf.int32)], 0), dtype)
    zeros.set_shape([tf.get_static_value(batch), *dims])
    return zeros


def _flat_sizes(sizes: Any) -> list[Any]:
    """Return the sizes of a structure; a shape is one size."""
    if isinstance(sizes, tf.TensorShape) or not isinstance(sizes, (list, tuple)):
        return [sizes]
    return [size for part in sizes for size in _flat_sizes(part)]


def _rows(finished: Any, old: Any, new: Any) -> Any:
    """Return rows of the old where a sequence is finished, else of the new."""
    mask = tf.reshape(finished, [-1] + [1] * (new.shape.rank - 1))
    rows = where(mask, old, new)
    rows.set_shape(new.shape)
    return rows


def _to_batch_major(tensor: Any) -> Any:
    rank = tensor.shape.rank
    return tensor if rank is None or rank < 2 else tf.transpose(tensor, [1, 0, *range(2, rank)])
