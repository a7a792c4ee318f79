"""Sizes of tensors worked out from what is fed."""

from __future__ import annotations

import placewise.v1 as tf
from placewise.planning.automatic.sizes import ASSUMED_SIZE, Sizes


def test_what_is_fed_gives_the_sizes_of_what_follows(graph_mode):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4, 6])
        flat = tf.reshape(x, [tf.shape(x)[0] * 4, 6])
        product = tf.matmul(flat, tf.ones([6, 3]))
        again = tf.tile(product, [2, 1])
    sizes = Sizes(graph.get_operations(), {x: (10, 4, 6)})
    assert sizes[flat] == (40, 6)
    assert sizes[product] == (40, 3)
    assert sizes[again] == (80, 3)
    assert not sizes.has_assumed


def test_an_unknown_size_is_assumed(graph_mode):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        y = tf.nn.relu(x)
    sizes = Sizes(graph.get_operations(), {})
    assert sizes[y] == (ASSUMED_SIZE, 4)
    assert sizes.has_assumed


def test_all_unknown_sizes_are_taken_to_be_the_first_that_is_fed(graph_mode):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4])
        other = tf.nn.relu(tf.placeholder(tf.float32, [None, 5]))
    assert Sizes(graph.get_operations(), {x: (7, 4)})[other] == (7, 5)
