"""Elements chosen, ranked and counted in C are those that torch and NumPy choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise import native

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

RANDOM = np.random.RandomState(0)
NUMBERS = RANDOM.randn(40, 300).astype("float32")
TIES = RANDOM.randint(0, 20, (40, 300)).astype("float32")


def with_some(value: float) -> Any:
    """Return numbers of which some are `value`."""
    numbers = NUMBERS.copy()
    numbers[RANDOM.rand(40, 300) < 0.01] = value
    return numbers


def agree(call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Assert that a call gives the same with the native module and without."""
    compiled = tf.nest.flatten(call())
    with monkeypatch.context() as patch:
        patch.setattr(native, "code", None)
        plain = tf.nest.flatten(call())
    for one, other in zip(compiled, plain, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one.numpy(), other.numpy())


@pytest.mark.parametrize("numbers", [NUMBERS, TIES, with_some(np.nan), with_some(np.inf)])
@pytest.mark.parametrize("k", [1, 7, 300])
def test_the_largest_are_found_in_order(
    numbers: Any, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    agree(lambda: tuple(tf.math.top_k(numbers, k)), monkeypatch)
    targets = np.arange(-1, 39)
    agree(lambda: tf.math.in_top_k(targets, numbers, k), monkeypatch)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int16"])
def test_a_mask_chooses_of_tensors_and_numbers(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mask = NUMBERS > 0
    first, second = (tf.constant((NUMBERS * scale).astype(dtype)) for scale in (10, -7))
    number = tf.constant(3, dtype)
    for pair in ((first, second), (first, number), (number, second), (number, number)):
        agree(lambda pair=pair: tf.where(mask, *pair), monkeypatch)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_distinct_values_are_numbered_as_they_come(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = (TIES.reshape(-1) - 9).astype(dtype)
    agree(lambda: tuple(tf.unique_with_counts(values)), monkeypatch)


@pytest.mark.parametrize("logits", [NUMBERS, with_some(-np.inf), with_some(np.nan)])
def test_categories_are_those_of_torch(logits: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(lambda: tf.random.stateless_categorical(logits, 50, [1, 2]), monkeypatch)


@pytest.mark.parametrize("unique", [True, False])
def test_candidates_are_those_of_python(unique: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw() -> Any:
        tf.random.set_seed(5)
        classes = tf.constant([[1], [2]], tf.int64)
        return tuple(tf.random.log_uniform_candidate_sampler(classes, 1, 90, unique, 120, seed=3))

    agree(draw, monkeypatch)


def test_arrays_that_do_not_agree_are_refused() -> None:
    three, four = np.zeros(3, np.float32), np.zeros(4, np.float32)
    with pytest.raises(ValueError, match="do not agree"):
        native.code.select_by_mask(np.zeros(4, bool), three, four, four, 4)
    with pytest.raises(TypeError, match="items of"):
        native.code.in_top_k(np.zeros(4), np.zeros(2, np.int64), np.zeros(2, bool), 1)
