"""Special functions against values known otherwise."""

import math

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize(
    ("function", "x", "expected"),
    [
        (tf.math.special.dawsn, 1.0, 0.5380795069127684),
        (tf.math.special.dawsn, 1e-9, 1e-9),
        (tf.math.special.expint, 1.0, 1.8951178163559368),
        (tf.math.special.expint, 50.0, 1.0585636897131690e20),
        (tf.math.special.fresnel_sin, 3.5, 0.4152480119724375),
        (tf.math.special.fresnel_cos, 1.5, 0.4452611760398215),
        (tf.math.special.spence, 0.0, math.pi**2 / 6),
        (tf.math.special.spence, 3.0, -1.4367463668836810),
        (tf.math.lgamma, 0.5, math.lgamma(0.5)),
        (tf.math.erfinv, 0.5, 0.4769362762044699),
    ],
)
def test_known_values(function, x, expected):
    found = float(function(tf.constant(x, tf.float64)))
    assert found == pytest.approx(expected, rel=1e-10)


def test_the_incomplete_beta_function_is_a_binomial_sum():
    a, b, x = 3.0, 4.0, 0.3
    n = int(a + b - 1)
    expected = sum(math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(int(a), n + 1))
    found = tf.math.betainc(*(tf.constant(v, tf.float64) for v in (a, b, x)))
    assert float(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("a", [0.3, 2.0, 30.0])
@pytest.mark.parametrize("x", [0.1, 2.5, 40.0])
def test_igamma_can_be_differentiated_in_both_arguments(a, x):
    at = [tf.constant(v, tf.float64) for v in (a, x)]
    with tf.GradientTape() as tape:
        tape.watch(at)
        y = tf.math.igamma(*at)
    found = [float(g) for g in tape.gradient(y, at)]
    for index in (0, 1):
        step = np.zeros(2)
        step[index] = 1e-5
        ends = [tf.math.igamma(*(np.asarray([a, x]) + s * step)) for s in (1, -1)]
        numeric = float(ends[0] - ends[1]) / 2e-5
        assert found[index] == pytest.approx(numeric, rel=1e-4, abs=1e-9)


@pytest.mark.parametrize("imag", [2, [2], 2.0])
def test_complex_converts_neither_part_to_the_others_dtype(imag):
    with pytest.raises(TypeError, match="`real` and `imag` components have incorrect types"):
        tf.complex(tf.constant(1.0, tf.float64), imag)


def test_the_slope_of_igamma_is_finite_where_its_fraction_needs_many_steps():
    a = tf.constant([1.0, 3.0], tf.float64)
    found = tf.raw_ops.IgammaGradA(a=a, x=tf.constant([2.0, 30.0], tf.float64))
    np.testing.assert_allclose(found, [-2.20825426e-01, -1.13100813e-10], rtol=1e-8)


def test_the_ends_of_an_incomplete_beta_function_need_no_parameters():
    nan = float("nan")
    assert tf.math.betainc([nan, 0.5], [1.0, nan], [0.0, 1.0]).numpy().tolist() == [0.0, 1.0]


def test_sobol_points_are_limited_in_number():
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_results must be a scalar"):
        tf.raw_ops.SobolSample(dim=7, num_results=[1, 0], skip=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"num_results\+skip must be less"):
        tf.raw_ops.SobolSample(dim=1, num_results=1, skip=2**31 - 1)


def test_the_first_number_of_a_list_decides_its_precision():
    half, double = np.array(1, np.float16), np.array(1, np.float64)
    assert tf.constant([half, half]).dtype == tf.float16
    assert tf.constant([double, 1.5]).dtype == tf.float64
    assert tf.constant([1, double]).dtype == tf.float32
