"""tf.contrib.image: what TensorFlow 1.15.5 makes of small images."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

image_ops = tf.contrib.image
IMAGES = np.arange(60, dtype=np.float32).reshape(2, 5, 6, 1)
POINTS = np.array([[[0, 0], [0, 4], [3, 1], [2, 5.0]]], np.float32)


def _check(tensor, expected):
    with tf.Session() as session:
        np.testing.assert_allclose(np.ravel(session.run(tensor)), expected, atol=2e-4)


def test_images_are_turned_about_their_middle(graph_mode):
    turned = image_ops.rotate(IMAGES[0, :, :, 0], 0.5)
    _check(turned[:2], [0, 2, 3, 4, 11, 0, 1, 2, 9, 9, 16, 17])
    turned = image_ops.rotate(IMAGES, [0.3, -0.2], interpolation="bilinear")
    _check(turned[1, 2], [45.0299, 44.8179, 44.606, 44.394, 44.1821, 43.9701])


def test_images_are_moved_and_transforms_composed(graph_mode):
    moved = image_ops.translate(IMAGES[0], [0.5, -1.0], "BILINEAR")
    _check(moved[1], [6.0, 12.5, 13.5, 14.5, 15.5, 16.5])
    first, second = [1.0, 2, 3, 4, 5, 6, 0.1, 0.2], [2.0, 0, 1, 0, 1, 1, 0, 0]
    composed = [1.5385, 1.5385, 4.6154, 6.1538, 3.8462, 11.5385, 0.1538, 0.1538]
    _check(image_ops.compose_transforms(first, second), composed)
    with pytest.raises(TypeError, match="rank between 2 and 4"):
        image_ops.rotate([1.0], 0.5)
    with pytest.raises(TypeError, match="Translations should have rank 1 or 2"):
        image_ops.translate(IMAGES, 1.0)


def test_images_follow_a_flow_and_points(graph_mode):
    flow = np.linspace(-1, 1, 120).reshape(2, 5, 6, 2).astype(np.float32)
    warped = image_ops.dense_image_warp(IMAGES, flow)
    assert warped.shape == IMAGES.shape
    _check(warped[0, 1], [11.5714, 12.3361, 13.1008, 13.8655, 14.6303, 14.7815])
    warped, _ = image_ops.sparse_image_warp(IMAGES[:1], POINTS, POINTS + 0.3, num_boundary_points=2)
    _check(warped[0, 2], [12.0, 11.0561, 12.0522, 14.0155, 15.9623, 17.0])


@pytest.mark.parametrize(
    ("order", "weight", "expected"),
    [
        (1, 0.0, [-0.1445, 0.2041]),
        (2, 0.1, [-0.1904, 0.1321]),
        (3, 0.0, [-0.2591, 0.0770]),
        (4, 0.0, [-0.3656, 0.0246]),
    ],
)
def test_splines_go_through_points(order, weight, expected, graph_mode):
    values = np.array([[[0.0], [1], [-1], [2]]], np.float32)
    queries = np.array([[[1, 1], [2, 2.5]]], np.float32)
    _check(image_ops.interpolate_spline(POINTS, values, queries, order, weight), expected)
