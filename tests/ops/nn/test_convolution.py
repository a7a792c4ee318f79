"""Convolutions: against their definition, in every layout, and their gradients."""

import itertools

import numpy as np
import pytest

import placewise as tf

STATE = np.random.RandomState(5)


def numbers(*shape: int) -> np.ndarray:
    return STATE.uniform(-1, 1, shape)


def by_definition(x: np.ndarray, w: np.ndarray, stride: int, pads: list, rate: int) -> np.ndarray:
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    reach = [(k - 1) * rate + 1 for k in w.shape[:2]]
    high, wide = ((x.shape[1 + i] - reach[i]) // stride + 1 for i in (0, 1))
    groups = x.shape[3] // w.shape[2]
    per = w.shape[3] // groups
    y = np.zeros((x.shape[0], high, wide, w.shape[3]))
    for i, j, out in itertools.product(range(high), range(wide), range(w.shape[3])):
        first = out // per * w.shape[2]
        rows = slice(i * stride, i * stride + reach[0], rate)
        columns = slice(j * stride, j * stride + reach[1], rate)
        window = x[:, rows, columns, first : first + w.shape[2]]
        y[:, i, j, out] = (window * w[..., out]).sum((1, 2, 3))
    return y


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("rate", [1, 2])
@pytest.mark.parametrize("groups", [1, 2])
def test_conv2d_is_what_its_definition_says(stride: int, rate: int, groups: int) -> None:
    x, w = numbers(2, 7, 6, 4), numbers(3, 2, 4 // groups, 6)
    pads = [(1, 2), (0, 3)]
    y = tf.nn.conv2d(x, w, stride, [[0, 0], *map(list, pads), [0, 0]], dilations=rate)
    np.testing.assert_allclose(y, by_definition(x, w, stride, pads, rate), atol=1e-12)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_nchw_is_nhwc_with_channels_first(padding: str) -> None:
    x, w = numbers(2, 5, 6, 3), numbers(2, 3, 3, 4)
    last = tf.nn.conv2d(x, w, 2, padding)
    first = tf.nn.conv2d(x.transpose(0, 3, 1, 2), w, 2, padding, data_format="NCHW")
    np.testing.assert_allclose(np.transpose(first, (0, 2, 3, 1)), last, atol=1e-12)


def test_a_transpose_is_the_adjoint() -> None:
    x, w, y = numbers(1, 5, 6, 2), numbers(3, 2, 2, 3), numbers(1, 3, 3, 3)
    forth = np.sum(np.asarray(tf.nn.conv2d(x, w, 2, "SAME")) * y)
    back = np.sum(np.asarray(tf.nn.conv2d_transpose(y, w, x.shape, 2)) * x)
    assert forth == pytest.approx(back)


def test_depthwise_is_one_convolution_per_channel() -> None:
    x, w = numbers(1, 5, 5, 3), numbers(2, 2, 3, 2)
    whole = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")
    parts = [tf.nn.conv2d(x[..., c : c + 1], w[:, :, c : c + 1], 1, "SAME") for c in range(3)]
    np.testing.assert_allclose(whole, np.concatenate(parts, 3), atol=1e-12)


def test_a_dilated_convolution_has_gradients() -> None:
    x, w = tf.constant(numbers(1, 6, 6, 2)), tf.constant(numbers(2, 2, 2, 2))
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.nn.conv2d(x, w, 1, "SAME", dilations=2)
    dx, dw = tape.gradient(y, [x, w])
    assert dx.shape == x.shape
    np.testing.assert_allclose(np.sum(dx * x), np.sum(y), atol=1e-9)
    np.testing.assert_allclose(np.sum(dw * w), np.sum(y), atol=1e-9)


def test_unused_gradients_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    from placewise.ops.nn import conv2d

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the gradient of the images was not asked for")

    x, w = tf.constant(numbers(1, 4, 4, 1)), tf.constant(numbers(2, 2, 1, 1))
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = tf.nn.conv2d(x, w, 1, "SAME")
    monkeypatch.setattr(conv2d, "conv2d_backprop_input_op", refuse)
    assert tape.gradient(y, w).shape == w.shape


def test_the_result_is_laid_out_as_nhwc() -> None:
    y = tf.nn.conv2d(numbers(2, 8, 8, 4).astype("f"), numbers(3, 3, 4, 5).astype("f"), 1, "SAME")
    assert y._value.is_contiguous()


@pytest.mark.parametrize("filter_shape", [[0, 2, 2, 3], [2, 0, 2, 3]])
def test_a_filter_without_elements_is_refused_if_there_is_something_to_compute(filter_shape):
    for padding in ("SAME", "VALID"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="filter must not have zero"):
            tf.nn.conv2d(tf.ones([1, 4, 4, 2]), tf.ones(filter_shape), 1, padding)
        with pytest.raises(tf.errors.InvalidArgumentError, match="filter must not have zero"):
            tf.nn.conv3d(tf.ones([0, 4, 4, 4, 2]), tf.ones([2, *filter_shape]), [1] * 5, padding)
    assert tf.nn.conv2d(tf.ones([0, 4, 4, 2]), tf.ones(filter_shape), 1, "SAME").shape[0] == 0


@pytest.mark.parametrize(
    ("sizes", "words"),
    [(0, "Shape must be rank 1 but is rank 0"), ([1], "Shape must be rank 5 but is rank 1")],
)
def test_the_gradient_of_filters_checks_their_sizes_in_graphs(sizes: object, words: str) -> None:
    with tf.Graph().as_default():
        x = tf.ones([2, 2, 2, 2, 1])
        with pytest.raises(ValueError, match=words):
            tf.compat.v1.nn.conv3d_backprop_filter_v2(x, sizes, x, [1] * 5, "VALID")


def test_the_gradient_of_filters_of_volumes_has_a_name_of_its_own() -> None:
    x, dy = tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 2, 2, 2, 3])
    found = tf.compat.v1.nn.conv3d_backprop_filter(x, [1, 1, 1, 1, 3], dy, [1] * 5, "VALID")
    assert found.numpy().tolist() == [[[[[8.0, 8.0, 8.0]]]]]


def test_the_gradient_of_images_wants_two_or_four_sizes() -> None:
    with tf.Graph().as_default():
        x = tf.ones([2, 3, 3, 1])
        with pytest.raises(ValueError, match="to contain 4 values or 2 values, but got: 1"):
            tf.raw_ops.Conv2DBackpropInput(
                input_sizes=[1], filter=x, out_backprop=x, strides=[1] * 4, padding="VALID"
            )
