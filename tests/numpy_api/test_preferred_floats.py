"""`experimental_enable_numpy_behavior(prefer_float32=True)`: Python's floats alone are narrower.

The expected dtypes are TensorFlow 2.21's.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.numpy_api.promotion import PREFERENCE

CASES: list[tuple[str, Callable[[Any], Any], str]] = [
    ("a float", lambda tnp: tnp.array(1.5), "float32"),
    ("floats in a list", lambda tnp: tnp.array([1, 2.5]), "float32"),
    ("NumPy's float64 is a float", lambda tnp: tnp.array([np.float64(1)]), "float32"),
    ("a complex number", lambda tnp: tnp.array(1j), "complex64"),
    ("an array keeps its dtype", lambda tnp: tnp.array(np.array([1.5])), "float64"),
    ("an integer", lambda tnp: tnp.array(1), "int64"),
    ("integers in a list", lambda tnp: tnp.array([1, 2]), "int64"),
    ("a range", lambda tnp: tnp.arange(3), "int64"),
    ("a range of floats", lambda tnp: tnp.arange(3.0), "float32"),
    ("an integer as a real number", lambda tnp: tnp.sin(1), "float64"),
    ("a mean of integers", lambda tnp: tnp.mean([1, 2]), "float64"),
    ("a quotient of integers", lambda tnp: tnp.true_divide(1, 2), "float64"),
    ("zeros", lambda tnp: tnp.zeros(2), "float64"),
    ("random numbers", lambda tnp: tnp.random.rand(2), "float64"),
    ("linspace", lambda tnp: tnp.linspace(0, 1), "float32"),
    ("geomspace", lambda tnp: tnp.geomspace(1, 2), "float32"),
]


@pytest.fixture
def preferred() -> Iterator[None]:
    before, PREFERENCE.float32 = PREFERENCE.float32, True
    yield
    PREFERENCE.float32 = before


@pytest.mark.parametrize("what, call, dtype", CASES, ids=[case[0] for case in CASES])
def test_only_python_floats_are_narrower(
    preferred: None, what: str, call: Callable[[Any], Any], dtype: str
) -> None:
    assert call(tf.experimental.numpy).dtype.name == dtype


def test_a_python_number_gives_way_to_the_other_end_of_a_range() -> None:
    tnp = tf.experimental.numpy
    assert tnp.linspace(np.float32(0), 1).dtype == tf.float32
    assert tnp.linspace(tf.constant(0.0), 1).dtype == tf.float32
    assert tnp.logspace(np.float32(0), 1).dtype == tf.float32
    assert tnp.linspace(0, 1).dtype == tf.float64


@pytest.mark.parametrize("order", ["C", "A", "K"])
def test_a_flat_array_is_read_by_rows_in_any_order_but_f(order: str) -> None:
    matrix = tf.constant([[1, 2], [3, 4]])
    from placewise.numpy_api.array_shapes import flatten

    assert flatten(matrix, order).numpy().tolist() == [1, 2, 3, 4]
    assert flatten(matrix, "F").numpy().tolist() == [1, 3, 2, 4]
