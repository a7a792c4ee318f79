"""tf.contrib.mixed_precision: steps that are not finite are left out, as in TensorFlow 1.15.5."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

precision = tf.contrib.mixed_precision


def test_the_scale_follows_what_gradients_are_like(graph_mode):
    variable, factor = tf.Variable(2.0), tf.placeholder(tf.float32, [])
    manager = precision.ExponentialUpdateLossScaleManager(8.0, 2, 2, 2, 0.5)
    optimizer = precision.LossScaleOptimizer(tf.train.GradientDescentOptimizer(0.1), manager)
    step = optimizer.minimize(variable * variable * factor)
    seen = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (1, 1, 1, np.inf, np.nan, np.inf, 1, 1):
            session.run(step, {factor: value})
            seen.append(session.run([variable, manager.get_loss_scale()]))
    values = [1.6, 1.28, 1.024, 1.024, 1.024, 1.024, 0.8192, 0.65536]
    assert [float(value) for value, _ in seen] == pytest.approx(values)
    assert [float(scale) for _, scale in seen] == [8, 16, 16, 16, 8, 8, 8, 16]


def test_a_fixed_scale_stays(graph_mode):
    scale = precision.FixedLossScaleManager(4.0).get_loss_scale()
    with tf.Session() as session:
        assert session.run(scale) == 4.0
    with pytest.raises(ValueError, match="at least 1"):
        precision.FixedLossScaleManager(0.5)
