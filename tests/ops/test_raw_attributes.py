"""Attributes of tf.raw_ops: converted as TensorFlow converts them, refused in its words."""

import numpy as np
import pytest

import placewise as tf

raw = tf.raw_ops


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: raw.CheckNumerics(tensor=[1.0], message=3), "string for argument 'message' not 3"),
        (
            lambda: raw.CheckNumerics(tensor=[1.0], message=["a", 1]),
            r"string for argument 'message' not \['a', 1\]",
        ),
        (
            lambda: raw.StaticRegexReplace(input=["a"], pattern=2147483647, rewrite="x"),
            "string for argument 'pattern' not 2147483647",
        ),
        (lambda: raw.Sum(input=[1.0], axis=0, keep_dims=1), "bool for argument 'keep_dims' not 1"),
        (
            lambda: raw.MatMul(a=[[1.0]], b=[[1.0]], transpose_a=np.True_),
            "bool for argument 'transpose_a' not np.True_",
        ),
        (lambda: raw.Unpack(value=[1.0], num="1"), "int for argument 'num' not '1'"),
        (lambda: raw.Unpack(value=[1.0], num=None), "int for argument 'num' not None"),
        (lambda: raw.LeakyRelu(features=[1.0], alpha="x"), "float for argument 'alpha' not 'x'"),
        (
            lambda: raw.LeakyRelu(features=[1.0], alpha=tf.constant(1.0)),
            "float for argument 'alpha' not <tf.Tensor",
        ),
        (
            lambda: raw.MaxPool(
                input=tf.ones([1, 2, 2, 1]), ksize=[1, "a", 1, 1], strides=[1] * 4, padding="SAME"
            ),
            "int for argument 'ksize' not 'a'",
        ),
    ],
)
def test_an_attribute_of_another_kind_is_refused(call, said):
    with pytest.raises(TypeError, match=f"Expected {said}"):
        call()


def test_what_tensorflow_converts_is_converted():
    assert len(raw.Unpack(value=[1.0], num=1.5)) == 1
    assert len(raw.Unpack(value=[1.0], num=np.int64(1))) == 1
    assert raw.LeakyRelu(features=[-1.0], alpha=1).numpy() == [-1.0]


def test_none_is_the_default():
    assert raw.LeakyRelu(features=[-1.0], alpha=None).numpy() == np.float32([-0.2])
    assert raw.MatMul(a=[[2.0]], b=[[3.0]], transpose_a=None).numpy() == [[6.0]]
