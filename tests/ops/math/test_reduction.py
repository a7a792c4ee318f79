"""Reductions along axes."""

import numpy as np
import pytest

import placewise as tf


def test_axes_may_count_from_the_back():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_allclose(tf.reduce_sum(x, [-1, 0]), x.sum((0, 2)))
    assert tf.reduce_sum(x, -2, keepdims=True).shape == [2, 1, 4]


def test_of_nothing():
    nothing = tf.zeros([0])
    assert float(tf.reduce_sum(nothing)) == 0
    assert float(tf.reduce_prod(nothing)) == 1
    assert float(tf.reduce_max(nothing)) == -np.inf
    assert np.isnan(float(tf.reduce_mean(nothing)))
    assert bool(tf.reduce_all(tf.zeros([0], tf.bool)))
    assert not bool(tf.reduce_any(tf.zeros([0], tf.bool)))
    assert int(tf.reduce_min(tf.zeros([0], tf.int32))) == 2147483647


def test_a_mean_of_integers_does_not_overflow():
    assert int(tf.reduce_mean(tf.constant([100, 100], tf.int8))) == 100
    assert int(tf.reduce_mean(tf.constant([-1, -2]))) == -1


def test_an_axis_out_of_range_or_twice_raises():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid reduction dimension"):
        tf.reduce_sum(tf.ones([2]), 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="duplicate dimension"):
        tf.reduce_sum(tf.ones([2, 2]), [0, -2])


def test_the_gradient_of_a_maximum_is_shared_by_equals():
    x = tf.constant([1.0, 3.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_max(x)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 0.5, 0.5]


def test_the_gradient_of_a_product_with_a_zero():
    x = tf.constant([2.0, 0.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_prod(x)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 6.0, 0.0]


def test_log_sum_exp_does_not_overflow():
    assert float(tf.reduce_logsumexp([1000.0, 1000.0])) == pytest.approx(1000 + np.log(2))
    assert float(tf.reduce_logsumexp([-np.inf, -np.inf])) == -np.inf


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_wide_unsigned_types(dtype):
    x = tf.constant([[1, 5], [7, 2]], dtype)
    assert tf.reduce_sum(x, 0).numpy().tolist() == [8, 7]
    assert tf.reduce_max(x, 1).numpy().tolist() == [5, 7]
    assert tf.argmax(x, 1).numpy().tolist() == [1, 0]
    assert tf.sort(x, 0, "DESCENDING").numpy().tolist() == [[7, 5], [1, 2]]
    assert tf.reduce_sum(x).dtype.name == dtype


def test_the_mean_of_no_complex_numbers_is_zero():
    assert tf.reduce_mean(tf.zeros([0, 2], tf.complex64), axis=0).numpy().tolist() == [0, 0]
    assert np.isnan(tf.reduce_mean(tf.zeros([0, 2]), axis=0).numpy()).all()
