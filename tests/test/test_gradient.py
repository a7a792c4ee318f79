"""tf.test.compute_gradient: both Jacobians, with the answers TensorFlow 2.21 gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.ops.array.creation import constant, ones, zeros
from placewise.ops.linalg.matmul import matmul
from placewise.test.gradient import compute_gradient


def agree(theoretical: tuple[Any, ...], numerical: tuple[Any, ...], *wanted: Any) -> None:
    for first, second, answer in zip(theoretical, numerical, wanted, strict=True):
        np.testing.assert_allclose(first, answer, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(second, answer, rtol=1e-3, atol=1e-3)


def test_a_square() -> None:
    agree(*compute_gradient(lambda x: x * x, [constant([1.0, 2.0])]), [[2, 0], [0, 4]])


def test_two_arguments() -> None:
    x, y = np.array([[1, 2]], np.float32), np.array([[3], [4]], np.float32)
    agree(*compute_gradient(lambda a, b: matmul(a, b), [x, y]), [[3, 4]], [[1, 2]])


def test_a_complex_number_counts_as_two() -> None:
    agree(*compute_gradient(lambda x: x * x, [np.array([1 + 2j])]), [[2, -4], [4, 2]])


def test_what_does_not_depend_has_zeros() -> None:
    agree(*compute_gradient(lambda x: ones([2]), [constant([1.0, 2.0])]), np.zeros([2, 2]))


def test_an_empty_argument() -> None:
    theoretical, numerical = compute_gradient(lambda x: x * x, [zeros([0])])
    assert theoretical[0].shape == numerical[0].shape == (0, 0)


def test_the_step_can_be_chosen() -> None:
    # Central differences of a cubic are off by the square of the step.
    _, numerical = compute_gradient(lambda x: x * x * x, [constant([1.0])], delta=0.5)
    np.testing.assert_allclose(numerical[0], [[3.25]])


def test_whole_numbers_have_no_gradient() -> None:
    said = "Cannot compute gradient for unsupported type int32 of argument 1"
    with pytest.raises(AssertionError, match=said):
        compute_gradient(lambda x, y: x, [constant(1.0), constant(1)])


def test_arguments_come_in_a_list() -> None:
    with pytest.raises(ValueError, match=r"`x` must be a list or tuple of values convertible to a"):
        compute_gradient(lambda x: x, constant(1.0))


def test_a_graph_is_built_once_for_all_entries():
    with tf.Graph().as_default() as graph, tf.compat.v1.Session():
        theoretical, numerical = tf.test.compute_gradient(tf.square, [np.arange(5.0)])
        count = len(graph.get_operations())
        tf.test.compute_gradient(tf.square, [np.arange(50.0)])
        assert len(graph.get_operations()) == 2 * count
    np.testing.assert_allclose(theoretical, numerical, atol=1e-5)
