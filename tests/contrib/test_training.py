"""tf.contrib.training and slim.learning: gradients, training steps and the loop around them."""

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")
training = tf.contrib.training
slim = tf.contrib.slim


def value(tensor):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensor)


def test_norms_are_clipped_for_dense_and_sparse_gradients():
    variable = tf.Variable([0.0, 0.0], name="v")
    sparse = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]))
    clipped = slim.learning.clip_gradient_norms(
        [(tf.constant([3.0, 4.0]), variable), (sparse, variable), (None, variable)], 1.0
    )
    np.testing.assert_allclose(value(clipped[0][0]), [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(value(clipped[1][0].values), [[0.6, 0.8]], rtol=1e-6)
    assert clipped[2] == (None, variable)


def test_gradients_are_multiplied_by_variable_or_name():
    v, w = tf.Variable([0.0], name="v"), tf.Variable([0.0], name="w")
    pairs = [(tf.constant([1.0]), v), (tf.constant([1.0]), w)]
    multiplied = training.multiply_gradients(pairs, {v: 2.0, "w": 3.0})
    assert [value(gradient).tolist() for gradient, _ in multiplied] == [[2.0], [3.0]]
    with pytest.raises(ValueError, match="Requested multiple of `None` gradient"):
        training.multiply_gradients([(None, v)], {v: 2.0})


def loss():
    return tf.reduce_sum(tf.square(tf.get_variable("w", [2])))


def test_a_train_op_is_made_of_trainable_variables_only():
    fixed = tf.Variable(1.0, trainable=False)
    with pytest.raises(ValueError, match="is not a trainable variable"):
        training.create_train_op(
            loss(), tf.train.GradientDescentOptimizer(0.1), variables_to_train=[fixed]
        )


def test_training_without_a_folder_must_not_save():
    with pytest.raises(ValueError, match="logdir cannot be None when save_summaries_steps is not"):
        training.train(tf.no_op(), None)


def test_slim_calls_a_step_function_by_position_until_it_asks_to_stop(tmp_path):
    train_op = slim.learning.create_train_op(loss(), tf.train.GradientDescentOptimizer(0.1))
    calls = []

    def step(session, *rest):
        calls.append(len(rest))
        total, should_stop = slim.learning.train_step(session, *rest)
        return total, should_stop or len(calls) == 3

    # Without the thread that saves beside the steps: its checkpoint could come last.
    last = slim.learning.train(
        train_op, str(tmp_path), train_step_fn=step, number_of_steps=10, save_interval_secs=0
    )
    assert calls == [3, 3, 3] and last >= 0.0
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-3")


def test_slim_refuses_what_needs_a_folder_without_one():
    train_op = slim.learning.create_train_op(loss(), tf.train.GradientDescentOptimizer(0.1))
    with pytest.raises(ValueError, match="Cannot provide trace_every_n_steps because logdir=None"):
        slim.learning.train(train_op, None, trace_every_n_steps=1)
    with pytest.raises(ValueError, match="must be either None or a positive number"):
        slim.learning.train(train_op, None, number_of_steps=0)
