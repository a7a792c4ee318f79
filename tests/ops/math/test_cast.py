"""Casts between dtypes."""

import numpy as np
import pytest

import placewise as tf


def test_fractions_are_cut_off():
    assert tf.cast([1.7, -1.7], tf.int32).numpy().tolist() == [1, -1]


def test_integers_wrap_around():
    assert tf.cast([300, -1], tf.uint8).numpy().tolist() == [44, 255]


def test_the_same_dtype_gives_the_same_tensor():
    x = tf.constant(1.0)
    assert tf.cast(x, tf.float32) is x


def test_saturation_reaches_the_limits():
    x = tf.constant([-1e30, 3.7, 1e30])
    assert tf.saturate_cast(x, tf.uint8).numpy().tolist() == [0, 3, 255]
    limits = tf.saturate_cast(x, tf.int64).numpy()
    assert limits[0] == -(2**63)
    assert limits[2] > 2**62
    assert np.isfinite(tf.saturate_cast(tf.constant([np.inf]), tf.float16).numpy()).all()


def test_strings_are_no_numbers():
    with pytest.raises(tf.errors.UnimplementedError, match="Cast string to int32 is not supported"):
        tf.cast(tf.constant("1"), tf.int32)


def test_the_gradient_of_a_cast_to_integers_is_none():
    x = tf.constant([1.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.int32), tf.float32)
    assert tape.gradient(y, x) is None


def test_complex_to_real_keeps_the_real_part():
    assert tf.cast(tf.constant([1 + 2j]), tf.float32).numpy().tolist() == [1.0]
