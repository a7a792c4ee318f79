"""Embeddings: parts of tables whose shapes are unknown, gradients of weighted rows."""

import numpy as np

import placewise as tf

v1 = tf.compat.v1


def test_parts_of_unknown_shape_are_dealt_out_in_stretches() -> None:
    whole = np.arange(10.0).reshape(5, 2)
    with tf.Graph().as_default(), v1.Session() as session:
        parts = [v1.placeholder(tf.float64), v1.placeholder(tf.float64)]
        rows = v1.nn.embedding_lookup(parts, [4, 0, 3, 2], partition_strategy="div")
        found = session.run(rows, dict(zip(parts, (whole[:3], whole[3:]), strict=True)))
    assert found.tolist() == whole[[4, 0, 3, 2]].tolist()


def test_the_gradient_of_weighted_rows_names_each_row_once() -> None:
    table = tf.Variable(tf.ones([4, 2]))
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([3, 1, 3], tf.int64), [2, 2])
    weights = tf.SparseTensor(ids.indices, [1.0, 2.0, 4.0], [2, 2])
    with tf.GradientTape() as tape:
        rows = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="sum")
    found = tape.gradient(rows, table)
    assert found.indices.numpy().tolist() == [3, 1]
    assert found.values.numpy().tolist() == [[5.0, 5.0], [2.0, 2.0]]
