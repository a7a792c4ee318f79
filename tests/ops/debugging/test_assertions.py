"""Tests of `ops/debugging/assertions.py` and `static_checks.py`: the words of what fails."""

import numpy as np
import pytest

import placewise as tf

X = np.array([[1.0, -2.0], [3.0, 1e-8]], np.float32)


def words_of(check, kind=tf.errors.InvalidArgumentError):
    with pytest.raises(kind) as caught:
        check()
    return caught.value.message if kind is tf.errors.InvalidArgumentError else str(caught.value)


def test_assert_shows_the_first_three_elements_of_its_data():
    data = [X, "s", 3, tf.constant("q"), np.arange(3), tf.constant(["a", "b"])]
    told = words_of(lambda: tf.debugging.Assert(False, data))
    shown = "1.0, -2.0, 3.0, ...\nb's'\n3\nb'q'\n0, 1, 2\nb'a', b'b'"
    assert told == f"Expected 'False' to be true. Summarized data: {shown}"


def test_assert_shows_all_when_asked_for_minus_one():
    told = words_of(lambda: tf.debugging.Assert(tf.constant(False), [X], summarize=-1))
    assert told.endswith("Summarized data: 1.0, -2.0, 3.0, 1e-08")


def test_assert_near_shows_both_sides():
    told = words_of(lambda: tf.debugging.assert_near(X, X + 1e-3, message="mm", summarize=2))
    assert "Summarized data: b'mm.  '\n" in told
    assert "\n1.0, -2.0, ...\n" in told
    assert told.endswith("\n1.001, -1.999, ...")


def test_a_sign_check_puts_the_message_first():
    told = words_of(lambda: tf.debugging.assert_non_negative(X, message="neg", summarize=1))
    assert told.startswith("neg.  \nCondition x >= 0 did not hold element-wise:\n")
    assert told.endswith("\n['1.0', '...']")


def test_a_sign_check_shows_a_scalar_bare():
    told = words_of(lambda: tf.debugging.assert_non_negative(tf.constant(-1)))
    assert told.endswith("x (shape=() dtype=int32) = \n-1")


def test_different_float_dtypes_are_shown_with_their_tensors():
    pair = [tf.constant(2.0), tf.constant(1.0, tf.float64)]
    told = words_of(lambda: tf.debugging.assert_same_float_dtype(pair), ValueError)
    assert told == (
        "tf.Tensor(1.0, shape=(), dtype=float64), type=<dtype: 'float64'>, must be of the same "
        "type (<dtype: 'float32'>) as tf.Tensor(2.0, shape=(), dtype=float32)."
    )
