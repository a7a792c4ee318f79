"""What distributions refuse with `validate_args`, and statistics at the edges."""

import numpy as np
import pytest

import placewise as tf

distributions = tf.compat.v1.distributions


@pytest.mark.parametrize(
    ("make", "value", "message"),
    [
        (lambda: distributions.Bernoulli(probs=[0.1], validate_args=True), [-1], "non-negative"),
        (lambda: distributions.Bernoulli(probs=[0.1], validate_args=True), [2], "cannot exceed 1"),
        (lambda: distributions.Bernoulli(probs=[0.1], validate_args=True), [0.5], "bool-equiv"),
        (lambda: distributions.Beta(1.0, 2.0, validate_args=True), [0.0], "must be positive"),
        (lambda: distributions.Beta(1.0, 2.0, validate_args=True), [1.0], "must be less than `1`"),
        (lambda: distributions.Dirichlet([1.0, 2.0], validate_args=True), [0.5, 0.6], "sum to `1`"),
        (lambda: distributions.Gamma(1.0, 2.0, validate_args=True), [-1.0], "x > 0"),
        (
            lambda: distributions.Multinomial(4.0, probs=[0.5, 0.5], validate_args=True),
            [1.5, 2.5],
            "cannot contain fractional components",
        ),
        (
            lambda: distributions.DirichletMultinomial(4.0, [1.0, 2.0], validate_args=True),
            [-1.0, 5.0],
            "must be non-negative",
        ),
    ],
)
def test_values_that_cannot_be_drawn_are_refused(make, value, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        make().prob(value)


def test_probabilities_above_one_are_named():
    with pytest.raises(tf.errors.InvalidArgumentError, match="probs has components greater than 1"):
        distributions.Bernoulli(probs=1.01, validate_args=True)


def test_a_beta_distribution_without_mode_says_which_concentration():
    beta = distributions.Beta([2.0, 2.0], [1.0, 4.0], allow_nan_stats=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="concentration0 <= 1"):
        beta.mode()


def test_counts_of_a_dirichlet_multinomial_broadcast_as_they_are():
    made = distributions.DirichletMultinomial([[5.0], [4.0]], [[1.0, 2.0, 3.0]])
    assert made.covariance().shape == (2, 3, 3)
    expected = [[1.09127, 1.746032, 1.964286], [0.793651, 1.269841, 1.428571]]
    np.testing.assert_allclose(made.variance(), expected, rtol=1e-5)


def test_quantiles_of_zero_and_one_have_no_gradient():
    p = tf.constant([0.0, 0.5, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(p)
        quantiles = distributions.Normal(0.0, 1.0).quantile(p)
    assert quantiles.numpy().tolist() == [-np.inf, 0.0, np.inf]
    assert np.isfinite(tape.gradient(quantiles, p)).all()


def test_a_number_of_draws_of_unknown_shape_is_taken():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        count = tf.compat.v1.placeholder(tf.int32)
        draws = distributions.Bernoulli(probs=[0.2, 0.6]).sample(count)
        assert session.run(draws, {count: 7}).shape == (7, 2)


def test_samples_of_classes_may_be_floats():
    made = distributions.Categorical(probs=[0.0, 1.0], dtype=tf.float16)
    assert made.sample(2).dtype is tf.float16
