"""Moving averages: the digits of TensorFlow."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.training.moving_averages import assign_moving_average


@pytest.mark.usefixtures("graph_mode")
def test_the_share_of_a_python_decay_has_the_digits_of_python_numbers():
    plain = tf.get_variable("plain", initializer=1000.0)
    debiased = tf.get_variable("debiased", initializer=0.0)
    moved = assign_moving_average(plain, 0.0, 0.999, zero_debias=False)
    unbiased = assign_moving_average(debiased, 1000.0, 0.999)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = [session.run(moved), session.run(moved)]
        values += [session.run(unbiased), session.run(unbiased)]
    # Recorded from TensorFlow 1.15 and 2.21.
    expected = [999.0, 998.0009765625, 1000.0128784179688, 1000.01953125]
    assert values == [np.float32(value) for value in expected]


def test_the_same_digits_when_ops_run_at_once():
    v = tf.Variable(0.0)
    moved = assign_moving_average(v, 1000.0, 0.999)
    assert float(moved) == np.float32(1000.0128784179688)
