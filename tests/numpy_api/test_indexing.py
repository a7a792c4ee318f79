"""Arrays among indices; the switch that lets tensors take them is in test_numpy.py."""

from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.numpy_api import indexing

NUMBERS = np.arange(48).reshape(2, 3, 4, 2)
MASK = np.arange(6).reshape(2, 3) % 2 == 0


def picked(item: Any, tensor: Any = None) -> Any:
    tensor = tf.constant(NUMBERS) if tensor is None else tensor
    return indexing.pick(tensor, item, type(tensor).__getitem__)


@pytest.mark.parametrize(
    "item",
    [
        (slice(None), [1]),
        ([0, -1],),
        (slice(None), [0, 1], [[1], [0]]),
        ([0, 1], slice(None), [2, 3]),
        (..., [1, 0]),
        (None, [1], ..., None),
        (slice(None, None, -1), slice(1, None), [3, 0], slice(0, 1)),
        (MASK,),
        (slice(None), [True, False, True], slice(1, 3)),
    ],
)
def test_arrays_pick_as_in_numpy(item: Any) -> None:
    expected = NUMBERS[tuple(np.asarray(each) if type(each) is list else each for each in item)]
    np.testing.assert_array_equal(picked(item), expected)


def test_numbers_beside_arrays_are_no_arrays() -> None:
    # TensorFlow's answer: NumPy has the axis of the array first.
    np.testing.assert_array_equal(picked((0, slice(None), [1])), NUMBERS[0][:, [1]])


def test_arrays_pick_in_functions_of_any_shape() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec(None)])
    def rows(known: Any, unknown: Any) -> Any:
        return picked((slice(None), [-1]), known), picked([1, -1], unknown)

    columns, last = rows([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0], [3.0]])
    assert (columns.numpy().tolist(), last.numpy().tolist()) == ([[2.0], [4.0]], [[2.0], [3.0]])


def test_fractions_are_no_places() -> None:
    with pytest.raises(IndexError, match="arrays used as indices must be of integer"):
        picked(np.array([0.5]))
