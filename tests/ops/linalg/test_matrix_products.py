"""Products that oneDNN or the native module computes on some processors, beside NumPy's."""

from typing import Any

import numpy as np
import pytest
import torch

import placewise as tf
from placewise import native
from placewise.ops.linalg import matrix_products


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let oneDNN be used on every processor that has it."""
    packet = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    if packet is None or not torch.backends.mkldnn.is_available():
        pytest.skip("torch was built without oneDNN")
    monkeypatch.setattr(matrix_products, "_linear", packet.default)
    monkeypatch.setattr(matrix_products, "_multiply", None)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the native module compute products of middle size on every processor that can."""
    if native.code is None or not native.code.has_products():
        pytest.skip("the native module has no products here")
    monkeypatch.setattr(matrix_products, "_multiply", native.code.multiply)


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


SIZES = [(4, 64, 64), (14, 40, 32), (15, 33, 33), (31, 70, 16), (64, 100, 10), (29, 17, 47)]


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.usefixtures("own")
def test_products_of_middle_size_are_right_for_all_sizes_and_layouts(left: bool, right: bool):
    for rows, depth, columns in SIZES:
        assert matrix_products.is_own(rows, depth, columns) == (rows * depth * columns >= 1 << 14)
        a = numbers(*((depth, rows) if left else (rows, depth)))
        b = numbers(*((columns, depth) if right else (depth, columns)), seed=1)
        product = tf.matmul(a, b, transpose_a=left, transpose_b=right).numpy()
        expected = (a.T if left else a).astype("d") @ (b.T if right else b).astype("d")
        np.testing.assert_allclose(product, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("own")
def test_products_of_views_that_lie_far_apart_are_right():
    whole = tf.constant(numbers(80, 90))
    for a, b in [
        (whole[::2, 10:70], whole[5:65, ::3]),
        (whole[:, ::2], whole[:45]),
        (tf.transpose(whole)[3:, :40], whole[::2, 1:]),
        (tf.broadcast_to(whole[:1, :40], [30, 40]), whole[:40]),
    ]:
        expected = a.numpy().astype("d") @ b.numpy().astype("d")
        np.testing.assert_allclose(tf.matmul(a, b).numpy(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("own")
def test_nan_and_infinity_pass_through_products():
    a = numbers(20, 40)
    a[3, 7], a[5, 2], a[9, 1] = np.nan, np.inf, -np.inf
    b = numbers(40, 40, seed=1)
    b[0] = 0.0
    with np.errstate(invalid="ignore"):
        expected = a @ b
    result = tf.matmul(a, b).numpy()
    assert np.isnan(result[3]).all()
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(result), np.isinf(expected))


@pytest.mark.usefixtures("own")
def test_a_plan_gives_the_bits_of_eager_products():
    x, w, b = numbers(32, 48), numbers(48, 40, seed=1), numbers(40, seed=2)

    def step(x: Any, w: Any, b: Any) -> Any:
        h = tf.matmul(x, w) + b
        for _ in range(3):
            h = h * (tf.matmul(tf.matmul(h, w, transpose_b=True), w) - h)
        return h, tf.matmul(h, h, transpose_a=True)

    arguments = [tf.constant(value) for value in (x, w, b)]
    for eager, planned in zip(step(*arguments), tf.function(step)(*arguments), strict=True):
        np.testing.assert_array_equal(eager.numpy(), planned.numpy())


@pytest.mark.usefixtures("own")
def test_gradients_and_maps_of_products_of_middle_size_are_right():
    x, w = tf.constant(numbers(5, 30, 40)), tf.constant(numbers(40, 20))
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_sum(tf.matmul(x[0], w) ** 2) / 2
    expected = x[0].numpy().T.astype("d") @ (x[0].numpy().astype("d") @ w.numpy())
    np.testing.assert_allclose(tape.gradient(loss, w).numpy(), expected, rtol=1e-4, atol=1e-2)
    rows = tf.vectorized_map(lambda row: tf.matmul(row, w), x).numpy()
    np.testing.assert_allclose(rows, x.numpy() @ w.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("own")
def test_defaults_of_torch_do_not_change_products():
    a, b = tf.constant(numbers(20, 40)), tf.constant(numbers(40, 30, seed=1))
    expected = tf.matmul(a, b).numpy()
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"):
            result = tf.matmul(a, b)
            product = result.numpy()
    finally:
        torch.set_default_dtype(before)
    assert result.dtype is tf.float32
    np.testing.assert_array_equal(product, expected)
