"""TensorFlow 1's spellings of image functions whose arguments differ."""

from __future__ import annotations

from typing import Any

from placewise.ops.image.boxes import draw_bounding_boxes
from placewise.ops.image.crop_and_resize import crop_and_resize
from placewise.ops.image.sampled_boxes import (
    SampleDistortedBoundingBoxV2,
    ranges_of,
    sample_distorted_bounding_box,
)


def crop_and_resize_v1(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Any:
    """Return what `crop_and_resize` does; `box_ind` is the old name of `box_indices`."""
    if box_indices is not None and box_ind is not None:
        raise ValueError("Cannot specify both 'box_ind' and 'box_indices'.")
    which = box_ind if box_indices is None else box_indices
    return crop_and_resize(image, boxes, which, crop_size, method, float(extrapolation_value), name)


def draw_bounding_boxes_v1(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Any:
    """Return what `draw_bounding_boxes` does; without colours, in ten of ours."""
    return draw_bounding_boxes(images, boxes, colors, name)


def sample_distorted_bounding_box_v1(
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
    """Return what `sample_distorted_bounding_box` does, with both seeds given as they are."""
    made = sample_distorted_bounding_box.bind(
        image_size,
        bounding_boxes,
        min_object_covered,
        seed=seed or 0,
        seed2=seed2 or 0,
        name=name,
        **ranges_of(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes),
    )
    return SampleDistortedBoundingBoxV2(*made)
