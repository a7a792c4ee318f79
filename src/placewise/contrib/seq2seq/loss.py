"""The loss of sequences of logits."""

from __future__ import annotations

from typing import Any

import placewise as tf


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Any = None,
    name: str | None = None,
) -> Any:
    """Return the weighted cross entropy of sequences, averaged or summed as asked."""
    if logits.shape.rank != 3:
        raise ValueError("Logits must be a [batch_size x sequence_length x logits] tensor")
    if targets.shape.rank != 2:
        raise ValueError("Targets must be a [batch_size x sequence_length] tensor")
    if weights.shape.rank != 2:
        raise ValueError("Weights must be a [batch_size x sequence_length] tensor")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError(
            "average_across_timesteps and sum_over_timesteps cannot be set to True at same time."
        )
    if average_across_batch and sum_over_batch:
        raise ValueError(
            "average_across_batch and sum_over_batch cannot be set to True at same time."
        )
    with tf.name_scope(name or "sequence_loss"):
        count = tf.shape(logits)[2]
        flat, wanted = tf.reshape(logits, [-1, count]), tf.reshape(targets, [-1])
        if softmax_loss_function is None:
            crossed = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=flat)
        else:
            crossed = softmax_loss_function(labels=wanted, logits=flat)
        crossed = crossed * tf.reshape(weights, [-1])
        tiny = tf.constant(1e-12, weights.dtype)
        if average_across_timesteps and average_across_batch:
            return tf.reduce_sum(crossed) / (tf.reduce_sum(weights) + tiny)
        if sum_over_timesteps and sum_over_batch:
            present = tf.cast(tf.math.count_nonzero(weights), weights.dtype)
            return tf.math.divide_no_nan(tf.reduce_sum(crossed), present)
        crossed = tf.reshape(crossed, tf.shape(logits)[0:2])
        if average_across_timesteps:
            return tf.reduce_sum(crossed, [1]) / (tf.reduce_sum(weights, 1) + tiny)
        if average_across_batch:
            return tf.reduce_sum(crossed, [0]) / (tf.reduce_sum(weights, 0) + tiny)
        for asked, axis in ((sum_over_timesteps, 1), (sum_over_batch, 0)):
            if asked:
                present = tf.cast(tf.math.count_nonzero(weights, axis=axis), weights.dtype)
                return tf.math.divide_no_nan(tf.reduce_sum(crossed, [axis]), present)
        return crossed
