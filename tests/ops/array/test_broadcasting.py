"""Broadcasting to a shape: what is refused, in whose words."""

import pytest

import placewise as tf


def test_a_shape_that_broadcasts_but_is_not_the_result_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to broadcast tensor of shape"):
        tf.broadcast_to([1, 2], [2, 1])


def test_a_graph_says_which_rank_is_too_large() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="at most rank 1 but is rank 2"):
        tf.broadcast_to([[1, 2]], [2])
