"""Conditional random fields over chains of tags: scores, likelihood, best tags."""

from __future__ import annotations

from collections import deque
from typing import Any

import placewise as tf
from placewise.graph.variable_scope import get_variable
from placewise.ops.array.where import where


def _mask(lengths: Any, steps: Any) -> Any:
    return tf.sequence_mask(lengths, steps, dtype=tf.float32)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Return the sum of the scores of tags by themselves."""
    scores = tf.gather(inputs, tf.cast(tag_indices, tf.int32), axis=2, batch_dims=2)
    return tf.reduce_sum(scores * _mask(sequence_lengths, tf.shape(tag_indices)[1]), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Return the sum of the scores of tags after each other."""
    tags = tf.cast(tag_indices, tf.int32)
    pairs = tf.stack([tags[:, :-1], tags[:, 1:]], -1)
    mask = _mask(sequence_lengths, tf.shape(tags)[1])[:, 1:]
    return tf.reduce_sum(tf.gather_nd(transition_params, pairs) * mask, 1)


def crf_sequence_score(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any
) -> Any:
    """Return the score of sequences of tags."""
    return crf_unary_score(tag_indices, sequence_lengths, inputs) + crf_binary_score(
        tag_indices, sequence_lengths, transition_params
    )


def _steps(inputs: Any) -> tuple[Any, Any]:
    return inputs[:, 0, :], tf.transpose(inputs[:, 1:, :], [1, 0, 2])


def _running(lengths: Any, steps: Any) -> Any:
    """Return for each later step which sequences still run."""
    return tf.transpose(tf.sequence_mask(lengths, steps)[:, 1:], [1, 0])


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Return the logarithm of the sum over all sequences of tags."""
    inputs = tf.convert_to_tensor(inputs)
    if inputs.shape.as_list()[1] == 1:
        return tf.reduce_logsumexp(inputs[:, 0, :], 1)
    first, rest = _steps(inputs)
    is_running = _running(sequence_lengths, tf.shape(inputs)[1])

    def advance(log_sums: Any, step: Any) -> Any:
        tag_scores, running = step
        paths = tf.expand_dims(log_sums, 2) + transition_params
        return where(running[:, None], tag_scores + tf.reduce_logsumexp(paths, 1), log_sums)

    return tf.reduce_logsumexp(tf.scan(advance, (rest, is_running), first)[-1], 1)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Any, Any]:
    """Return the log likelihood of tags, and the matrix of transitions, made if none is given."""
    inputs = tf.convert_to_tensor(inputs)
    count = inputs.shape.as_list()[2]
    if transition_params is None:
        transition_params = get_variable("transitions", [count, count])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    norm = crf_log_norm(inputs, sequence_lengths, transition_params)
    return score - norm, transition_params


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Any, Any]:
    """Return the best tags of each sequence, and their scores.

    Tags behind the end of a sequence are 0.
    """
    potentials = tf.convert_to_tensor(potentials)
    _, steps, count = potentials.shape.as_list()
    if steps == 1:
        only = potentials[:, 0, :]
        return tf.cast(tf.argmax(only, 1)[:, None], tf.int32), tf.reduce_max(only, 1)
    first, rest = _steps(potentials)
    steps = tf.shape(potentials)[1]
    # A sequence that has ended keeps its scores, and each tag points to itself.
    itself = tf.zeros_like(first, dtype=tf.int32) + tf.range(count)

    def advance(best: Any, step: Any) -> Any:
        tag_scores, running = step
        paths = tf.expand_dims(best[0], 2) + transition_params
        scores = tag_scores + tf.reduce_max(paths, 1)
        pointers = tf.cast(tf.argmax(paths, 1), tf.int32)
        keep = running[:, None]
        return where(keep, scores, best[0]), where(keep, pointers, itself)

    steps_run = (rest, _running(sequence_length, steps))
    scores, pointers = tf.scan(advance, steps_run, (first, itself))
    last = tf.cast(tf.argmax(scores[-1], 1), tf.int32)
    before = tf.scan(
        lambda tag, pointer: tf.gather(pointer, tag, axis=1, batch_dims=1),
        tf.reverse(pointers, [0]),
        last,
    )
    tags = tf.transpose(tf.concat([tf.reverse(before, [0]), last[None]], 0))
    inside = tf.sequence_mask(sequence_length, steps, dtype=tf.int32)
    return tags * inside, tf.reduce_max(scores[-1], 1)


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """Return the best tags of one sequence and their score, from arrays.

    `score` has a row per step and a column per tag.
    """
    # The best score of a path that ends in each tag, and the tag before the last on that path.
    path_scores, pointers = score[0], []
    for step_scores in score[1:]:
        candidates = path_scores[:, None] + transition_params
        pointers.append(candidates.argmax(axis=0))
        path_scores = (step_scores + candidates.max(axis=0)).astype(score.dtype)
    tags = deque([int(path_scores.argmax())])
    while pointers:
        tags.appendleft(int(pointers.pop()[tags[0]]))
    return list(tags), path_scores.max()
