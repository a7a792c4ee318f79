"""Margins that mirror a tensor."""

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_margins_are_numpys(mode):
    x, margins = np.arange(12).reshape(3, 4), [[2, 1], [0, 3]]
    expected = np.pad(x, margins, mode)
    assert tf.pad(x, margins, mode).numpy().tolist() == expected.tolist()
    text = np.asarray([[str(each).encode() for each in row] for row in x], object)
    padded = tf.pad(text, margins, mode).numpy()
    assert padded.tolist() == [[str(each).encode() for each in row] for row in expected]


def test_each_element_gets_the_gradients_of_its_mirrors():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        padded = tf.pad(x, [[1, 2]], "REFLECT")
        loss = tf.reduce_sum(padded * [1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0])
    assert padded.numpy().tolist() == [2.0, 1.0, 2.0, 3.0, 2.0, 1.0]
    assert tape.gradient(loss, x).numpy().tolist() == [100010.0, 10101.0, 1000.0]


def test_a_value_around_a_tensor():
    x = tf.constant([[1.0]])
    assert tf.pad(x, [[1, 0], [0, 1]], constant_values=7.0).numpy().tolist() == [
        [7.0, 7.0],
        [1.0, 7.0],
    ]


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_wide_unsigned_integers_are_mirrored(dtype):
    top = np.iinfo(dtype).max
    padded = tf.pad(np.array([1, 2, top], dtype), [[1, 2]], "REFLECT")
    assert padded.numpy().tolist() == [2, 1, 2, top, 2, 1]
