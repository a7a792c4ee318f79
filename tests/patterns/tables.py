"""Patterns of embedding tables in parts, and of decoded labels, as TensorFlow 1 has them."""

import numpy as np

from .table import pattern


def _parts(tf):
    table = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    return [tf.constant(table[:2]), tf.constant(table[2:])]


@pattern
def sparse_lookups_in_tables_of_several_parts(tf, folder):
    v1, parts = tf.compat.v1, _parts(tf)
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [3, 0, 2], [2, 2])
    plain, safe = v1.nn.embedding_lookup_sparse, v1.nn.safe_embedding_lookup_sparse
    return [
        plain(parts, ids, None, combiner="sum"),
        plain(parts, ids, None, "div", combiner="sum", allow_fast_lookup=True),
        safe(parts, ids, combiner="sum"),
        safe(parts, ids, combiner="sum", partition_strategy="mod"),
        tf.nn.embedding_lookup_sparse(parts, ids, None, combiner="sum"),
        tf.nn.safe_embedding_lookup_sparse(parts, ids, combiner="sum"),
    ]


@pattern
def safe_lookups_of_ragged_ids(tf, folder):
    table = tf.concat(_parts(tf), 0)
    ids = tf.ragged.constant([[0, 1], [2], [], [-1]])
    weights = tf.ragged.constant([[1.0, 3.0], [-3.0], [], [1.0]])
    lookup = tf.nn.safe_embedding_lookup_sparse
    return [
        lookup(table, ids),
        lookup(table, ids, weights, combiner="sum", default_id=3),
        tf.compat.v1.nn.safe_embedding_lookup_sparse(table, ids),
    ]


@pattern
def sampled_losses_over_tables_of_several_parts(tf, folder):
    v1 = tf.compat.v1
    table, offsets = np.cos(np.arange(24.0)).reshape(6, 4), np.sin(np.arange(6.0))
    table, offsets = table.astype(np.float32), offsets.astype(np.float32)
    inputs = np.cos(np.arange(8.0)).reshape(2, 4).astype(np.float32)
    weights = [tf.constant(table[:3]), tf.constant(table[3:])]
    biases = [tf.constant(offsets[:3]), tf.constant(offsets[3:])]
    sampled = (tf.constant([0, 4, 5], tf.int64), tf.fill([2, 1], 0.5), tf.fill([3], 0.5))
    labels, answers = np.array([[1], [4]]), []
    for loss in (v1.nn.sampled_softmax_loss, v1.nn.nce_loss):
        for options in ({}, {"partition_strategy": "mod"}, {"partition_strategy": "div"}):
            value = loss(weights, biases, labels, inputs, 3, 6, sampled_values=sampled, **options)
            answers.append(np.round(value.numpy(), 3))
    return answers


@pattern
def the_beam_search_of_tensorflow_1_merges_what_repeats(tf, folder):
    logits = np.full((5, 1, 3), -9.0, np.float32)
    for step, label in enumerate([0, 2, 0, 1, 1]):
        logits[step, 0, label] = 9.0
    decoders = (tf.compat.v1.nn.ctc_beam_search_decoder, tf.nn.ctc_beam_search_decoder)
    apart = tf.compat.v1.nn.ctc_beam_search_decoder(logits, [5], merge_repeated=False)
    return [*(decode(logits, [5])[0][0].values for decode in decoders), apart[0][0].values]
