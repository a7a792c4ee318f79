"""Helpers of decoders: where the next input comes from while training, or while decoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import placewise as tf
from placewise.core import nest
from placewise.ops.array.where import where as _where


class Helper:
    """Says the first inputs, samples from outputs, and gives the next inputs."""

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        raise NotImplementedError

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of what is sampled for one sequence."""
        return tf.TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """The dtype of what is sampled."""
        return tf.int32

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Return which sequences are finished already, and the first inputs."""
        raise NotImplementedError

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return what is sampled from outputs."""
        raise NotImplementedError

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """Return which sequences are finished, the next inputs, and the next state."""
        raise NotImplementedError


class CustomHelper(Helper):
    """A helper of three functions."""

    def __init__(
        self,
        initialize_fn: Any,
        sample_fn: Any,
        next_inputs_fn: Any,
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._functions = initialize_fn, sample_fn, next_inputs_fn
        self._batch_size: Any = None
        self._shape = tf.TensorShape(sample_ids_shape or [])
        self._dtype = sample_ids_dtype or tf.int32

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of what is sampled for one sequence."""
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        """The dtype of what is sampled."""
        return self._dtype

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Return which sequences are finished already, and the first inputs."""
        finished, inputs = self._functions[0]()
        if self._batch_size is None:
            self._batch_size = tf.size(finished)
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return what is sampled from outputs."""
        return self._functions[1](time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """Return which sequences are finished, the next inputs, and the next state."""
        following: tuple[Any, Any, Any] = self._functions[2](
            time=time, outputs=outputs, state=state, sample_ids=sample_ids
        )
        return following


class TrainingHelper(Helper):
    """Gives the inputs of sequences that are known."""

    def __init__(
        self, inputs: Any, sequence_length: Any, time_major: bool = False, name: str | None = None
    ) -> None:
        inputs = nest.map_structure(tf.convert_to_tensor, inputs)
        self._inputs = inputs
        if not time_major:
            inputs = nest.map_structure(_turned, inputs)
        self._rows = inputs
        self._length = tf.convert_to_tensor(sequence_length)
        if self._length.shape.rank != 1:
            raise ValueError(
                f"Expected sequence_length to be a vector, but received shape: {self._length.shape}"
            )
        self._zeros = nest.map_structure(lambda each: tf.zeros_like(each[0, :]), inputs)
        self._batch_size = tf.size(self._length)

    @property
    def inputs(self) -> Any:
        """The inputs."""
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """The length of each sequence."""
        return self._length

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch_size

    def _at(self, time: Any) -> Any:
        def step(each: Any) -> Any:
            found = tf.gather(each, time)
            found.set_shape(each.shape[1:])
            return found

        return nest.map_structure(step, self._rows)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Return which sequences are empty, and the first inputs."""
        finished = tf.equal(0, self._length)
        inputs = tf.cond(
            tf.reduce_all(finished), lambda: self._zeros, lambda: self._at(tf.constant(0))
        )
        return finished, _shaped(inputs, self._zeros)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return the most likely ids."""
        return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """Return which sequences end here, and the inputs of the next step."""
        following = time + 1
        finished = following >= self._length
        inputs = tf.cond(tf.reduce_all(finished), lambda: self._zeros, lambda: self._at(following))
        return finished, _shaped(inputs, self._zeros), state


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Gives known inputs, or now and then the vectors of what was sampled."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: Any = None,
        scheduling_seed: Any = None,
        name: str | None = None,
    ) -> None:
        self._embed = _embedder(embedding)
        self._probability = tf.convert_to_tensor(sampling_probability)
        self._seed, self._scheduling_seed = seed, scheduling_seed
        super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return sampled ids, or -1 where the known input is to be used."""
        drawn = tf.random.uniform([tf.shape(outputs)[0]], seed=self._scheduling_seed)
        ids = tf.random.categorical(outputs, 1, dtype=tf.int32, seed=self._seed)[:, 0]
        return _where(drawn < self._probability, ids, tf.fill([tf.shape(outputs)[0]], -1))

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """Return which sequences end here, and inputs known or sampled."""
        finished, base, state = super().next_inputs(time, outputs, state, sample_ids)
        sampled = self._embed(tf.maximum(sample_ids, 0))
        mixed = _where(tf.expand_dims(sample_ids >= 0, 1), sampled, base)
        mixed.set_shape(base.shape)
        return finished, mixed, state


class GreedyEmbeddingHelper(Helper):
    """Gives the vectors of the most likely ids."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embed = _embedder(embedding)
        self._start = tf.cast(tf.convert_to_tensor(start_tokens), tf.int32)
        self._end = tf.cast(tf.convert_to_tensor(end_token), tf.int32)
        if self._start.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        self._batch_size = tf.size(self._start)
        if self._end.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._first = self._embed(self._start)

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """Return that none is finished, and the vectors of the first ids."""
        return tf.fill([self._batch_size], False), self._first

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return the most likely ids."""
        return tf.cast(tf.argmax(outputs, axis=-1), tf.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """Return which sequences came to their end, and the vectors of what was sampled."""
        finished = tf.equal(sample_ids, self._end)
        inputs = tf.cond(
            tf.reduce_all(finished), lambda: self._first, lambda: self._embed(sample_ids)
        )
        inputs.set_shape(self._first.shape)
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Gives the vectors of ids drawn by their likelihood."""

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: Any = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """Return ids drawn by their likelihood."""
        logits = outputs if self._temperature is None else outputs / self._temperature
        return tf.random.categorical(logits, 1, dtype=tf.int32, seed=self._seed)[:, 0]


def _embedder(embedding: Any) -> Callable[[Any], Any]:
    if callable(embedding) and not hasattr(embedding, "dtype"):
        return cast(Callable[[Any], Any], embedding)
    return lambda ids: tf.nn.embedding_lookup(embedding, ids)


def _shaped(made: Any, like: Any) -> Any:
    for one, other in zip(nest.flatten(made), nest.flatten(like), strict=True):
        one.set_shape(other.shape)
    return made


def _turned(each: Any) -> Any:
    return tf.transpose(each, [1, 0, *range(2, each.shape.rank)])


def tile_batch(t: Any, multiplier: Any, name: str | None = None) -> Any:
    """Return tensors with each case repeated, one after the other."""
    with tf.name_scope(name or "tile_batch"):
        return nest.map_structure(lambda each: _repeated(each, multiplier), t)


def _repeated(each: Any, multiplier: Any) -> Any:
    each = tf.convert_to_tensor(each)
    if each.shape.rank is None:
        raise ValueError("t must have statically known rank")
    made = tf.repeat(each, multiplier, axis=0)
    rows = each.shape.as_list()[0]
    known = tf.get_static_value(multiplier) if tf.is_tensor(multiplier) else multiplier
    total = None if rows is None or known is None else rows * int(known)
    made.set_shape([total, *each.shape.as_list()[1:]])
    return made
