"""Diagonals and bands."""

import numpy as np
import pytest

import placewise as tf

M = np.arange(12, dtype=np.int32).reshape(3, 4)


@pytest.mark.parametrize("align", ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"])
def test_diagonals_taken_out_go_back_in(align):
    taken = tf.linalg.diag_part(M, k=(-1, 2), align=align)
    back = tf.linalg.set_diag(tf.zeros_like(M), taken, k=(-1, 2), align=align)
    np.testing.assert_array_equal(back.numpy(), np.triu(np.tril(M, 2), -1))


@pytest.mark.parametrize("k", [-2, 0, 3])
def test_one_diagonal(k):
    assert tf.linalg.diag_part(M, k=k).numpy().tolist() == np.diagonal(M, k).tolist()


@pytest.mark.parametrize("kind", ["uint16", "uint32", "uint64", "bool", "int8", "float16"])
def test_every_dtype_can_be_moved(kind):
    values = np.ones(3, kind)
    assert tf.linalg.diag(values).dtype.name == kind
    assert tf.linalg.diag_part(tf.linalg.diag(values)).numpy().tolist() == values.tolist()


def test_padding_fills_what_no_diagonal_reaches():
    found = tf.linalg.diag([1.0, 2.0], k=-1, num_rows=4, padding_value=9.0)
    assert found.numpy().tolist() == [[9, 9], [1, 9], [9, 2], [9, 9]]


def test_bands_beyond_the_matrix_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"number of rows \(3\) got: 4"):
        tf.linalg.band_part(M, 4, 0)


def test_diagonals_must_come_in_order():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must not be larger than"):
        tf.linalg.diag([1.0, 2.0], k=(1, 0))


def test_tensor_diagonal_has_twice_the_rank():
    found = tf.linalg.tensor_diag([[1, 2], [3, 4]])
    assert found.shape == (2, 2, 2, 2)
    assert tf.linalg.tensor_diag_part(found).numpy().tolist() == [[1, 2], [3, 4]]
