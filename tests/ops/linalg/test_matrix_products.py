"""Products of large matrices, which oneDNN computes on some processors, beside NumPy's."""

from typing import Any

import numpy as np
import pytest
import torch

import placewise as tf
from placewise.ops.linalg import matrix_products


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let oneDNN be used on every processor that has it."""
    packet = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    if packet is None or not torch.backends.mkldnn.is_available():
        pytest.skip("torch was built without oneDNN")
    monkeypatch.setattr(matrix_products, "_linear", packet.default)


def numbers(*dims: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed).randn(*dims).astype("f")


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_large_products_are_right_for_all_layouts(left: bool, right: bool):
    a = numbers(*((150, 200) if left else (200, 150)))
    b = numbers(*((180, 150) if right else (150, 180)), seed=1)
    product = tf.matmul(a, b, transpose_a=left, transpose_b=right)
    expected = (a.T if left else a).astype("d") @ (b.T if right else b).astype("d")
    np.testing.assert_allclose(product.numpy(), expected, rtol=1e-4, atol=1e-4)
    part = tf.matmul(tf.constant(numbers(200, 300))[:, 20:170], tf.constant(numbers(150, 180)))
    whole = numbers(200, 300)[:, 20:170].astype("d") @ numbers(150, 180).astype("d")
    np.testing.assert_allclose(part.numpy(), whole, rtol=1e-4, atol=1e-4)


def test_large_products_with_a_bias_and_their_gradients_are_right():
    x, w, b = tf.constant(numbers(128, 150)), tf.constant(numbers(150, 160)), numbers(160)

    @tf.function
    def step(x: Any, w: Any, b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch((x, w, b))
            y = tf.nn.bias_add(tf.matmul(x, w), b)
            loss = tf.reduce_sum(y * y) / 2.0
        return y, *tape.gradient(loss, (x, w, b))

    y, dx, dw, db = (value.numpy() for value in step(x, w, tf.constant(b)))
    expected = x.numpy().astype("d") @ w.numpy() + b
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(dx, expected @ w.numpy().T, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(dw, x.numpy().T @ expected, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(db, expected.sum(0), rtol=1e-4, atol=1e-3)


def test_large_products_may_be_vectorised_and_compiled():
    x, w = tf.constant(numbers(3, 150, 160)), tf.constant(numbers(160, 170))
    rows = tf.vectorized_map(lambda row: tf.matmul(row, w), x)
    compiled = tf.function(lambda a: tf.matmul(a, w), jit_compile=True)
    for row, each in zip(x, rows, strict=True):
        expected = row.numpy().astype("d") @ w.numpy()
        np.testing.assert_allclose(each.numpy(), expected, rtol=1e-4, atol=1e-4)
    expected = x[0].numpy().astype("d") @ w.numpy()
    np.testing.assert_allclose(compiled(x[0]).numpy(), expected, rtol=1e-4, atol=1e-4)


def test_sizes_that_do_not_fit_are_refused_in_tensorflows_words():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        tf.matmul(tf.ones([200, 300]), tf.ones([200, 300]))
