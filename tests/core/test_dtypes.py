"""Data types."""

import pickle

import ml_dtypes
import numpy as np
import pytest

from placewise.core import dtypes


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("float32", "float32"),
        ("half", "float16"),
        (1, "float32"),
        (np.int8, "int8"),
        (np.dtype("uint16"), "uint16"),
        (float, "float32"),
        (bool, "bool"),
        (np.object_, "string"),
        (ml_dtypes.bfloat16, "bfloat16"),
        ("float32_ref", "float32_ref"),
    ],
)
def test_what_names_a_dtype(given, name):
    assert dtypes.as_dtype(given).name == name


def test_what_names_none():
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: 'foo'"):
        dtypes.as_dtype("foo")


def test_how_a_dtype_prints_and_compares():
    assert repr(dtypes.float32) == "tf.float32"
    assert str(dtypes.float32) == "<dtype: 'float32'>"
    assert dtypes.float32 == "float32"
    assert dtypes.float32 != dtypes.float64
    assert pickle.loads(pickle.dumps(dtypes.int8)) is dtypes.int8
    assert len({dtypes.int8, dtypes.as_dtype("int8")}) == 1


def test_limits_and_kinds():
    assert (dtypes.int8.min, dtypes.int8.max) == (-128, 127)
    assert dtypes.float16.max == np.finfo(np.float16).max
    assert dtypes.bfloat16.is_floating and not dtypes.bfloat16.is_integer
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.uint32.is_unsigned and dtypes.uint32.size == 4


def test_references():
    reference = dtypes.float32._as_ref
    assert reference.base_dtype is dtypes.float32
    assert reference.is_compatible_with(dtypes.float32)


@pytest.mark.parametrize("kind", [list, type(None), dict])
def test_a_class_that_is_no_number_has_no_dtype(kind):
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
        dtypes.as_dtype(kind)
