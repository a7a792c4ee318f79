"""Ops of earlier versions of TensorFlow that programs still reach."""

import numpy as np
import pytest

import placewise as tf


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.uint64, np.int32, np.float32])
def test_rows_change_in_place_for_every_dtype(dtype):
    x, v = np.ones([3], dtype), np.array([2], dtype)
    assert tf.raw_ops.InplaceAdd(x=x, i=[1], v=v).numpy().tolist() == [1, 3, 1]
    assert tf.raw_ops.InplaceSub(x=v, i=[0], v=x[:1]).numpy().tolist() == [1]
    assert tf.raw_ops.InplaceUpdate(x=x, i=[-1], v=v).numpy().tolist() == [1, 1, 2]
