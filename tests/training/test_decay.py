"""Rates that decay: names, errors, and eagerness."""

import numpy as np
import pytest

from placewise.compat import v1 as tf


def test_an_eager_rate_is_a_function_of_the_step_at_hand() -> None:
    from placewise.ops.state.variable import Variable

    step = Variable(0)
    rate = tf.train.exponential_decay(0.1, step, 10, 0.5)
    assert float(rate()) == pytest.approx(0.1)
    step.assign(10)
    assert float(rate()) == pytest.approx(0.05)


def test_a_rate_is_called_after_its_rule_or_by_name(graph_mode: None) -> None:
    step = tf.constant(3)
    assert tf.train.exponential_decay(0.1, step, 10, 0.5).name == "ExponentialDecay:0"
    assert tf.train.cosine_decay_restarts(0.1, step, 10).name == "SGDRDecay:0"
    assert tf.train.polynomial_decay(0.1, step, 10, name="foo").name == "foo:0"


def test_a_step_is_needed(graph_mode: None) -> None:
    with pytest.raises(ValueError, match="None values not supported"):
        tf.train.natural_exp_decay(0.1, None, 10, 0.5)


def test_boundaries_are_of_the_kind_of_the_step(graph_mode: None) -> None:
    step = tf.constant(3)
    with pytest.raises(ValueError, match="must have the same dtype as x"):
        tf.train.piecewise_constant(step, [1.5], [1.0, 2.0])
    with pytest.raises(ValueError, match="should be 1 less than the length of values"):
        tf.train.piecewise_constant(step, [1, 2], [1.0, 2.0])
    with pytest.raises(ValueError, match="Values must have elements all with the same dtype"):
        tf.train.piecewise_constant(step, [1], [1.0, 2])


def test_noise_falls_with_the_step(graph_mode: None) -> None:
    step = tf.placeholder(tf.int64, [])
    rate = tf.train.noisy_linear_cosine_decay(0.1, step, 1000)
    with tf.Session() as session:
        first = np.std([session.run(rate, {step: 0}) for _ in range(40)])
        assert session.run(rate, {step: 1000}) == pytest.approx(1e-4)
        assert first > 0.02
