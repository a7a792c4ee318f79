"""Inverses by the native module, beside NumPy's."""

from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise import native
from placewise.ops.linalg import matrix_products


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the native module invert on every processor that can."""
    if native.code is None or not native.code.has_products():
        pytest.skip("the native module has no products here")
    monkeypatch.setattr(matrix_products, "_multiply", native.code.multiply)


def numbers(*dims: int) -> Any:
    return np.random.RandomState(0).randn(*dims).astype("f")


@pytest.mark.parametrize("size", [32, 45, 64, 100])
def test_inverses_are_right_for_batches_and_adjoints(size: int):
    x = numbers(2, size, size) + 3 * np.eye(size, dtype="f")
    expected = np.linalg.inv(x.astype("d"))
    np.testing.assert_allclose(tf.linalg.inv(x).numpy(), expected, rtol=1e-3, atol=1e-4)
    turned = tf.linalg.inv(x, adjoint=True).numpy()
    np.testing.assert_allclose(turned, expected.swapaxes(1, 2), rtol=1e-3, atol=1e-4)


def test_without_the_native_module_lapack_inverts(monkeypatch: pytest.MonkeyPatch):
    x = numbers(40, 40) + 3 * np.eye(40, dtype="f")
    by_factors = tf.linalg.inv(x).numpy()
    monkeypatch.setattr(native, "code", None)
    np.testing.assert_allclose(tf.linalg.inv(x).numpy(), by_factors, rtol=1e-3, atol=1e-5)


def test_rows_that_must_be_swapped_are():
    permuted = np.eye(40, dtype="f")[np.random.RandomState(1).permutation(40)]
    np.testing.assert_array_equal(tf.linalg.inv(permuted).numpy(), permuted.T)


def test_a_singular_matrix_is_refused():
    x = numbers(50, 50)
    x[:, 0] = 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input is not invertible"):
        tf.linalg.inv(x)


def test_gradients_and_maps_of_inverses_are_right():
    x = tf.constant(numbers(3, 40, 40) + 9 * np.eye(40, dtype="f"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        inverse = tf.linalg.inv(x)
        loss = tf.reduce_sum(inverse)
    turned = np.swapaxes(inverse.numpy(), 1, 2)
    expected = -turned @ np.ones([40, 40], "f") @ turned
    np.testing.assert_allclose(tape.gradient(loss, x).numpy(), expected, rtol=1e-3, atol=1e-4)
    rows = tf.vectorized_map(tf.linalg.inv, x)
    np.testing.assert_allclose(rows.numpy(), inverse.numpy(), rtol=1e-3, atol=1e-5)
