"""What is common to distributions: graphs, checks, divergences of a program's own classes."""

import numpy as np
import pytest

import placewise as tf

distributions = tf.compat.v1.distributions


def test_distributions_work_in_graphs_with_shapes_that_are_known_late():
    with tf.Graph().as_default():
        loc = tf.compat.v1.placeholder(tf.float32, [None])
        normal = distributions.Normal(loc, 2.0)
        fetches = [normal.batch_shape_tensor(), normal.sample([4], seed=1), normal.mean()]
        with tf.compat.v1.Session() as session:
            shape, draws, mean = session.run(fetches, {loc: [1.0, 2.0, 3.0]})
    assert normal.name == "Normal/" and fetches[2].name.startswith("Normal/mean/")
    assert shape.tolist() == [3] and draws.shape == (4, 3) and mean.tolist() == [1.0, 2.0, 3.0]


def test_gradients_flow_through_samples_of_a_normal_distribution():
    scale = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        draws = distributions.Normal(0.0, scale).sample([3], seed=2)
    np.testing.assert_allclose(tape.gradient(draws, scale), tf.reduce_sum(draws) / 2.0, rtol=1e-5)


def test_parameters_are_checked_when_asked():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > 0"):
        distributions.Normal(0.0, -1.0, validate_args=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="low >= high"):
        distributions.Uniform(2.0, 1.0, validate_args=True)
    with pytest.raises(ValueError, match="Must pass probs or logits, but not both"):
        distributions.Bernoulli(logits=1.0, probs=0.5)
    with pytest.raises(ValueError, match="Expected floating point type"):
        distributions.Normal(0, 1)


def test_statistics_that_do_not_exist_are_nan_or_an_error():
    assert np.isnan(distributions.StudentT(1.0, 0.0, 1.0).mean())
    with pytest.raises(tf.errors.InvalidArgumentError, match="mean not defined"):
        distributions.StudentT(1.0, 0.0, 1.0, allow_nan_stats=False).mean()


def test_a_program_registers_a_divergence_of_its_own_class():
    class Own(distributions.Normal):
        pass

    class Other(distributions.Normal):
        pass

    @distributions.RegisterKL(Own, Other)
    def _kl(a, b, name=None):
        return tf.constant(42.0)

    assert float(distributions.kl_divergence(Own(0.0, 1.0), Other(0.0, 1.0))) == 42.0
    assert float(distributions.kl_divergence(Other(0.0, 1.0), Own(1.0, 1.0))) == 0.5
    with pytest.raises(ValueError, match="already been registered"):
        distributions.RegisterKL(Own, Other)(_kl)
    with pytest.raises(NotImplementedError, match="No KL"):
        distributions.kl_divergence(Own(0.0, 1.0), distributions.Gamma(1.0, 1.0))


def test_a_copy_has_other_parameters():
    copy = distributions.Normal([0.0, 1.0], 1.0).copy(scale=3.0)
    assert float(copy.scale) == 3.0 and copy.batch_shape == [2]
    assert repr(copy).startswith("<tfp.distributions.Normal 'Normal/' batch_shape=(2,)")
