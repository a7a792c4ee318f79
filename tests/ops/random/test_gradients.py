"""Gradients through samples."""

from __future__ import annotations

import numpy as np

import placewise as tf
from placewise.ops.random.gamma_derivative import sample_derivative


def test_mean_and_deviation() -> None:
    with tf.GradientTape() as tape:
        m = tf.constant([0.5, 2.0])
        tape.watch(m)
        y = tf.reduce_sum(tf.random.stateless_normal([3, 2], [1, 2], m, m))
    np.testing.assert_allclose(tape.gradient(y, m), [2.316084623336792, 2.2999582290649414], 1e-6)


def test_gamma_with_its_shape_and_rate() -> None:
    with tf.GradientTape() as tape:
        alpha, beta = tf.constant([0.5, 2.0]), tf.constant(3.0)
        tape.watch([alpha, beta])
        y = tf.reduce_sum(tf.random.stateless_gamma([3, 2], [1, 2], alpha, beta))
    d_alpha, d_beta = tape.gradient(y, [alpha, beta])
    np.testing.assert_allclose(d_alpha, [0.8797874450683594, 1.0777902603149414], 1e-6)
    np.testing.assert_allclose(d_beta, -0.761322021484375, 1e-6)


def test_derivative_of_a_gamma_sample() -> None:
    alpha = np.array([0.01, 0.9, 5.0, 200.0])
    sample = np.array([1e-8, 3.0, 9.0, 210.0])
    expected = [1.78597955e-05, 2.05685831, 1.36711819, 1.02544764]
    np.testing.assert_allclose(sample_derivative(alpha, sample), expected, 1e-8)
