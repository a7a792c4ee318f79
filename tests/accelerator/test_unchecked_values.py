"""What ops do on a device with values that raise on the CPU: nobody looks, as on TensorFlow's GPUs.

An index out of range must not get to torch, which would make the device unusable.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import placewise as tf


@pytest.fixture(autouse=True)
def on_card(accelerator: ModuleType) -> Iterator[None]:
    """Let a test run on the first card, and see that the card is well afterwards."""
    with tf.device("/GPU:0"):
        yield
    accelerator.synchronize()


def held(values: Any, dtype: Any = None) -> Any:
    """Return a tensor that is in the device's memory, whatever its dtype."""
    made = tf.identity(tf.constant(values, dtype))
    return tf.cast(tf.cast(made, tf.float64), made.dtype) if made.dtype.is_integer else made


def test_segments_leave_out_ids_that_are_negative() -> None:
    made = tf.math.segment_sum(held([1.0, 2.0, 4.0]), held([-1, 0, 1]))
    np.testing.assert_array_equal(made, [2, 4])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.math.unsorted_segment_sum, [1, 2]),
        (tf.math.unsorted_segment_prod, [1, 2]),
        (tf.math.unsorted_segment_max, [1, 2]),
        (tf.math.unsorted_segment_min, [1, 2]),
        (tf.math.unsorted_segment_mean, [1, 2]),
    ],
)
def test_unsorted_segments_leave_out_ids_out_of_range(function: Any, expected: Any) -> None:
    ids = held([0, 1, 2, -1, 1000])
    np.testing.assert_array_equal(function(held([1.0, 2.0, 4.0, 8.0, 16.0]), ids, 2), expected)


def test_gradients_of_segments_are_zero_for_ids_out_of_range() -> None:
    x, ids = held([1.0, 2.0, 4.0]), held([0, 7, -1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.unsorted_segment_sum(x * x, ids, 2)
    np.testing.assert_array_equal(tape.gradient(y, x), [2, 0, 0])


def test_sparse_segments_take_zeros_for_rows_out_of_range() -> None:
    x = held([[1.0], [2.0]])
    made = tf.sparse.segment_sum(x, held([0, 5, 1]), held([0, 0, 1]))
    np.testing.assert_array_equal(made, [[1], [2]])
    made = tf.sparse.segment_sum(x, held([0, 1]), held([0, 9]), num_segments=2)
    np.testing.assert_array_equal(made, [[1], [0]])


def test_counts_leave_out_negative_numbers() -> None:
    weights = held([], tf.float32)
    made = tf.raw_ops.DenseBincount(input=held([0, -3, 2, 9]), size=3, weights=weights)
    np.testing.assert_array_equal(made, [1, 0, 1])


def test_histograms_leave_out_nan() -> None:
    made = tf.histogram_fixed_width(held([0.1, np.nan, 0.9]), [0.0, 1.0], 2)
    np.testing.assert_array_equal(made, [1, 1])


def test_labels_out_of_range_have_a_loss_that_is_not_a_number() -> None:
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(held([1, 3]), held([[0.0, 0.0]] * 2))
    np.testing.assert_allclose(loss, [np.log(2), np.nan])


def test_targets_out_of_range_are_not_among_the_best() -> None:
    made = tf.math.in_top_k(held([1, 5, -1]), held([[0.1, 0.9]] * 3), 1)
    np.testing.assert_array_equal(made, [True, False, False])


def test_positions_of_pooling_out_of_range_are_left_out() -> None:
    grad = held([[[[1.0]], [[2.0]]]])
    made = tf.raw_ops.MaxPoolGradWithArgmax(
        input=held(np.zeros((1, 2, 2, 1), np.float32)),
        grad=grad,
        argmax=held([[[[3]], [[44]]]]),
        ksize=[1, 1, 2, 1],
        strides=[1, 1, 2, 1],
        padding="VALID",
    )
    np.testing.assert_array_equal(tf.reshape(made, [-1]), [0, 0, 0, 1])


def test_boxes_of_images_that_are_not_there_are_outside() -> None:
    image = held(np.ones((1, 2, 2, 1), np.float32))
    boxes = held([[0.0, 0.0, 1.0, 1.0]] * 2)
    made = tf.image.crop_and_resize(image, boxes, held([0, 4]), [1, 1], extrapolation_value=7.0)
    np.testing.assert_array_equal(tf.reshape(made, [-1]), [1, 7])


@pytest.mark.parametrize(
    "function", [tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod]
)
def test_dividing_integers_by_zero_does_not_raise(function: Any) -> None:
    smallest = np.iinfo(np.int64).min
    divisors = held([0, -1, 3], tf.int64)
    with tf.device("/CPU:0"):
        expected = function(np.array([smallest, 7], np.int64), np.array([-1, 3], np.int64))
    made = function(held(np.array([5, smallest, 7])), divisors)
    np.testing.assert_array_equal(made[1:], expected)
