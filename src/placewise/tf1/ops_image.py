"""Functions on images in the spelling of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.determinism import determinism
from placewise.ops.image import (
    adjustments,
    crop,
    crop_and_resize,
    flip,
    patches,
    resize_linear,
    resize_windowed,
    sampled_boxes,
)
from placewise.ops.image import boxes as drawing
from placewise.tf1.spelling import spelled

_RESIZED = "images, size, align_corners=False, name=None, half_pixel_centers=False"
resize_bilinear = spelled(resize_linear.resize_bilinear, _RESIZED)
resize_nearest_neighbor = spelled(resize_linear.resize_nearest_neighbor, _RESIZED)
resize_bicubic = spelled(resize_windowed.resize_bicubic, _RESIZED)
resize_area = spelled(resize_windowed.resize_area, "images, size, align_corners=False, name=None")
crop_and_resize_v1 = spelled(
    crop_and_resize.crop_and_resize,
    "image, boxes, box_ind=None, crop_size=None, method='bilinear', extrapolation_value=0,"
    " name=None, box_indices=None",
    box_ind="box_indices",
)
adjust_jpeg_quality = spelled(adjustments.adjust_jpeg_quality, "image, jpeg_quality, name=None")
extract_image_patches = spelled(
    patches.extract_patches,
    "images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None",
    ksizes="sizes",
)
transpose_image = spelled(flip.transpose, "image, name=None")
resize_image_with_crop_or_pad = spelled(
    crop.resize_with_crop_or_pad, "image, target_height, target_width"
)


def draw_bounding_boxes(
    images: TensorLike, boxes: TensorLike, name: str | None = None, colors: Any = None
) -> Any:
    """Return images with a line around each box; in ten colors that take turns by default."""
    return drawing.draw_bounding_boxes(images, boxes, colors, name)


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = None,
    seed2: Any = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Return begin and size of a random crop that keeps some of a bounding box."""
    if not seed and not seed2 and determinism.deterministic:
        raise ValueError(
            'tf.compat.v1.image.sample_distorted_bounding_box requires "seed" or "seed2" to be '
            "non-zero when determinism is enabled. Please pass in a non-zero seed, e.g. by passing "
            f'"seed=1". Got seed={seed} and seed2={seed2}'
        )
    ranges = sampled_boxes.ranges_of(
        aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    )
    return sampled_boxes.sample_distorted_bounding_box.bind(
        image_size,
        bounding_boxes,
        min_object_covered,
        seed=seed or 0,
        seed2=seed2 or 0,
        **ranges,
        name=name,
    )
