"""Errors of Python functions called as ops, and arrays too large to be."""

from __future__ import annotations

from typing import Any

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
    several = tf.numpy_function(lambda: [b"a\x00", b"b\x00\x00"], [], tf.string)
    assert several.numpy().tolist() == [b"a\x00", b"b\x00\x00"]
