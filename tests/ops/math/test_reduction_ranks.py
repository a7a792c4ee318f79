"""Reductions of tensors whose rank is not known until they run."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min"])
def test_all_axes_of_an_unknown_rank_give_a_scalar(name):
    x = tf.placeholder(tf.float32)
    y = getattr(tf, name)(x)
    assert y.shape.as_list() == []
    assert getattr(tf, name)(x, keepdims=True).shape.rank is None
    with tf.Session() as session:
        assert session.run(y, {x: np.full((2, 3), 1.0)}) == (6.0 if name == "reduce_sum" else 1.0)
