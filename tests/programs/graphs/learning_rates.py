"""Rates that change with the global step, and how the steps follow them."""

import numpy as np
import tensorflow as tf

step = tf.train.get_or_create_global_step()
rates = {
    "exponential": tf.train.exponential_decay(0.1, step, 10, 0.5),
    "staircase": tf.train.exponential_decay(0.1, step, 10, 0.5, staircase=True),
    "piecewise": tf.train.piecewise_constant(step, [5, 15], [0.3, 0.2, 0.1]),
    "polynomial": tf.train.polynomial_decay(0.1, step, 20, 0.01, power=2.0),
    "natural": tf.train.natural_exp_decay(0.1, step, 10, 0.5),
    "inverse": tf.train.inverse_time_decay(0.1, step, 10, 0.5),
    "cosine": tf.train.cosine_decay(0.1, step, 20),
    "restarts": tf.train.cosine_decay_restarts(0.1, step, 5),
}
warm = tf.cond(step < 4, lambda: 0.025 * tf.cast(step + 1, tf.float32), lambda: tf.constant(0.1))

w = tf.Variable([4.0, -2.0])
loss = tf.reduce_sum(tf.square(w))
train = tf.train.GradientDescentOptimizer(rates["staircase"]).minimize(loss, global_step=step)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    table = {name: [] for name in rates}
    warmup, moved = [], []
    for _ in range(21):
        for name, value in sess.run(rates).items():
            table[name].append(value)
        warmup.append(sess.run(warm))
        before = sess.run(w)
        sess.run(train)
        moved.append(float(np.linalg.norm(before - sess.run(w)) / np.linalg.norm(2 * before)))
    for name in sorted(table):
        print(name.ljust(12), " ".join("%.4f" % table[name][i] for i in (0, 5, 10, 15, 20)))
    print("warm-up:", " ".join("%.3f" % v for v in warmup[:6]))
    print("steps follow the rate:", np.allclose(moved, table["staircase"], rtol=1e-3))
    print("global step:", tf.train.global_step(sess, step))
