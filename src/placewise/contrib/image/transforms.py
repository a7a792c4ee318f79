"""Projective transforms of images: rotated, translated, and composed.

A transform [a0, a1, a2, b0, b1, b2, c0, c1] takes each point (x, y) of the result from the point
((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image, k = c0 x + c1 y + 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import placewise as tf

_IMAGE_DTYPES = (tf.uint8, tf.int32, tf.int64, tf.float16, tf.float32, tf.float64)


def _in_batch(images: Any, change: Callable[[Any], Any]) -> Any:
    """Return what `change` makes of images as a batch, in the rank they came in."""
    if images.dtype.base_dtype not in _IMAGE_DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    rank = images.shape.rank
    if rank is None:
        raise TypeError("image_or_images rank must be statically known")
    if rank == 2:
        return change(images[None, :, :, None])[0, :, :, 0]
    if rank == 3:
        return change(images[None])[0]
    if rank == 4:
        return change(images)
    raise TypeError("Images should have rank between 2 and 4.")


def transform(
    images: Any,
    transforms: Any,
    interpolation: str = "NEAREST",
    output_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Return images seen through transforms; what lies outside of them is zero.

    `images`: one image of rank 2 or 3, or a batch of rank 4.
    `transforms`: one transform of 8 numbers, or one for each image.
    `interpolation`: 'NEAREST' or 'BILINEAR'.
    `output_shape`: [height, width] of the result, those of the images by default.
    """
    with tf.name_scope(name or "transform"):
        rows = tf.convert_to_tensor(transforms, tf.float32, name="transforms")
        if rows.shape.rank not in (1, 2):
            raise TypeError("Transforms should have rank 1 or 2.")
        rows = rows[None] if rows.shape.rank == 1 else rows

        def through(batch: Any) -> Any:
            size = tf.shape(batch)[1:3] if output_shape is None else output_shape
            size = tf.convert_to_tensor(size, tf.int32, name="output_shape")
            if not size.shape.is_compatible_with([2]):
                raise ValueError(
                    "output_shape must be a 1-D Tensor of 2 elements: new_height, new_width"
                )
            return tf.raw_ops.ImageProjectiveTransformV2(
                images=batch,
                transforms=rows,
                output_shape=size,
                interpolation=interpolation.upper(),
            )

        return _in_batch(tf.convert_to_tensor(images, name="images"), through)


def rotate(
    images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Return images turned counterclockwise by angles in radians, one or one for each image."""
    with tf.name_scope(name or "rotate"):

        def turned(batch: Any) -> Any:
            height, width = (tf.cast(tf.shape(batch)[k], tf.float32)[None] for k in (1, 2))
            rows = angles_to_projective_transforms(angles, height, width)
            return transform(batch, rows, interpolation=interpolation)

        return _in_batch(tf.convert_to_tensor(images), turned)


def translate(
    images: Any, translations: Any, interpolation: str = "NEAREST", name: str | None = None
) -> Any:
    """Return images moved by [dx, dy], one or one for each image."""
    with tf.name_scope(name or "translate"):
        rows = translations_to_projective_transforms(translations)
        return transform(images, rows, interpolation=interpolation)


def angles_to_projective_transforms(
    angles: Any, image_height: Any, image_width: Any, name: str | None = None
) -> Any:
    """Return the transforms that turn images about their middle, one a row."""
    with tf.name_scope(name or "angles_to_projective_transforms"):
        turns = tf.convert_to_tensor(angles, tf.float32, name="angles")
        if turns.shape.rank not in (0, 1):
            raise TypeError("Angles should have rank 0 or 1.")
        turns = turns[None] if turns.shape.rank == 0 else turns
        cosines, sines = tf.cos(turns), tf.sin(turns)
        right, bottom = image_width - 1, image_height - 1
        x_offset = (right - (cosines * right - sines * bottom)) / 2.0
        y_offset = (bottom - (sines * right + cosines * bottom)) / 2.0
        columns = [cosines, -sines, x_offset, sines, cosines, y_offset]
        ends = tf.zeros([tf.shape(turns)[0], 2])
        return tf.concat([*(column[:, None] for column in columns), ends], axis=1)


def translations_to_projective_transforms(translations: Any, name: str | None = None) -> Any:
    """Return the transforms that move images by [dx, dy], one a row."""
    with tf.name_scope(name or "translations_to_projective_transforms"):
        moves = tf.convert_to_tensor(translations, tf.float32, name="translations")
        if moves.shape.rank not in (1, 2):
            raise TypeError("Translations should have rank 1 or 2.")
        moves = moves[None] if moves.shape.rank == 1 else moves
        count = tf.shape(moves)[0]
        one, none = tf.ones([count, 1]), tf.zeros([count, 1])
        columns = [one, none, -moves[:, 0, None], none, one, -moves[:, 1, None]]
        return tf.concat([*columns, tf.zeros([count, 2])], axis=1)


def compose_transforms(*transforms: Any) -> Any:
    """Return the transform that does what several do one after another."""
    if not transforms:
        raise AssertionError("transforms cannot be empty")
    with tf.name_scope("compose_transforms"):
        composed = flat_transforms_to_matrices(transforms[0])
        for each in transforms[1:]:
            composed = tf.matmul(composed, flat_transforms_to_matrices(each))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms: Any) -> Any:
    """Return transforms as matrices of 3 rows and columns."""
    with tf.name_scope("flat_transforms_to_matrices"):
        rows = tf.convert_to_tensor(transforms, name="transforms")
        if rows.shape.rank not in (1, 2):
            raise ValueError(f"Transforms should be 1D or 2D, got: {rows}")
        rows = tf.reshape(rows, [-1, 8])
        ones = tf.ones([tf.shape(rows)[0], 1], rows.dtype)
        return tf.reshape(tf.concat([rows, ones], axis=1), [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: Any) -> Any:
    """Return matrices of 3 rows and columns as transforms, one a row."""
    with tf.name_scope("matrices_to_flat_transforms"):
        matrices = tf.convert_to_tensor(transform_matrices, name="transform_matrices")
        if matrices.shape.rank not in (2, 3):
            raise ValueError(f"Matrices should be 2D or 3D, got: {matrices}")
        rows = tf.reshape(matrices, [-1, 9])
        rows /= rows[:, 8:9]
        return rows[:, :8]
