"""The numbers themselves: those of TensorFlow's CPU kernels."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf
from placewise.ops.random.floats import log32, sincos32
from placewise.ops.random.philox import CHUNK, FEW, Philox, from_seeds, scrambled

raw = tf.raw_ops


@pytest.fixture(autouse=True)
def streams_start_anew() -> None:
    tf.random.set_seed(None)


def test_philox_gives_the_published_test_vectors() -> None:
    assert Philox(0, 0).words(1).tolist() == [[0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]]
    ones = Philox(2**64 - 1, 2**128 - 1)
    assert ones.words(1).tolist() == [[0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]]


@pytest.mark.parametrize("counter", [0, 2**64 - 3, 2**127])
def test_blocks_are_the_same_one_by_one_and_together(counter: int) -> None:
    place = Philox(12345678901, counter)
    together = place.words(20)
    assert together.shape == (20, 4)
    one_by_one = np.concatenate([place.words(1, start=i) for i in range(20)])
    np.testing.assert_array_equal(together, one_by_one)
    scattered = place.words_at(np.arange(20, dtype=np.uint64))
    np.testing.assert_array_equal(together, scattered)
    assert FEW < 20 < CHUNK


def test_skipping_wraps_around() -> None:
    assert Philox(1, 2**128 - 1).skip(2) == Philox(1, 1)


def test_uniform_samples() -> None:
    found = raw.RandomUniform(shape=[5], dtype=tf.float32, seed=3, seed2=4).numpy()
    assert found.tolist() == [
        0.9237366914749146,
        0.37043046951293945,
        0.9481984376907349,
        0.8158295154571533,
        0.5395640134811401,
    ]


def test_normal_samples() -> None:
    found = raw.RandomStandardNormal(shape=[5], dtype=tf.float32, seed=3, seed2=4).numpy()
    assert found.tolist() == [
        0.28962206840515137,
        -0.2734510600566864,
        -0.2986593246459961,
        0.13109374046325684,
        -0.2823999226093292,
    ]


def test_truncated_normal_samples() -> None:
    found = raw.TruncatedNormal(shape=[5], dtype=tf.float64, seed=3, seed2=4).numpy()
    expected = [
        -0.7030205923675534,
        -1.1787800830679616,
        -0.7363534042407097,
        -1.7311353165860213,
        -0.10372449552883542,
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_gamma_poisson_binomial_categorical_shuffle() -> None:
    found = raw.RandomGamma(shape=[2], alpha=[0.5, 1.0, 3.0], seed=3, seed2=4).numpy()
    expected = [
        [0.03009897843003273, 1.368152141571045, 0.9252963662147522],
        [0.3583954870700836, 1.440904140472412, 3.105278730392456],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    rates = tf.constant([0.5, 3.0, 30.0])
    found = raw.RandomPoissonV2(shape=[2], rate=rates, dtype=tf.int32, seed=3, seed2=4)
    assert found.numpy().tolist() == [[0, 3, 28], [1, 4, 31]]
    found = tf.random.stateless_binomial([2, 3], [1, 2], [5.0, 100.0, 1000.0], [0.5, 0.9, 0.3])
    assert found.numpy().tolist() == [[3, 86, 286], [3, 83, 312]]
    found = raw.Multinomial(logits=[[0.0, 1.0, 2.0]], num_samples=8, seed=3, seed2=4)
    assert found.numpy().tolist() == [[2, 2, 1, 2, 0, 1, 2, 2]]
    found = raw.RandomShuffle(value=tf.range(10), seed=3, seed2=4)
    assert found.numpy().tolist() == [1, 5, 3, 8, 0, 4, 7, 6, 9, 2]


def test_impossible_parameters_end() -> None:
    assert np.isnan(tf.random.gamma([2], -1.0)).all()
    assert np.isinf(tf.random.poisson([2], np.float32(np.inf))).all()
    # every sample is above what the type holds: TensorFlow never returns
    assert tf.random.poisson([1], 1e6, dtype=tf.float16).shape == (1,)


def test_part_of_a_large_tensor_is_that_of_a_small_one() -> None:
    large = tf.random.stateless_normal([100_003], [1, 2]).numpy()
    small = tf.random.stateless_normal([1000], [1, 2]).numpy()
    np.testing.assert_array_equal(large[:1000], small)
    assert abs(large.mean()) < 0.02
    assert abs(large.std() - 1) < 0.02


def test_stateless_seeds_are_scrambled() -> None:
    key, counter = raw.StatelessRandomGetKeyCounter(seed=[3, 4])
    place = scrambled(3, 4)
    assert key.numpy().tolist() == [place.key] == [5186321457711525117]
    assert counter.numpy().tolist() == [0, 2956673722964415482]
    assert from_seeds(-1, 0).key == 2**64 - 1


def test_logarithm_sine_and_cosine_are_good_to_the_last_bit() -> None:
    u = np.linspace(1e-7, 1, 5000, dtype=np.float32)
    angle = (u * 2 * np.pi).astype(np.float32)
    sine, cosine = sincos32(angle)
    for found, exact in (
        (log32(u), np.log(u, dtype="d")),
        (sine, np.sin(angle, dtype="d")),
        (cosine, np.cos(angle, dtype="d")),
    ):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, exact, rtol=6e-8, atol=1e-12)
