"""Tensors made from sizes and numbers on a device with memory of its own: nothing is copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import placewise as tf

pytestmark = pytest.mark.usefixtures("accelerator")

MADE: dict[str, Callable[[], Any]] = {
    "range of int64": lambda: tf.range(2, 30, 3, tf.int64),
    "falling range": lambda: tf.range(9, -9, -2, tf.int64),
    "range of float32": lambda: tf.range(0.1, 7.0, 0.3),
    "range of float64": lambda: tf.range(0.1, 7.0, 0.3, tf.float64),
    "range of float16": lambda: tf.range(0.1, 7.0, 0.3, tf.float16),
    "range of bfloat16": lambda: tf.range(0.1, 7.0, 0.3, tf.bfloat16),
    "linspace": lambda: tf.linspace(0.0, 1.0, 7),
    "LinSpace": lambda: tf.raw_ops.LinSpace(start=0.1, stop=0.9, num=7),
    "LinSpace of one": lambda: tf.raw_ops.LinSpace(start=0.1, stop=0.9, num=1),
    "zeros": lambda: tf.zeros([3, 2]),
    "ones of bool": lambda: tf.ones([3], tf.bool),
    "ones of complex": lambda: tf.ones([3], tf.complex64),
    "fill": lambda: tf.fill([3], 2.5),
    "fill of int64": lambda: tf.fill([3], np.int64(2**62 + 1)),
    "zeros like": lambda: tf.zeros_like(tf.ones([3])),
    "ones like": lambda: tf.ones_like(tf.zeros([3])),
    "eye": lambda: tf.eye(4, 3),
    "diagonal": lambda: tf.linalg.diag(tf.ones([3])),
    "one-hot": lambda: tf.one_hot(tf.range(4, dtype=tf.int64), 3),
    "mask": lambda: tf.sequence_mask(tf.range(4, dtype=tf.int64), 5, tf.float32),
    "empty": lambda: tf.raw_ops.Empty(shape=[3], dtype=tf.float32, init=True),
}
everything = pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))


@everything
def test_values_are_those_of_the_cpu_and_on_the_device(make: Callable[[], Any]) -> None:
    with tf.device("CPU:0"):
        expected = make()
    for call in (make, tf.function(make)):
        with tf.device("GPU:0"):
            found = call()
        assert found._value.device.type == "accel"
        assert found.dtype is expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


# The places that lengths are compared with are int32, made on the host as in TensorFlow.
@pytest.mark.parametrize("name", [name for name in MADE if name != "mask"])
def test_nothing_is_copied_to_make_them(name: str) -> None:
    import test_accelerator

    with tf.device("GPU:0"), test_accelerator.counted() as counted:
        MADE[name]()
    assert (counted.h2d, counted.d2h, counted.syncs) == (0, 0, 0), counted


def test_a_range_of_int32_stays_on_the_host() -> None:
    with tf.device("GPU:0"):
        found = tf.range(5)
    assert found._value.device.type == "cpu"
    assert found.device.endswith("GPU:0")


@pytest.mark.parametrize("value", [-0.0, float("inf"), 1e-45, 2.5])
def test_a_number_is_written_on_the_device_and_not_copied(value: float) -> None:
    import test_accelerator

    with tf.device("GPU:0"), test_accelerator.counted() as counted:
        found = tf.constant(value)
    assert (counted.h2d, counted.syncs) == (0, 0)
    expected = np.float32(value)
    assert found.numpy().tobytes() == expected.tobytes()


def test_items_of_a_list_that_were_never_set_are_zeros_on_the_device() -> None:
    import test_accelerator

    @tf.function
    def listed(x: Any) -> Any:
        items = tf.TensorArray(tf.float32, 3, element_shape=[2], clear_after_read=False)
        items = items.write(1, x)
        return items.stack(), items.read(2)

    with tf.device("GPU:0"):
        x = tf.ones([2])
        listed(x)
        with test_accelerator.counted() as counted:
            rows, blank = listed(x)
        assert (counted.h2d, counted.syncs) == (0, 0), counted
        assert rows._value.device.type == blank._value.device.type == "accel"
        np.testing.assert_array_equal(rows.numpy(), [[0, 0], [1, 1], [0, 0]])
        np.testing.assert_array_equal(blank.numpy(), [0, 0])
