"""Losses join collections, and weights that do not fit are refused when the graph runs."""

import numpy as np
import pytest

import placewise.compat.v1 as tf
from placewise.core.errors import InvalidArgumentError

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_a_loss_joins_the_collection_asked_for() -> None:
    x = tf.placeholder(tf.float32, [2])
    first = tf.losses.mean_squared_error(x, x)
    with tf.name_scope("other"):
        second = tf.losses.absolute_difference(x, x)
    tf.losses.hinge_loss(x, x, loss_collection=None)
    third = tf.losses.log_loss(x, x, loss_collection="mine")
    tf.losses.add_loss(x, "mine")
    assert tf.losses.get_losses() == [first, second]
    assert tf.losses.get_losses("other") == [second]
    assert tf.losses.get_losses(loss_collection="mine") == [third, x]


def test_without_regularizers_their_loss_is_zero() -> None:
    with tf.Session() as session:
        assert session.run(tf.losses.get_regularization_loss()) == 0.0


def test_the_dtype_of_the_losses_is_kept() -> None:
    halves = tf.constant([1.0, 2.0], tf.float16)
    assert tf.losses.compute_weighted_loss(halves, [1.0, 3.0]).dtype is tf.float16


def test_weights_that_do_not_fit_are_refused_when_the_graph_runs() -> None:
    x = tf.placeholder(tf.float32, [None, 3])
    weights = tf.placeholder(tf.float32, [None, 1])
    loss = tf.losses.mean_squared_error(x, x, weights)
    with tf.Session() as session:
        feed = {x: np.ones((2, 3)), weights: np.ones((2, 1))}
        assert session.run(loss, feed) == 0.0
        feed[weights] = np.ones((4, 1))
        with pytest.raises(InvalidArgumentError, match="weights can not be broadcast to values"):
            session.run(loss, feed)


def test_no_label_and_no_weight_give_zero_not_nan() -> None:
    x = tf.placeholder(tf.float32, [None])
    loss = tf.losses.mean_squared_error(x, x)
    with tf.Session() as session:
        assert session.run(loss, {x: []}) == 0.0
