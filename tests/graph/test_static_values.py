"""What is known of tensors before a graph runs, and what of it `tf.get_static_value` tells."""

from __future__ import annotations

from typing import Any

import pytest

import placewise as tf


@pytest.fixture
def graph() -> Any:
    """Make operations go into a graph."""
    with tf.Graph().as_default() as made:
        yield made


def test_paddings_made_of_a_rank_give_a_shape(graph: Any) -> None:
    sizes = tf.compat.v1.placeholder(tf.float32, [2, None])
    longer = tf.pad(tf.shape(sizes), [[0, tf.rank(sizes)]], constant_values=1)
    assert longer.shape == [4]
    assert tf.reshape(sizes, longer).shape.rank == 4


def test_the_values_of_shapes_and_of_what_is_packed_are_told(graph: Any) -> None:
    x = tf.zeros([2, 3])
    assert tf.get_static_value(tf.shape(x)).tolist() == [2, 3]
    assert tf.get_static_value(tf.stack([tf.rank(x), 7])).tolist() == [2, 7]
    assert not tf.get_static_value(tf.not_equal(tf.size(x), 6))


def test_the_values_of_arithmetic_are_not_told_as_in_tensorflow(graph: Any) -> None:
    rank = tf.rank(tf.zeros([2, 3]))
    assert tf.get_static_value(rank - 1) is None
    assert tf.get_static_value(tf.where(rank > 1, rank, 0)) is None
    assert tf.zeros([rank - 1, rank]).shape == [1, 2]


def test_a_range_up_to_a_float_has_a_known_size(graph: Any) -> None:
    # Its start and step are integers that are cast.
    assert tf.range(6.0).shape == (6,)
    assert tf.range(tf.cast(tf.size(tf.zeros([2, 4])), tf.float32), 20.0, 4).shape == (3,)
    tf.Variable(tf.range(6.0))
    with pytest.raises(ValueError, match="Requires start <= limit"):
        tf.range(-2.0)


def test_sizes_that_are_unstacked_give_shapes(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [3, 6])
    rows, columns = tf.unstack(tf.shape(x))
    assert tf.get_static_value(rows) == 3
    assert tf.reshape(x, [columns, rows]).shape == [6, 3]
    assert tf.ones(tf.stack([rows, 5])).shape == [3, 5]
    y = tf.compat.v1.placeholder(tf.float32, [None, 6])
    rows, columns = tf.unstack(tf.shape(y))
    assert tf.get_static_value(rows) is None
    assert tf.reshape(y, [columns, rows]).shape.as_list() == [6, None]
    (only,) = tf.unstack(tf.constant([4]))
    assert tf.get_static_value(only) == 4
