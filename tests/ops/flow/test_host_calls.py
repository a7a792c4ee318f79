"""Errors of Python functions called as ops, and arrays too large to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ValueError("bad"), "InvalidArgumentError"),
        (TypeError("bad"), "InvalidArgumentError"),
        (StopIteration(), "OutOfRangeError"),
        (MemoryError("bad"), "ResourceExhaustedError"),
        (NotImplementedError("bad"), "UnimplementedError"),
        (KeyError("bad"), "UnknownError"),
    ],
)
def test_what_a_py_function_raises_comes_as_tensorflow_says(
    raised: Exception, expected: str
) -> None:
    def fail(_: Any) -> Any:
        raise raised

    with pytest.raises(getattr(tf.errors, expected)) as caught:
        tf.py_function(fail, [1], tf.int32)
    assert str(caught.value).startswith(f"{type(raised).__name__}: ")
    with pytest.raises(type(raised)):
        tf.numpy_function(fail, [1], tf.int32)


def test_an_array_too_large_for_a_list_is_refused() -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError, match="1099511627776 items"):
        tf.TensorArray(tf.float32, size=1 << 40)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="items"):
        tf.TensorArray(tf.float32, size=0, dynamic_size=True).write(1 << 40, 1.0)


def test_strings_that_a_function_returns_keep_their_zeros():
    one = tf.numpy_function(lambda: b"a\x00", [], tf.string)
    assert one.numpy() == b"a\x00"
    several = tf.numpy_function(lambda: np.array([b"a\x00", b"b"], object), [], tf.string)
    assert several.numpy().tolist() == [b"a\x00", b"b"]
    # A list is several results, as in TensorFlow, whatever Tout says.
    parts = tf.numpy_function(lambda: [b"a\x00", b"b\x00\x00"], [], tf.string)
    assert [part.numpy() for part in parts] == [b"a\x00", b"b\x00\x00"]


def test_a_numpy_function_called_eagerly_gets_arrays_and_keeps_its_dtypes() -> None:
    received = []

    def keep(x):
        received.append(x)
        return 1

    result = tf.numpy_function(keep, [tf.constant(1.5)], tf.float32)
    assert type(received[0]) is np.ndarray
    assert received[0].dtype == np.float32
    assert result.dtype is tf.int32  # eager calls do not look at Tout
    assert tf.numpy_function(lambda: None, [], []) is None
    assert tf.numpy_function(lambda x: x, ["abc"], tf.string).numpy() == b"abc"
