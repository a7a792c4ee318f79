"""Random numbers made in C are those that NumPy makes, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import placewise as tf
from placewise import native
from placewise.ops.random import samples
from placewise.ops.random.philox import Philox
from placewise.ops.random.shuffle import permutation

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

# The lower half of the second counter overflows within the samples.
PLACES = [Philox(0, 0), Philox(0x0123456789ABCDEF, (5 << 64) | (2**64 - 1000))]


def both_ways(monkeypatch: pytest.MonkeyPatch, draw: object) -> tuple[np.ndarray, np.ndarray]:
    """Return what a function draws with the native module and without."""
    compiled = np.asarray(draw())
    with monkeypatch.context() as patch:
        patch.setattr(native, "code", None)
        return compiled, np.asarray(draw())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("count", [1, 7, 64, 65, 20_001])
@pytest.mark.parametrize("name", ["uniform", "normal", "truncated_normal"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_samples_are_those_of_numpy(
    place: Philox, count: int, name: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = getattr(samples, name)
    compiled, plain = both_ways(monkeypatch, lambda: draw(place, count, dtype).double().numpy())
    assert np.array_equal(compiled, plain)


@pytest.mark.parametrize("place", PLACES)
def test_words_and_orders_are_those_of_numpy(
    place: Philox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for count in (7, 16, 4000):
        assert np.array_equal(*both_ways(monkeypatch, lambda n=count: place.words(n, 3)))
    for size in (0, 1, 2, 5, 9000):
        assert np.array_equal(*both_ways(monkeypatch, lambda n=size: permutation(place, n)))


def test_every_logarithm_sine_and_cosine_is_rounded_as_numpy_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A uniform sample has 23 bits: a stream this long meets the ends of the range, too.
    place = Philox(42, 7 << 64)
    compiled, plain = both_ways(
        monkeypatch, lambda: samples.normal(place, 1 << 19, torch.float32).numpy()
    )
    assert np.array_equal(compiled, plain)


def test_a_shuffle_keeps_every_row() -> None:
    rows = tf.reshape(tf.range(20_000), [10_000, 2])
    shuffled = tf.random.shuffle(rows, seed=3).numpy()
    assert not np.array_equal(shuffled, rows.numpy())
    assert np.array_equal(shuffled[np.argsort(shuffled[:, 0])], rows.numpy())
