"""What several operations of a graph become as one call."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((2, 3), (2, 3)),
        ((1, 3), (2, 3)),
        ((2, 1), (1, 3)),
        ((3,), (2, 3)),
        ((2, 3), ()),
        ((1, 1), (4, 1)),
    ],
)
def test_a_gradient_is_summed_back_over_what_was_broadcast(a, b):
    x = tf.placeholder(tf.float32, [None] * len(a))
    y = tf.placeholder(tf.float32, [None] * len(b))
    found = tf.gradients(x * y, [x, y])
    random = np.random.RandomState(0)
    one, other = random.standard_normal(a), random.standard_normal(b)
    one, other = np.asarray(one, "f"), np.asarray(other, "f")
    with tf.Session() as session:
        source = session.source(found, [x, y])
        values = session.run(found, {x: one, y: other})
    assert "BroadcastGradientArgs" not in source
    whole = np.broadcast_shapes(a, b)
    for value, mine, theirs in zip(values, (one, other), (other, one), strict=True):
        expected = np.broadcast_to(theirs, whole)
        extra = len(whole) - mine.ndim
        expected = expected.sum(tuple(range(extra)))
        axes = tuple(i for i, d in enumerate(mine.shape) if d == 1)
        np.testing.assert_allclose(
            value, expected.sum(axes, keepdims=True).reshape(mine.shape), rtol=1e-4, atol=1e-6
        )
