"""When two arrays count as the same, and what is said when they do not."""

import doctest

import ml_dtypes
import numpy as np
import pytest

from placewise.check import comparison
from placewise.check.comparison import difference


def test_examples_of_the_documentation_hold():
    assert doctest.testmod(comparison).failed == 0


@pytest.mark.parametrize(
    ("dtype", "apart"),
    [(np.float64, 1e-10), (np.float32, 1e-5), (np.float16, 1e-3), (ml_dtypes.bfloat16, 1e-2)],
)
def test_rounding_of_a_dtype_is_no_difference(dtype, apart):
    expected = np.array([1.0, -2.0, 0.5], dtype)
    assert difference(expected, (expected.astype(np.float64) * (1 + apart)).astype(dtype)) == ""


def test_a_difference_beyond_rounding_is_told_with_its_place():
    said = difference(np.float32([[1, 2], [3, 4]]), np.float32([[1, 2], [3, 4.5]]))
    assert said == "largest difference 0.5 at [1, 1]: 4.5 instead of 4.0 (float32, allowed 0.0004)"


def test_a_scalar_has_no_place():
    assert difference(np.float32(1), np.float32(2)).startswith("largest difference 1 at []: 2.0")


def test_small_numbers_among_large_ones_may_be_off():
    assert difference(np.float32([1e6, 1e-3]), np.float32([1e6, 2e-3])) == ""


def test_integers_must_be_equal():
    said = difference(np.int64([1, 2, 3]), np.int64([1, 0, 0]))
    assert said == "2 of 3 elements differ, the first at [1]: 0 instead of 2 (int64)"


def test_text_must_be_equal():
    one, other = np.array([b"a"], object), np.array([b"b"], object)
    assert difference(one, one.copy()) == ""
    assert "b'b' instead of b'a'" in difference(one, other)


def test_nan_and_infinity_are_the_same_as_themselves_only():
    special = np.float32([np.nan, np.inf, -np.inf])
    assert difference(special, special.copy()) == ""
    assert "instead of inf" in difference(special, np.float32([np.nan, 1, -np.inf]))
    assert "nan instead of 1.0" in difference(np.float32([1]), np.float32([np.nan]))


def test_complex_numbers_differ_by_both_parts():
    assert difference(np.complex64([1 + 1j]), np.complex64([1 + 1j])) == ""
    assert "largest difference 1" in difference(np.complex64([1 + 1j]), np.complex64([1 + 2j]))


def test_dtype_and_shape_come_first():
    assert difference(np.int32([1]), np.int64([1])) == "dtype int64 instead of int32"
    assert difference(np.zeros((2, 3)), np.zeros(6)) == "shape [6] instead of [2, 3]"
    assert difference(np.zeros(0), np.zeros(0)) == ""
