"""Images resized, cropped and recolored in C are those that torch makes, but for rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise import native

pytestmark = pytest.mark.skipif(native.code is None, reason="the native module is not built")

RANDOM = np.random.RandomState(0)
PHOTOS = RANDOM.rand(2, 23, 31, 3).astype("float32")
BOXES = RANDOM.uniform(-0.3, 1.3, (20, 4)).astype("float32")


def agree(call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch, tolerance: float) -> None:
    """Assert that a call gives nearly the same with the native module and without."""
    compiled = call().numpy()
    with monkeypatch.context() as patch:
        patch.setattr(native, "code", None)
        plain = call().numpy()
    assert compiled.shape == plain.shape
    assert compiled.dtype == plain.dtype
    np.testing.assert_allclose(compiled, plain, rtol=0, atol=tolerance)


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area", "lanczos3"])
@pytest.mark.parametrize("size", [[7, 50], [46, 9], [1, 1]])
@pytest.mark.parametrize("antialias", [True, False])
def test_images_get_another_size(
    method: str, size: list[int], antialias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for images in (PHOTOS, PHOTOS[..., :1], np.tile(PHOTOS, 5)):
        agree(
            lambda images=images: tf.image.resize(images, size, method, antialias=antialias),
            monkeypatch,
            2e-6,
        )


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_bytes_are_resized_as_the_floats_they_stand_for(channels: int) -> None:
    pixels = RANDOM.randint(0, 256, (2, 11, 17, channels)).astype("uint8")
    for size in ([5, 30], [22, 4], [1, 1]):
        resized = tf.image.resize(pixels, size)
        assert resized.dtype == tf.float32
        floats = tf.image.resize(pixels.astype("float32"), size)
        np.testing.assert_array_equal(resized, floats)


def test_equal_pixels_stay_exactly_equal() -> None:
    flat = tf.fill([1, 9, 9, 3], 0.1)
    assert set(tf.image.resize(flat, [20, 13]).numpy().reshape(-1).tolist()) == {
        float(np.float32(0.1))
    }


@pytest.mark.parametrize("size", [[5, 6], [1, 1]])
def test_crops_are_those_of_torch(size: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    owners = np.arange(20) % 2
    agree(
        lambda: tf.image.crop_and_resize(PHOTOS, BOXES, owners, size, extrapolation_value=9.0),
        monkeypatch,
        1e-5,
    )


@pytest.mark.parametrize("amount", [-1.0, -0.3, 0.0, 0.4, 1.0])
def test_colours_are_those_of_torch(amount: float, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = np.concatenate([PHOTOS, np.full_like(PHOTOS, 0.5), np.zeros_like(PHOTOS)])
    agree(lambda: tf.image.adjust_hue(photos, amount), monkeypatch, 2e-6)
    agree(lambda: tf.image.adjust_saturation(photos, amount + 1), monkeypatch, 2e-6)
    agree(lambda: tf.image.adjust_contrast(photos, amount), monkeypatch, 2e-6)
    agree(lambda: tf.image.rgb_to_hsv(photos), monkeypatch, 2e-6)


def test_what_is_no_number_stays_none(monkeypatch: pytest.MonkeyPatch) -> None:
    photos = PHOTOS.copy()
    photos[0, 3, 4] = [0.1, np.nan, 0.3]
    agree(lambda: tf.image.adjust_hue(photos, 0.2), monkeypatch, 2e-6)
    agree(lambda: tf.image.rgb_to_hsv(photos), monkeypatch, 2e-6)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 1.0])
def test_the_same_boxes_stay(threshold: float, monkeypatch: pytest.MonkeyPatch) -> None:
    corners = RANDOM.rand(300, 2).astype("float32")
    boxes = np.concatenate([corners, corners + RANDOM.uniform(-0.1, 0.2, (300, 2))], 1)
    scores = RANDOM.randint(0, 50, 300).astype("float32")
    for limit in (5, 300):
        agree(
            lambda limit=limit: tf.image.non_max_suppression(
                boxes.astype("float32"), scores, limit, threshold, 3.0
            ),
            monkeypatch,
            0,
        )
