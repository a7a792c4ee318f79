"""Gradients taken apart: clipped, stopped, replaced, summed over batches, of second order."""

import numpy as np
import tensorflow as tf

w = tf.Variable([3.0, 4.0], name="w")
scale = tf.placeholder_with_default(1.0, [])
loss = tf.reduce_sum(tf.square(w)) * scale
optimizer = tf.train.GradientDescentOptimizer(1.0)

# Clipped to a norm, by value, and by the norm of all together.
pairs = optimizer.compute_gradients(loss)
by_norm = tf.clip_by_norm(pairs[0][0], 1.0)
by_value = tf.clip_by_value(pairs[0][0], -7.0, 7.0)
together, norm = tf.clip_by_global_norm([pairs[0][0], tf.constant([0.0])], 5.0)

# Through one path only.
half = tf.gradients(w * tf.stop_gradient(w), w)[0]
# Of second order, and a product of the Hessian with a vector.
cube = tf.reduce_sum(w**3)
first = tf.gradients(cube, w)[0]
second = tf.gradients(first, w)[0]
hessian = tf.hessians(tf.reduce_prod(w), w)[0]
product = tf.gradients(tf.reduce_sum(first * tf.constant([1.0, 0.0])), w)[0]


# A gradient of one's own: rounding that lets gradients through.
@tf.RegisterGradient("StraightThrough")
def _straight(op, grad):
    return grad * 10


with tf.get_default_graph().gradient_override_map({"Round": "StraightThrough"}):
    rounded = tf.round(w * 0.3)
straight = tf.gradients(rounded, w)[0]


@tf.custom_gradient
def safe_log(x):
    y = tf.log(1 + tf.exp(x))

    def grad(dy):
        return dy * (1 - 1 / (1 + tf.exp(x)))

    return y, grad


big = tf.constant(100.0)
tamed = tf.gradients(safe_log(big), big)[0]
wild = tf.gradients(tf.log(1 + tf.exp(big)), big)[0]

# Summed over several batches, then applied once.
total = tf.Variable(tf.zeros([2]), trainable=False)
accumulate = total.assign_add(pairs[0][0])
apply = optimizer.apply_gradients([(total / 3.0, w)])
with tf.control_dependencies([apply]):
    finish = total.assign(tf.zeros([2]))

none = tf.gradients(tf.constant(1.0) * 2, w)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("gradient", sess.run(pairs[0][0]).tolist(), "norm", sess.run(norm))
    print(
        "clipped",
        np.round(sess.run(by_norm), 3).tolist(),
        sess.run(by_value).tolist(),
        sess.run(together)[0].tolist(),
    )
    print(
        "half",
        sess.run(half).tolist(),
        "second",
        sess.run(second).tolist(),
        "product",
        sess.run(product).tolist(),
    )
    print("hessian", sess.run(hessian).tolist())
    print("straight", np.round(sess.run(straight), 3).tolist(), "not connected:", none)
    print("tamed", sess.run(tamed), "wild", sess.run(wild))
    for s in (0.1, 0.2, 0.3):
        sess.run(accumulate, {scale: s})
    sess.run(finish)
    print("after three batches", np.round(sess.run(w), 3).tolist(), sess.run(total).tolist())
