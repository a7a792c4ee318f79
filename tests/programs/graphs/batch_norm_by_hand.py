"""Batch normalisation from single operations, compared with the layer."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(25)
DECAY, EPSILON = 0.9, 1e-3


def batch_norm(x, training, name):
    """Normalise by the batch while training, by the moving averages afterwards."""
    with tf.variable_scope(name):
        size = x.get_shape().as_list()[-1]
        scale = tf.get_variable("scale", [size], initializer=tf.ones_initializer())
        beta = tf.get_variable("beta", [size], initializer=tf.zeros_initializer())
        pop_mean = tf.get_variable(
            "pop_mean", [size], initializer=tf.zeros_initializer(), trainable=False
        )
        pop_var = tf.get_variable(
            "pop_var", [size], initializer=tf.ones_initializer(), trainable=False
        )

        def batch_statistics():
            mean, variance = tf.nn.moments(x, [0])
            keep_mean = tf.assign(pop_mean, pop_mean * DECAY + mean * (1 - DECAY))
            keep_var = tf.assign(pop_var, pop_var * DECAY + variance * (1 - DECAY))
            with tf.control_dependencies([keep_mean, keep_var]):
                return tf.nn.batch_normalization(x, mean, variance, beta, scale, EPSILON)

        def population_statistics():
            return tf.nn.batch_normalization(x, pop_mean, pop_var, beta, scale, EPSILON)

        return tf.cond(training, batch_statistics, population_statistics)


x = tf.placeholder(tf.float32, [None, 3])
training = tf.placeholder(tf.bool, [])
mine = batch_norm(x, training, "mine")
theirs = tf.layers.batch_normalization(
    x, momentum=DECAY, epsilon=EPSILON, training=training, fused=False, name="theirs"
)
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)

# The fused kernel, for pictures.
picture = tf.placeholder(tf.float32, [None, 2, 2, 3])
fused, mean, variance = tf.nn.fused_batch_norm(picture, [1.0] * 3, [0.0] * 3)
by_axis = tf.nn.moments(picture, [0, 1, 2])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(20):
        data = rng.normal([1.0, 2.0, 3.0], [1.0, 0.5, 2.0], (64, 3))
        own, other, _ = sess.run([mine, theirs, updates], {x: data, training: True})
        if i == 0:
            print(
                "normalised:",
                np.abs(np.round(own.mean(0), 2)).tolist(),
                np.round(own.std(0), 1).tolist(),
            )
            print("as the layer:", np.allclose(own, other, atol=1e-4))
    own, other = sess.run([mine, theirs], {x: data, training: False})
    print("as the layer, in use:", np.allclose(own, other, atol=1e-3))
    names = {v.op.name: v for v in tf.global_variables()}
    moved = sess.run([names["mine/pop_mean"], names["theirs/moving_mean"]])
    print("same averages:", np.allclose(*moved, atol=1e-4))
    data = rng.normal(2, 3, (8, 2, 2, 3))
    out, m, moments = sess.run([fused, mean, by_axis], {picture: data})
    print("pictures:", out.shape, np.allclose(m, moments[0], atol=1e-4), abs(out.mean()) < 1e-4)
print("to train:", [v.op.name for v in tf.trainable_variables()])
