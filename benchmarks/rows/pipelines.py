"""Input pipelines of tf.data. With `--threads 2` parallel maps show how they scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 0.8
LIMITS: dict[str, tuple[float, str]] = {}
_IMAGES = np.random.RandomState(0).randint(0, 255, (200, 64, 64, 3)).astype(np.uint8)
_TABLE = np.random.RandomState(1).randn(5000, 32).astype(np.float32)


def consume(dataset: Any) -> Callable[[], object]:
    """Return a call that reads all of a dataset."""
    return lambda: sum(1 for _ in dataset)


def slices(tf: Any) -> Callable[[], object]:
    """Read 5,000 rows in batches of 64."""
    return consume(tf.data.Dataset.from_tensor_slices(_TABLE).batch(64))


def shuffled(tf: Any) -> Callable[[], object]:
    """Map, shuffle and batch 5,000 rows."""
    dataset = tf.data.Dataset.from_tensor_slices(_TABLE).map(lambda row: row * 2.0 + 1.0)
    return consume(dataset.shuffle(1000, seed=1).batch(64).prefetch(2))


def padded(tf: Any) -> Callable[[], object]:
    """Pad rows of varying length to batches."""
    dataset = tf.data.Dataset.range(1000).map(lambda i: tf.fill([i % 20 + 1], i))
    return consume(dataset.padded_batch(32))


def python(tf: Any) -> Callable[[], object]:
    """Read 500 elements of a generator."""
    spec = tf.TensorSpec([], tf.int64)
    return consume(tf.data.Dataset.from_generator(lambda: iter(range(500)), output_signature=spec))


def images(tf: Any) -> Callable[[], object]:
    """Resize and scale 200 images, one by one."""
    dataset = tf.data.Dataset.from_tensor_slices(_IMAGES)
    dataset = dataset.map(lambda image: tf.image.resize(image, [32, 32]) / 255.0)
    return consume(dataset.batch(32))


def cropped(tf: Any) -> Callable[[], object]:
    """Crop and flip 200 images at random."""

    def changed(image: Any) -> Any:
        image = tf.image.random_crop(image, [56, 56, 3])
        return tf.cast(tf.image.random_flip_left_right(image), tf.float32) / 255.0

    return consume(tf.data.Dataset.from_tensor_slices(_IMAGES).map(changed).batch(32))


def encoded(tf: Any) -> list[bytes]:
    """Return photographs of a kind, as JPEG files."""
    smooth = np.linspace(0, 255, 160 * 160 * 3).reshape(160, 160, 3)
    return [tf.io.encode_jpeg((smooth + i).astype(np.uint8)).numpy() for i in range(50)]


def jpeg(tf: Any) -> Callable[[], object]:
    """Decode and resize 50 JPEG files."""

    def load(data: Any) -> Any:
        return tf.image.resize(tf.io.decode_jpeg(data, channels=3), [96, 96])

    return consume(tf.data.Dataset.from_tensor_slices(encoded(tf)).map(load).batch(10))


def heavy(image: Any, tf: Any) -> Any:
    """Return products of matrices: work in kernels, not in Python."""
    for _ in range(4):
        image = tf.matmul(image, image) * 0.01
    return image


def products(tf: Any) -> Callable[[], object]:
    """Multiply 64 matrices of 256 x 256, one by one."""
    data = np.random.RandomState(2).randn(64, 256, 256).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(data)
    return consume(dataset.map(lambda image: heavy(image, tf)))


def parallel_products(tf: Any) -> Callable[[], object]:
    """The same, two at a time where there are threads."""
    data = np.random.RandomState(2).randn(64, 256, 256).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(data)
    return consume(dataset.map(lambda image: heavy(image, tf), num_parallel_calls=2))


def parallel_jpeg(tf: Any) -> Callable[[], object]:
    """Decode and resize 50 JPEG files, two at a time where there are threads."""

    def load(data: Any) -> Any:
        return tf.image.resize(tf.io.decode_jpeg(data, channels=3), [96, 96])

    dataset = tf.data.Dataset.from_tensor_slices(encoded(tf))
    return consume(dataset.map(load, num_parallel_calls=2).batch(10).prefetch(2))


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "slices, batch": slices,
    "map, shuffle, batch, prefetch": shuffled,
    "padded_batch": padded,
    "from_generator": python,
    "images resized": images,
    "images cropped and flipped": cropped,
    "JPEG decoded and resized": jpeg,
    "JPEG decoded and resized, parallel": parallel_jpeg,
    "matrix products": products,
    "matrix products, parallel": parallel_products,
}
