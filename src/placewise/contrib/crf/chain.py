"""Conditional random fields over chains of tags: scores, likelihood, best tags."""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf
from placewise.graph.variable_scope import get_variable
from placewise.ops.array.where import where


def _mask(lengths: Any, steps: Any) -> Any:
    return tf.sequence_mask(lengths, steps, dtype=tf.float32)


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Any:
    """Return the sum of the scores of tags by themselves."""
    found = tf.gather(inputs, tf.cast(tag_indices, tf.int32), axis=2, batch_dims=2)
    return tf.reduce_sum(found * _mask(sequence_lengths, tf.shape(tag_indices)[1]), 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Any:
    """Return the sum of the scores of tags after each other."""
    tags = tf.cast(tag_indices, tf.int32)
    pairs = tf.stack([tags[:, :-1], tags[:, 1:]], -1)
    found = tf.gather_nd(transition_params, pairs)
    mask = _mask(sequence_lengths, tf.shape(tags)[1])[:, 1:]
    return tf.reduce_sum(found * mask, 1)


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

    def step(alphas: Any, given: Any) -> Any:
        scores, runs = given
        new = scores + tf.reduce_logsumexp(tf.expand_dims(alphas, 2) + transition_params, 1)
        return where(tf.expand_dims(runs, 1), new, alphas)

    every = tf.scan(step, (rest, _running(sequence_lengths, tf.shape(inputs)[1])), first)
    return tf.reduce_logsumexp(every[-1], 1)


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
    """Return the best tags of each sequence, and their scores."""
    potentials = tf.convert_to_tensor(potentials)
    if potentials.shape.as_list()[1] == 1:
        flat = potentials[:, 0, :]
        return tf.cast(tf.argmax(flat, 1)[:, None], tf.int32), tf.reduce_max(flat, 1)
    first, rest = _steps(potentials)
    runs = _running(sequence_length, tf.shape(potentials)[1])
    count = potentials.shape.as_list()[2]
    same = tf.zeros_like(first, dtype=tf.int32) + tf.range(count)

    def forward(before: Any, given: Any) -> Any:
        scores, _ = before
        each, running = given
        options = tf.expand_dims(scores, 2) + transition_params
        new = each + tf.reduce_max(options, 1)
        best = tf.cast(tf.argmax(options, 1), tf.int32)
        keep = tf.expand_dims(running, 1)
        return where(keep, new, scores), where(keep, best, same)

    scores, back = tf.scan(forward, (rest, runs), (first, same))
    last = tf.cast(tf.argmax(scores[-1], 1), tf.int32)

    def backward(tag: Any, pointers: Any) -> Any:
        return tf.gather(pointers, tag, axis=1, batch_dims=1)

    earlier = tf.scan(backward, tf.reverse(back, [0]), last)
    tags = tf.concat([tf.reverse(earlier, [0]), tf.expand_dims(last, 0)], 0)
    tags = tf.transpose(tags, [1, 0])
    inside = tf.sequence_mask(sequence_length, tf.shape(potentials)[1], dtype=tf.int32)
    return tags * inside, tf.reduce_max(scores[-1], 1)


def viterbi_decode(score: Any, transition_params: Any) -> tuple[list[int], Any]:
    """Return the best tags of one sequence and their score, from arrays."""
    best = np.zeros_like(score)
    back = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for step in range(1, score.shape[0]):
        options = np.expand_dims(best[step - 1], 1) + transition_params
        best[step] = score[step] + np.max(options, 0)
        back[step] = np.argmax(options, 0)
    tags = [int(np.argmax(best[-1]))]
    for pointers in reversed(back[1:]):
        tags.append(int(pointers[tags[-1]]))
    tags.reverse()
    return tags, np.max(best[-1])
