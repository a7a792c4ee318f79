"""Tests of the conversions of `ops/convert.py`: which Python numbers become which dtypes."""

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "int32"),
        (2**31, "int64"),
        (1.5, "float32"),
        (True, "bool"),
        (1j, "complex128"),
        ([1, True], "int32"),
        ([1, 1.5], "float32"),
        ([2j, 1], "complex128"),
        ([], "float32"),
        ([np.float64(1.5), 1], "float64"),
        ([np.int8(1)], "int32"),
        (np.int8(1), "int8"),
    ],
)
def test_values_have_the_dtype_tensorflow_gives_them(value, dtype):
    assert tf.constant(value).dtype.name == dtype


@pytest.mark.parametrize(
    ("value", "dtype", "error"),
    [
        (1.5, "int32", TypeError),
        (1, "bool", TypeError),
        (1j, "float32", TypeError),
        (True, "int8", TypeError),
        (True, "bfloat16", TypeError),
        ([True, 1], None, ValueError),
        ([1, 2j], None, ValueError),
        ([1, 2j], "complex64", ValueError),
        (2**63, None, ValueError),
        (1e39, None, ValueError),
        ([[1], [2, 3]], None, ValueError),
        ([1, "a"], None, ValueError),
    ],
)
def test_values_that_do_not_fit_are_refused(value, dtype, error):
    with pytest.raises(error):
        tf.constant(value, dtype)


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        (300, "int8", 44),
        (-1, "uint16", 65535),
        (2**31, "int32", -(2**31)),
        (True, "int32", 1),
        (2**63, "uint64", 2**63),
        (2**64, "float32", 2.0**64),
    ],
)
def test_integers_wrap_around(value, dtype, expected):
    assert tf.constant(value, dtype).numpy() == expected
    assert tf.constant([value], dtype).numpy()[0] == expected


def test_one_element_fills_a_shape():
    np.testing.assert_array_equal(tf.constant([5], shape=[3]), [5, 5, 5])
    with pytest.raises(TypeError, match="unsupported shape"):
        tf.constant([5, 6], shape=[3])


def test_arrays_of_another_byte_order_are_taken():
    np.testing.assert_array_equal(tf.constant(np.array([1, 2], ">i4")), [1, 2])


@pytest.mark.parametrize("is_traced", [False, True])
def test_a_shape_may_hold_tensors_of_floats(is_traced):
    def shaped(size):
        return tf.transpose(tf.reshape(tf.range(6), (size, 2)), [tf.constant(1.0), 0])

    shaped = tf.function(shaped) if is_traced else shaped
    assert shaped(tf.constant(3.0)).numpy().tolist() == [[0, 2, 4], [1, 3, 5]]
    assert tf.reshape(tf.range(6), np.array([3.0, 2.0])).shape == (3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="'Tshape' of float"):
        tf.reshape(tf.range(6), tf.constant([3.0, 2.0]))


def test_a_string_repeated_to_a_shape_keeps_its_zeros():
    assert tf.constant(b"a\x00", shape=[2]).numpy().tolist() == [b"a\x00", b"a\x00"]


def test_a_graph_names_the_shapes_of_a_constant_that_do_not_fit():
    with (
        tf.Graph().as_default(),
        pytest.raises(TypeError, match=r"Expected Tensor's shape: \(10,\)"),
    ):
        tf.constant([1, 2, 3], shape=[10])


def test_a_graph_says_what_numpy_says_of_rows_of_different_lengths():
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="setting an array element with a"),
    ):
        tf.constant([[1, 2], [3]], dtype=tf.int32)


def test_a_graph_takes_a_tensor_message_as_a_constant():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        constant = tf.constant(tf.make_tensor_proto([[1, 2]]))
        assert session.run(constant).tolist() == [[1, 2]]
