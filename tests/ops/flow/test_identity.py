"""Tests of `ops/flow`."""

import numpy as np
import pytest

import placewise as tf
from placewise.ops.flow.identity import prevent_gradient


def test_stop_gradient_stops_it():
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(x) * x
    np.testing.assert_array_equal(tape.gradient(y, x), [2, 3])


def test_prevent_gradient_refuses():
    x = tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = prevent_gradient(x, "no")
    with pytest.raises(LookupError, match="Gradient explicitly disabled"):
        tape.gradient(y, x)


def test_ensure_shape_checks():
    x = tf.constant([[1, 2]])
    assert tf.ensure_shape(x, [None, 2]).shape == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Shape of tensor input \[1,2\]"):
        tf.ensure_shape(x, [2, 2])


def test_identity_n_passes_any_dtypes_and_gradients():
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b, c = tf.identity_n([x, x * 2.0, "text"])
        y = a + b
    assert c.numpy() == b"text"
    np.testing.assert_array_equal(tape.gradient(y, x), [3])


def test_order_needs_nothing_in_eager_programs():
    assert tf.no_op() is None
    assert tf.group(tf.constant(1), tf.constant(2)) is None
    assert tf.tuple([tf.constant(1)])[0].numpy() == 1
