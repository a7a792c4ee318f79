"""Zeros, ones and shapes in graphs: the names and ops TensorFlow 2.21 and 1.15 write."""

import pytest

import placewise as tf

v1 = tf.compat.v1
FILL = [("{}/shape_as_tensor", "Const"), ("{}/Const", "Const"), ("{}", "Fill")]
OF_TENSOR = [("Const", "Const"), ("{}/Const", "Const"), ("{}", "Fill")]


def _ops(make):
    with tf.Graph().as_default() as graph:
        make()
        return [(op.name, op.type) for op in graph.get_operations()]


@pytest.mark.parametrize("make", [tf.zeros, tf.ones])
def test_small_shapes_are_constants_and_large_ones_filled(make):
    name = make.__name__
    constant = [(name, "Const")]
    assert _ops(lambda: make([2, 3])) == _ops(lambda: make(tf.TensorShape([999]))) == constant
    assert _ops(lambda: make([], tf.bool)) == _ops(lambda: make([0, 5], tf.int32)) == constant
    assert _ops(lambda: make([2], name="mine")) == [("mine", "Const")]
    filled = [(op.format(name), kind) for op, kind in FILL]
    assert _ops(lambda: make([1000])) == _ops(lambda: make(3)) == filled
    of_tensor = [(op.format(name), kind) for op, kind in OF_TENSOR]
    assert _ops(lambda: make(tf.constant([2, 3]))) == of_tensor


def test_what_is_like_a_tensor_of_known_shape_is_a_constant():
    known = [("Placeholder", "Placeholder")]

    def like(make, shape, *args):
        return _ops(lambda: make(v1.placeholder(tf.float32, shape), *args))

    assert like(tf.zeros_like, [2, 3]) == [*known, ("zeros_like", "Const")]
    assert like(tf.zeros_like, [2, 3], tf.int32) == [*known, ("zeros_like", "Const")]
    assert like(tf.ones_like, [2, 3]) == [*known, ("ones_like", "Const")]
    assert like(tf.zeros_like, [None, 3]) == [*known, ("zeros_like", "ZerosLike")]
    assert like(tf.ones_like, [None, 3]) == [*known, ("ones_like", "OnesLike")]
    assert like(tf.shape, [2, 3]) == [*known, ("Shape", "Const")]
    assert like(tf.shape, [None, 3]) == [*known, ("Shape", "Shape")]


def test_initial_values_after_zeros_are_those_of_tensorflow():
    # An op without a seed takes one by the number of ops before it. The numbers are 2.21's.
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(1)
        tf.zeros([2])
        drawn = session.run(v1.random_uniform([3]))
    assert drawn.tolist() == pytest.approx([0.81269646, 0.07857466, 0.89168549])
