"""Resizing: sizes, values and gradients."""

from __future__ import annotations

import numpy as np
import pytest

import placewise as tf

METHODS = (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("antialias", [False, True])
def test_a_flat_image_stays_flat(method: str, antialias: bool) -> None:
    image = tf.fill([1, 7, 5, 2], 0.3)
    for size in ([3, 2], [14, 11], [1, 9]):
        resized = tf.image.resize(image, size, method, antialias=antialias)
        assert resized.shape == (1, *size, 2)
        np.testing.assert_allclose(resized, np.full((1, *size, 2), 0.3), rtol=1e-5)


def test_nearest_keeps_the_dtype_and_the_rest_give_floats() -> None:
    image = tf.constant(np.arange(12, dtype=np.uint16).reshape(2, 2, 3))
    assert tf.image.resize(image, [4, 4], "nearest").dtype is tf.uint16
    assert tf.image.resize(image, [4, 4]).dtype is tf.float32


@pytest.mark.parametrize("method", [m for m in METHODS if m != "area"])
def test_gradients_agree_with_the_transpose(method: str) -> None:
    """Resizing is linear: <dy, resize(x)> = <gradient, x>."""
    random = np.random.RandomState(0)
    x = tf.constant(random.rand(2, 5, 4, 3).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.resize(x, [3, 7], method)
        weights = tf.constant(random.rand(2, 3, 7, 3).astype(np.float32))
        loss = tf.reduce_sum(y * weights)
    gradient = tape.gradient(loss, x)
    np.testing.assert_allclose(tf.reduce_sum(gradient * x), loss, rtol=1e-4)


def test_a_gradient_can_be_differentiated_again() -> None:
    x = tf.constant(np.random.RandomState(0).rand(1, 3, 3, 1).astype(np.float32))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.image.resize(x, [5, 5]) ** 2)
        first = inner.gradient(y, x)
        total = tf.reduce_sum(first)
    assert outer.gradient(total, x).shape == (1, 3, 3, 1)


def test_crops_of_boxes_pass_gradients_to_image_and_boxes() -> None:
    image = tf.constant(np.random.RandomState(0).rand(1, 6, 6, 1).astype(np.float32))
    boxes = tf.constant([[0.11, 0.13, 0.77, 0.72]])

    def total(image: object, boxes: object) -> object:
        return tf.reduce_sum(tf.image.crop_and_resize(image, boxes, [0], [3, 2]) ** 2)

    with tf.GradientTape() as tape:
        tape.watch([image, boxes])
        loss = total(image, boxes)
    to_image, to_boxes = tape.gradient(loss, [image, boxes])
    step = 1e-3
    for index in range(4):
        moved = np.zeros((1, 4), np.float32)
        moved[0, index] = step
        slope = (total(image, boxes + moved) - total(image, boxes - moved)) / (2 * step)
        np.testing.assert_allclose(to_boxes[0, index], slope, rtol=2e-2, atol=2e-2)
    assert to_image.shape == image.shape


def test_preserving_the_aspect_ratio_fits_inside() -> None:
    image = tf.zeros([10, 20, 3])
    assert tf.image.resize(image, [8, 8], preserve_aspect_ratio=True).shape == (4, 8, 3)
    assert tf.image.resize_with_pad(image, 8, 8).shape == (8, 8, 3)


def test_an_empty_image_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be of non-zero size"):
        tf.image.resize(tf.zeros([1, 0, 2, 1]), [2, 2])


def test_a_ragged_batch_that_may_be_empty_is_resized():
    spec = tf.RaggedTensorSpec([None, None, None, None], tf.float32, ragged_rank=2)
    resize = tf.function(lambda images: tf.image.resize(images, [4, 4]), input_signature=[spec])
    full = tf.RaggedTensor.from_tensor(tf.ones([2, 3, 3, 3]), ragged_rank=2)
    empty = tf.RaggedTensor.from_tensor(tf.ones([0, 3, 3, 3]), ragged_rank=2)
    assert resize(full).numpy().tolist() == np.ones([2, 4, 4, 3]).tolist()
    assert resize(empty).shape == [0, 4, 4, 3]
