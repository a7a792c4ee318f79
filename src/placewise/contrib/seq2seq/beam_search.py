"""`BeamSearchDecoder`: keeps the likeliest beginnings of each sequence, and `gather_tree`.

Tensors of a step are [batch, beam, …]; the cell sees [batch * beam, …]. Each step notes, for every
beam, the word it adds and the beam it goes on from; the sequences are read back from the end.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

import placewise as tf
from placewise.contrib.seq2seq.decoders import Decoder
from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.log import get_logger
from placewise.layers.cells import check_cell
from placewise.layers.layer import Layer
from placewise.ops.flow.loops import while_loop
from placewise.ops.nn.embedding import embedding_lookup

BeamSearchDecoderState = namedtuple(
    "BeamSearchDecoderState",
    ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
)
BeamSearchDecoderOutput = namedtuple(
    "BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")
)
FinalBeamSearchDecoderOutput = namedtuple(
    "FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
)


def gather_tree(
    step_ids: TensorLike,
    parent_ids: TensorLike,
    max_sequence_lengths: TensorLike,
    end_token: TensorLike,
    name: str | None = None,
) -> Any:
    """Return the sequences of all beams, read back from their last steps: [time, batch, beam].

    `step_ids`: the word of each step, `parent_ids`: the beam that it goes on from.
    What follows the first `end_token` of a sequence, or its batch's length, is `end_token`.
    """
    step_ids, parent_ids = tf.convert_to_tensor(step_ids), tf.convert_to_tensor(parent_ids)
    with tf.name_scope(name or "GatherTree"):
        steps, batch, beams = tf.unstack(tf.shape(step_ids))
        end = tf.cast(end_token, step_ids.dtype)
        lengths = tf.minimum(tf.cast(max_sequence_lengths, tf.int32), steps)[:, None]
        blank = tf.fill([batch, beams], end)

        def back(step: Any, beam: Any, words: Any) -> tuple[Any, Any, Any]:
            is_inside = tf.broadcast_to(step < lengths, [batch, beams])
            word = tf.where(is_inside, tf.gather(step_ids[step], beam, batch_dims=1), blank)
            parent = tf.gather(parent_ids[step], beam, batch_dims=1)
            beam = tf.where(is_inside, tf.cast(parent, tf.int32), beam)
            return step - 1, beam, words.write(step, word)

        leaves = tf.tile(tf.range(beams)[None], tf.stack([batch, 1]))
        array = tf.TensorArray(step_ids.dtype, size=steps)
        *_, words = while_loop(lambda step, *_: step >= 0, back, (steps - 1, leaves, array))
        found = words.stack()
        has_ended = tf.cumsum(tf.cast(tf.equal(found, end), tf.int32), exclusive=True) > 0
        result = tf.where(has_ended, tf.fill(tf.shape(found), end), found)
        result.set_shape(step_ids.shape)
        return result


class BeamSearchDecoder(Decoder):
    """Decodes with the `beam_width` likeliest beginnings of each sequence.

    `embedding`: a function of ids, or the table to look them up in. `initial_state`: of the cell
    for all beams, as `tile_batch` makes it. The result's `predicted_ids` are [batch, time, beam],
    the likeliest beam first.
    `length_penalty_weight`: by how much longer sequences are preferred; 0 for none.
    `coverage_penalty_weight`: by how much those that attended to all of the memory are; for cells
    with attention only.
    `reorder_tensor_arrays`: whether arrays in the last state, as the history of alignments, follow
    the beams.
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: TensorLike,
        end_token: TensorLike,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: float = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        check_cell("cell", cell)
        if output_layer is not None and not (
            isinstance(output_layer, Layer) or callable(output_layer)
        ):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._output_layer = cell, output_layer
        self._embed: Callable[[Any], Any] = (
            embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)
        )
        start_tokens = tf.convert_to_tensor(start_tokens, tf.int32)
        if start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = tf.convert_to_tensor(end_token, tf.int32)
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._beams = beam_width
        self._length_weight, self._coverage_weight = length_penalty_weight, coverage_penalty_weight
        self._reorders = reorder_tensor_arrays
        self._batch = tf.size(start_tokens)
        static = tf.get_static_value(self._batch)
        self._static_batch = None if static is None else int(static)
        self._initial = self._with_beams(initial_state)
        words = tf.tile(start_tokens[:, None], [1, beam_width])
        self._start_inputs = self._embed(words)
        self._finished = tf.one_hot(
            tf.zeros([self._batch], tf.int32), beam_width, False, True, dtype=tf.bool
        )

    @property
    def batch_size(self) -> Any:
        """The number of sequences."""
        return self._batch

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places, and with them what is finished."""
        return True

    @property
    def output_size(self) -> Any:
        """The sizes of what a step gives."""
        return BeamSearchDecoderOutput(*[tf.TensorShape([self._beams])] * 3)

    @property
    def output_dtype(self) -> Any:
        """The dtypes of what a step gives."""
        return BeamSearchDecoderOutput(self._dtype, tf.int32, tf.int32)

    @property
    def _dtype(self) -> Any:
        return nest.flatten(self._initial)[0].dtype

    def initialize(self, name: str | None = None) -> tuple[Any, Any, Any]:
        """Return which beams are finished, the first inputs and the first state.

        All beams begin alike, so only the first one counts: the others have probability 0.
        """
        lowest = self._dtype.as_numpy_dtype(-np.inf)
        first = tf.zeros([self._batch], tf.int32)
        state = BeamSearchDecoderState(
            cell_state=self._initial,
            log_probs=tf.one_hot(first, self._beams, 0.0, lowest, dtype=self._dtype),
            finished=self._finished,
            lengths=tf.zeros([self._batch, self._beams], tf.int64),
            accumulated_attention_probs=(
                tf.zeros_like(_attention(self._initial)) if self._coverage_weight else ()
            ),
        )
        return self._finished, self._start_inputs, state

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> tuple[Any, Any, Any, Any]:
        """Return outputs, next state, next inputs, and which beams are finished."""
        with tf.name_scope(name or "BeamSearchDecoderStep"):
            inputs = nest.map_structure(self._joined, inputs)
            outputs, cell_state = self._cell(inputs, self._without_beams(state.cell_state))
            outputs = nest.map_structure(self._parted, outputs)
            cell_state = self._with_beams(cell_state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            result, state = self._search(outputs, cell_state, state)
            inputs = tf.compat.v1.cond(
                tf.reduce_all(state.finished),
                lambda: self._start_inputs,
                lambda: self._embed(result.predicted_ids),
            )
        return result, state, inputs, state.finished

    def finalize(
        self, outputs: Any, final_state: Any, sequence_lengths: TensorLike
    ) -> tuple[Any, Any]:
        """Return the sequences of all beams, and the last state."""
        longest = tf.cast(tf.reduce_max(final_state.lengths, axis=1), tf.int32)
        ids = gather_tree(outputs.predicted_ids, outputs.parent_ids, longest, self._end_token)
        if self._reorders:

            def follow(part: Any) -> Any:
                if not _is_array(part):
                    return part
                return self._following_beams(part, outputs.parent_ids, final_state.lengths)

            cell_state = nest.map_structure(follow, final_state.cell_state)
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    # One step of the search.

    def _search(self, logits: Any, cell_state: Any, state: Any) -> tuple[Any, Any]:
        known = logits.shape[-1]
        words = tf.shape(logits)[-1] if known is None else int(known)
        log_probs = self._of_finished(tf.nn.log_softmax(logits), state.finished, words)
        total = log_probs + state.log_probs[:, :, None]
        is_going_on = tf.cast(tf.logical_not(state.finished), tf.int64)
        more = tf.one_hot(
            tf.fill([self._batch, self._beams], self._end_token), words, 0, 1, dtype=tf.int64
        )
        lengths = state.lengths[:, :, None] + more * is_going_on[:, :, None]
        attended, scores = self._scores(total, lengths, cell_state, state)
        flat = tf.reshape(scores, [self._batch, -1])
        best, places = tf.math.top_k(flat, self._beams)
        for tensor in (best, places):
            tensor.set_shape([self._static_batch, self._beams])
        word, beam = places % words, places // words

        def of_beams(part: Any) -> Any:
            if _is_array(part) or (part.shape.rank is not None and part.shape.rank < 2):
                return part
            taken = tf.gather(part, beam, batch_dims=1)
            taken.set_shape(part.shape)
            return taken

        was_finished = of_beams(state.finished)
        next_state = BeamSearchDecoderState(
            cell_state=nest.map_structure(of_beams, cell_state),
            log_probs=tf.gather(tf.reshape(total, [self._batch, -1]), places, batch_dims=1),
            finished=tf.logical_or(was_finished, tf.equal(word, self._end_token)),
            lengths=of_beams(state.lengths) + tf.cast(tf.logical_not(was_finished), tf.int64),
            accumulated_attention_probs=nest.map_structure(of_beams, attended),
        )
        next_state.log_probs.set_shape([self._static_batch, self._beams])
        return BeamSearchDecoderOutput(best, word, beam), next_state

    def _of_finished(self, log_probs: Any, finished: Any, words: Any) -> Any:
        """Let finished beams go on with the end token only, at no cost."""
        dtype = log_probs.dtype
        row = tf.one_hot(self._end_token, words, dtype.as_numpy_dtype(0), dtype.min, dtype=dtype)
        return tf.where(finished[:, :, None], tf.broadcast_to(row, tf.shape(log_probs)), log_probs)

    def _scores(self, total: Any, lengths: Any, cell_state: Any, state: Any) -> tuple[Any, Any]:
        """Return what all beams attended to so far, and the scores of their continuations."""
        scores = total
        if self._length_weight:
            size = tf.cast(lengths, total.dtype)
            scores = total / ((5.0 + size) ** self._length_weight / 6.0**self._length_weight)
        attended = state.accumulated_attention_probs
        if self._coverage_weight:
            now = _attention(cell_state)
            attended += tf.where(state.finished[:, :, None], tf.zeros_like(now), now)
            # What was never attended to is padding. Only finished beams are judged by coverage.
            counted = tf.where(tf.equal(attended, 0.0), tf.ones_like(attended), attended)
            covered = tf.reduce_sum(tf.math.log(tf.minimum(counted, 1.0)), -1)
            covered *= tf.cast(state.finished, covered.dtype)
            scores += self._coverage_weight * covered[:, :, None]
        return attended, scores

    # Between [batch, beam, …] and [batch * beam, …].

    def _joined(self, part: Any) -> Any:
        dims = part.shape.as_list()
        joined = tf.reshape(part, tf.concat([[self._batch * self._beams], tf.shape(part)[2:]], 0))
        rows = None if self._static_batch is None else self._static_batch * self._beams
        joined.set_shape([rows, *dims[2:]])
        return joined

    def _parted(self, part: Any) -> Any:
        dims = part.shape.as_list()
        sizes = tf.concat([[self._batch, self._beams], tf.shape(part)[1:]], 0)
        parted = tf.reshape(part, sizes)
        parted.set_shape([self._static_batch, self._beams, *dims[1:]])
        return parted

    def _with_beams(self, state: Any) -> Any:
        def one(part: Any) -> Any:
            return part if _is_array(part) or not part.shape.rank else self._parted(part)

        return nest.map_structure(one, state)

    def _without_beams(self, state: Any) -> Any:
        def one(part: Any) -> Any:
            return part if _is_array(part) or not part.shape.rank else self._joined(part)

        return nest.map_structure(one, state)

    def _following_beams(self, array: Any, parents: Any, lengths: Any) -> Any:
        """Return the items of an array, [time, batch * beam, …], in the order of the beams."""
        dims = array.element_shape.as_list() if array.element_shape.rank else []
        if self._static_batch is not None and len(dims) > 1 and None not in dims[:2]:
            # TensorFlow takes such shapes for ones that are parted already, and so leaves the
            # array as it is; programs stack it themselves then.
            get_logger().warning(
                "TensorArray reordering expects elements to be reshapable to (%s, %s, ?) which is "
                "incompatible with the current shape %s. Consider setting reorder_tensor_arrays to "
                "False to disable TensorArray reordering during the beam search.",
                self._static_batch,
                self._beams,
                tuple(dims),
            )
            return array
        items = array.stack()
        steps = tf.shape(parents)[0]
        beams = tf.tile(tf.range(self._beams)[None, None], tf.stack([steps, self._batch, 1]))
        longest = tf.cast(tf.reduce_max(lengths, axis=1), tf.int32)
        order = gather_tree(beams, parents, longest, self._beams + 1)
        mask = tf.transpose(tf.sequence_mask(lengths, maxlen=steps), [2, 0, 1])
        order = tf.where(mask, order, beams)
        sizes = tf.concat([[steps, self._batch, self._beams], tf.shape(items)[2:]], 0)
        return tf.gather(tf.reshape(items, sizes), order, batch_dims=2)


def _attention(cell_state: Any) -> Any:
    """Return the alignments of a state, the mean of several; ValueError where there are none."""
    states = [cell_state] if hasattr(cell_state, "alignments") else cell_state
    found = [
        one
        for state in (states if isinstance(states, (list, tuple)) else ())
        if hasattr(state, "alignments")
        for one in nest.flatten(state.alignments)
    ]
    if not found:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    return found[0] if len(found) == 1 else tf.reduce_mean(tf.stack(found, -1), -1)


def _is_array(part: Any) -> bool:
    return isinstance(part, tf.TensorArray) or hasattr(part, "stack")


for _kind in (
    BeamSearchDecoder,
    BeamSearchDecoderState,
    BeamSearchDecoderOutput,
    FinalBeamSearchDecoderOutput,
):
    _kind.__module__ = "tensorflow.contrib.seq2seq.python.ops.beam_search_decoder"
