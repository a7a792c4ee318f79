"""Pooling: against its definition, NaN, ties, positions and random windows."""

import numpy as np
import pytest

import placewise as tf

STATE = np.random.RandomState(6)


def by_definition(x: np.ndarray, k: int, s: int, padding: str, reduce: object) -> np.ndarray:
    edges = []
    for size in x.shape[1:3]:
        count = -(-size // s) if padding == "SAME" else (size - k) // s + 1
        need = max((count - 1) * s + k - size, 0) if padding == "SAME" else 0
        edges.append((count, need // 2))
    y = np.zeros((x.shape[0], edges[0][0], edges[1][0], x.shape[3]))
    for i in range(edges[0][0]):
        for j in range(edges[1][0]):
            top, left = i * s - edges[0][1], j * s - edges[1][1]
            window = x[:, max(top, 0) : top + k, max(left, 0) : left + k]
            y[:, i, j] = reduce(window, (1, 2))  # type: ignore[operator]
    return y


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_windows_are_where_tensorflow_puts_them(window: int, stride: int, padding: str) -> None:
    x = STATE.uniform(-1, 1, (2, 7, 6, 3))
    largest = tf.nn.max_pool2d(x, window, stride, padding)
    mean = tf.nn.avg_pool2d(x, window, stride, padding)
    np.testing.assert_allclose(largest, by_definition(x, window, stride, padding, np.max))
    np.testing.assert_allclose(mean, by_definition(x, window, stride, padding, np.mean), atol=1e-12)


def test_max_pooling_ignores_nan() -> None:
    x = np.asarray([[np.nan, 1.0], [2.0, 3.0]], "float32").reshape(1, 2, 2, 1)
    assert tf.nn.max_pool2d(x, 2, 2, "VALID").numpy().item() == 3.0


def test_the_first_of_equal_pixels_gets_the_gradient() -> None:
    x = tf.constant([[[[1.0], [3.0]], [[3.0], [2.0]]]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    np.testing.assert_array_equal(np.ravel(tape.gradient(y, x)), [0, 1, 0, 0])


@pytest.mark.parametrize("with_batch", [False, True])
def test_positions_lead_back_to_the_maxima(with_batch: bool) -> None:
    x = STATE.uniform(-1, 1, (2, 5, 4, 3))
    found, at = tf.nn.max_pool_with_argmax(x, 2, 1, "SAME", include_batch_in_index=with_batch)
    for image in range(2):
        flat = x.reshape(-1) if with_batch else x[image].reshape(-1)
        np.testing.assert_array_equal(flat[np.asarray(at[image])], found[image])


def test_random_windows_are_those_of_tensorflow() -> None:
    x = tf.zeros([1, 9, 11, 1])
    drawn = tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.7, 1.0], False, True, seed=9)
    assert drawn.row_pooling_sequence.numpy().tolist() == [0, 1, 3, 4, 6, 8, 9]
    assert drawn.col_pooling_sequence.numpy().tolist() == [0, 2, 4, 5, 7, 9, 11]
    smooth = tf.nn.fractional_avg_pool(x, [1.0, 1.5, 1.7, 1.0], True, True, seed=9)
    assert smooth.row_pooling_sequence.numpy().tolist() == [0, 2, 3, 5, 6, 8, 9]
