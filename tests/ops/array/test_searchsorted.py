"""Positions in sorted rows."""

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize(
    "kind", [np.uint16, np.uint32, np.uint64, np.float16, tf.bfloat16.as_numpy_dtype]
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_dtypes_in_which_torch_does_not_search(kind, side):
    known, wanted = np.asarray([1, 3, 3, 7]).astype(kind), np.asarray([0, 3, 8]).astype(kind)
    found = tf.searchsorted(known, wanted, side)
    assert found.numpy().tolist() == np.searchsorted([1, 3, 3, 7], [0, 3, 8], side).tolist()


def test_unsigned_numbers_beyond_the_signed_ones():
    known = np.asarray([1, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    found = tf.searchsorted(known, np.asarray([2**63, 5], np.uint64))
    assert found.numpy().tolist() == [2, 1]


@pytest.mark.parametrize("search", [tf.raw_ops.LowerBound, tf.raw_ops.UpperBound])
def test_graphs_refuse_values_that_are_no_matrix_when_built(search):
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be rank 2 but is rank 3"):
        search(sorted_inputs=tf.zeros([2, 3]), values=tf.zeros([2, 1, 0]))
