"""Two inputs, one set of weights: learns which pairs are of a kind."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(31)
tf.set_random_seed(31)
centres = rng.normal(size=(6, 12))


def pairs(count, kinds):
    a = rng.choice(kinds, count)
    b = np.where(rng.rand(count) < 0.5, a, rng.choice(kinds, count))
    noise = rng.normal(0, 0.3, (2, count, 12))
    return centres[a] + noise[0], centres[b] + noise[1], (a == b).astype("float32")


def embed(x, reuse=None):
    with tf.variable_scope("siamese", reuse=reuse) as scope:
        hidden = tf.layers.dense(x, 16, tf.nn.relu, name="hidden")
        if reuse:
            print("reused in", scope.name)
        return tf.layers.dense(hidden, 2, name="out")


left = tf.placeholder(tf.float32, [None, 12])
right = tf.placeholder(tf.float32, [None, 12])
same = tf.placeholder(tf.float32, [None])
one, two = embed(left), embed(right, reuse=True)
distance = tf.sqrt(tf.reduce_sum(tf.square(one - two), 1) + 1e-6)
margin = 2.0
loss = tf.reduce_mean(
    same * tf.square(distance) + (1 - same) * tf.square(tf.maximum(margin - distance, 0.0))
)
train = tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True).minimize(loss)
print("variables:", len(tf.trainable_variables()), "shared")
twice = tf.gradients(loss, tf.trainable_variables()[0])[0]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(100):
        a, b, s = pairs(64, range(6))
        sess.run(train, {left: a, right: b, same: s})
    a, b, s = pairs(300, range(6))
    apart = sess.run(distance, {left: a, right: b})
    print("like pairs are nearer:", apart[s == 1].mean() < 0.5 * apart[s == 0].mean())
    print("told apart: above 0.85:", ((apart < 1.0) == (s == 1)).mean() > 0.85)
    print("gradient through both:", sess.run(twice, {left: a, right: b, same: s}).shape)
