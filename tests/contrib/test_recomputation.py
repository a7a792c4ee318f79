"""`recompute_grad` of tf.contrib.layers, with variables found again; TensorFlow 1.15's numbers."""

import numpy as np

import placewise.v1 as tf


def test_a_recomputed_block_finds_its_variables_again() -> None:
    def block(x, y):
        w = tf.get_variable("w", [2, 2], initializer=tf.constant_initializer(0.5))
        return tf.tanh(tf.matmul(x, w)) * y

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, 2.0]])
        with tf.variable_scope("a"):
            y = tf.contrib.layers.recompute_grad(block)(x, x)
        (w,) = tf.trainable_variables()
        plain = tf.tanh(tf.matmul(x, w)) * x
        session.run(tf.global_variables_initializer())
        values, expected = session.run([tf.gradients(each, [x, w]) for each in (y, plain)])
    assert w.name == "a/w:0"
    for value, answer in zip(values, expected, strict=True):
        np.testing.assert_allclose(value, answer, rtol=1e-6)


def test_an_argument_given_twice_has_both_gradients() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])
        y = tf.contrib.layers.recompute_grad(lambda a, b: a * b)(x, x)
        assert session.run(tf.gradients(y, x))[0].tolist() == [2.0, 4.0]
