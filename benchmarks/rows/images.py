"""Images: resized, cut, coloured, and boxes in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}


def photos(tf: Any, *shape: int) -> Any:
    """Return random images of float32 in [0, 1), the same in both frameworks."""
    return tf.constant(np.random.RandomState(0).rand(*shape), tf.float32)


def resize_bilinear(tf: Any) -> Callable[[], object]:
    """Shrink images."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.resize(x, [64, 64])


def resize_bilinear_up(tf: Any) -> Callable[[], object]:
    """Enlarge images."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.resize(x, [224, 224])


def resize_one(tf: Any) -> Callable[[], object]:
    """Shrink one image, as input pipelines do."""
    x = tf.cast(photos(tf, 40, 40, 3) * 255, tf.uint8)
    return lambda: tf.image.resize(x, [32, 32])


def resize_antialias(tf: Any) -> Callable[[], object]:
    """Shrink images smoothly."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.resize(x, [64, 64], antialias=True)


def resize_bicubic(tf: Any) -> Callable[[], object]:
    """Shrink images with cubic curves."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.resize(x, [64, 64], "bicubic")


def resize_nearest(tf: Any) -> Callable[[], object]:
    """Enlarge images of bytes."""
    x = tf.cast(photos(tf, 8, 128, 128, 3) * 255, tf.uint8)
    return lambda: tf.image.resize(x, [224, 224], "nearest")


def flip(tf: Any) -> Callable[[], object]:
    """Flip images at random."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.flip_left_right(x)


def brightness(tf: Any) -> Callable[[], object]:
    """Make images brighter."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.adjust_brightness(x, 0.1)


def contrast(tf: Any) -> Callable[[], object]:
    """Give images more contrast."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.adjust_contrast(x, 1.5)


def hue(tf: Any) -> Callable[[], object]:
    """Turn the colours of images."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.adjust_hue(x, 0.1)


def saturation(tf: Any) -> Callable[[], object]:
    """Make colours stronger."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.adjust_saturation(x, 1.5)


def hsv(tf: Any) -> Callable[[], object]:
    """Tell hue, saturation and value."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.rgb_to_hsv(x)


def gray(tf: Any) -> Callable[[], object]:
    """Drop colours."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.rgb_to_grayscale(x)


def standardized(tf: Any) -> Callable[[], object]:
    """Standardise images."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.per_image_standardization(x)


def crop_and_resize(tf: Any) -> Callable[[], object]:
    """Cut boxes out of images, all of one size."""
    x = photos(tf, 8, 128, 128, 3)
    places = np.random.RandomState(0).rand(64, 2, 2).astype("float32")
    boxes = tf.constant(np.sort(places, 1).reshape(64, 4))
    owners = tf.constant(np.arange(64) % 8, tf.int32)
    return lambda: tf.image.crop_and_resize(x, boxes, owners, [32, 32])


def pad(tf: Any) -> Callable[[], object]:
    """Put margins around images."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.pad_to_bounding_box(x, 10, 10, 150, 150)


def ssim(tf: Any) -> Callable[[], object]:
    """Compare images."""
    x, y = photos(tf, 8, 128, 128, 3), photos(tf, 8, 128, 128, 3) * 0.9
    return lambda: tf.image.ssim(x, y, 1.0)


def sobel(tf: Any) -> Callable[[], object]:
    """Find edges."""
    x = photos(tf, 8, 128, 128, 3)
    return lambda: tf.image.sobel_edges(x)


def patches(tf: Any) -> Callable[[], object]:
    """Cut images into overlapping windows."""
    x = photos(tf, 8, 128, 128, 3)
    window, step = [1, 8, 8, 1], [1, 4, 4, 1]
    return lambda: tf.image.extract_patches(x, window, step, [1, 1, 1, 1], "VALID")


def suppression(tf: Any) -> Callable[[], object]:
    """Keep the best of overlapping boxes."""
    random = np.random.RandomState(0)
    corners = random.rand(2000, 2).astype("float32")
    boxes = tf.constant(np.concatenate([corners, corners + 0.1], 1))
    scores = tf.constant(random.rand(2000), tf.float32)
    return lambda: tf.image.non_max_suppression(boxes, scores, 100)


def drawn(tf: Any) -> Callable[[], object]:
    """Draw boxes into images."""
    x = photos(tf, 8, 128, 128, 3)
    places = np.random.RandomState(0).rand(8, 10, 2, 2).astype("float32")
    boxes = tf.constant(np.sort(places, 2).reshape(8, 10, 4))
    colors = tf.constant([[1.0, 0.0, 0.0]])
    return lambda: tf.image.draw_bounding_boxes(x, boxes, colors)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "resize bilinear 8 x 128 to 64": resize_bilinear,
    "resize bilinear 8 x 128 to 224": resize_bilinear_up,
    "resize bilinear of one, uint8": resize_one,
    "resize bilinear with antialias": resize_antialias,
    "resize bicubic": resize_bicubic,
    "resize nearest, uint8": resize_nearest,
    "flip": flip,
    "adjust_brightness": brightness,
    "adjust_contrast": contrast,
    "adjust_hue": hue,
    "adjust_saturation": saturation,
    "rgb_to_hsv": hsv,
    "rgb_to_grayscale": gray,
    "per_image_standardization": standardized,
    "crop_and_resize of 64 boxes": crop_and_resize,
    "pad_to_bounding_box": pad,
    "ssim": ssim,
    "sobel_edges": sobel,
    "extract_patches 8x8": patches,
    "non_max_suppression of 2,000": suppression,
    "draw_bounding_boxes": drawn,
}
