"""Images warped by a flow at each pixel, or by some points that move."""

from __future__ import annotations

from typing import Any

import numpy as np

import placewise as tf
from placewise.contrib.image.splines import interpolate_spline


def dense_image_warp(image: Any, flow: Any, name: str = "dense_image_warp") -> Any:
    """Return images whose pixel (y, x) is that of the image at (y, x) - flow, interpolated.

    `image`: [batch, height, width, channels]; `flow`: [batch, height, width, 2].
    """
    with tf.name_scope(name):
        image, flow = tf.convert_to_tensor(image), tf.convert_to_tensor(flow)
        batch, height, width, channels = tf.unstack(tf.shape(image))
        x, y = tf.meshgrid(tf.range(width), tf.range(height))
        places = tf.cast(tf.stack([y, x], axis=2), flow.dtype)[None] - flow
        points = tf.reshape(places, [batch, height * width, 2])
        found = _bilinear(image, points)
        return tf.ensure_shape(tf.reshape(found, [batch, height, width, channels]), image.shape)


def _bilinear(images: Any, points: Any) -> Any:
    """Return what lies at points between pixels; beyond the border, what is nearest to it."""
    batch, height, width, channels = tf.unstack(tf.shape(images))
    shares, corners = [], []
    for axis, size in ((0, height), (1, width)):
        place = points[..., axis]
        last = tf.cast(size - 2, place.dtype)
        low = tf.minimum(tf.maximum(tf.zeros([], place.dtype), tf.floor(place)), last)
        share = tf.cast(place - low, images.dtype)
        shares.append(tf.clip_by_value(share, 0.0, 1.0)[..., None])
        low = tf.cast(low, tf.int32)
        corners.append((low, low + 1))
    flat = tf.reshape(images, [batch * height * width, channels])
    first = tf.reshape(tf.range(batch) * height * width, [batch, 1])

    def at(down: int, across: int) -> Any:
        return tf.gather(flat, first + corners[0][down] * width + corners[1][across])

    top_left, top_right, bottom_left, bottom_right = at(0, 0), at(0, 1), at(1, 0), at(1, 1)
    top = shares[1] * (top_right - top_left) + top_left
    bottom = shares[1] * (bottom_right - bottom_left) + bottom_left
    return shares[0] * (bottom - top) + top


def sparse_image_warp(
    image: Any,
    source_control_point_locations: Any,
    dest_control_point_locations: Any,
    interpolation_order: int = 2,
    regularization_weight: float = 0.0,
    num_boundary_points: int = 0,
    name: str = "sparse_image_warp",
) -> tuple[Any, Any]:
    """Return images warped so that points come to where they should be, and the flow of that.

    `num_boundary_points`: how many points of each edge stay in place; 0: none.
    """
    with tf.name_scope(name):
        image = tf.convert_to_tensor(image)
        source = tf.convert_to_tensor(source_control_point_locations)
        target = tf.convert_to_tensor(dest_control_point_locations)
        flows = target - source
        batch, height, width, _ = image.shape.as_list()
        if num_boundary_points > 0:
            fixed = _boundary(height, width, num_boundary_points - 1)
            fixed = np.tile(fixed[None], (batch, 1, 1))
            target = tf.concat([target, tf.constant(fixed, target.dtype)], 1)
            flows = tf.concat([flows, tf.zeros(fixed.shape, flows.dtype)], 1)
        rows, columns = np.mgrid[0:height, 0:width]
        grid = np.stack([rows, columns], -1).reshape(1, -1, 2)
        places = tf.constant(np.tile(grid, (batch, 1, 1)), target.dtype)
        flow = interpolate_spline(target, flows, places, interpolation_order, regularization_weight)
        flow = tf.reshape(flow, [batch, height, width, 2])
        return dense_image_warp(image, flow), flow


def _boundary(height: int, width: int, inner: int) -> Any:
    """Return the corners, and `inner` points between them on each edge."""
    rows, columns = (np.linspace(0, size - 1, inner + 2) for size in (height, width))
    ys, xs = np.meshgrid(rows, columns, indexing="ij")
    is_edge = (xs == 0) | (xs == width - 1) | (ys == 0) | (ys == height - 1)
    return np.stack([ys[is_edge], xs[is_edge]], axis=-1)
