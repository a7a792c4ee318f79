"""A network that answers with a mixture of bells, where one input has several outputs."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(30)
tf.set_random_seed(30)
MIXES, HIDDEN = 5, 20
y_data = rng.uniform(-10.5, 10.5, (400, 1)).astype("float32")
x_data = (np.sin(0.75 * y_data) * 7.0 + y_data * 0.5 + rng.normal(size=(400, 1))).astype("float32")

x = tf.placeholder(tf.float32, [None, 1])
y = tf.placeholder(tf.float32, [None, 1])
Wh = tf.Variable(tf.random_normal([1, HIDDEN], stddev=0.5))
bh = tf.Variable(tf.random_normal([1, HIDDEN], stddev=0.5))
Wo = tf.Variable(tf.random_normal([HIDDEN, MIXES * 3], stddev=0.5))
bo = tf.Variable(tf.random_normal([1, MIXES * 3], stddev=2.0))
output = tf.matmul(tf.nn.tanh(tf.matmul(x, Wh) + bh), Wo) + bo

out_pi, out_sigma, out_mu = tf.split(output, 3, 1)
out_pi = tf.exp(out_pi - tf.reduce_max(out_pi, 1, keepdims=True))
out_pi = tf.multiply(tf.reciprocal(tf.reduce_sum(out_pi, 1, keepdims=True)), out_pi)
out_sigma = tf.exp(out_sigma)
bell = tf.exp(-0.5 * tf.square((y - out_mu) / out_sigma)) / (out_sigma * np.sqrt(2 * np.pi))
loss = tf.reduce_mean(-tf.log(tf.reduce_sum(bell * out_pi, 1) + 1e-8))
train = tf.train.AdamOptimizer(0.05).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    history = [sess.run([train, loss], {x: x_data, y: y_data})[1] for _ in range(120)]
    pi, sigma, mu = sess.run([out_pi, out_sigma, out_mu], {x: np.zeros((1, 1))})
print("loss fell:", history[-1] < history[0] - 0.5)
print("parts sum to one: %.3f" % pi.sum(), "widths positive:", bool((sigma > 0).all()), mu.shape)
likely = np.sort(mu[0][pi[0] > 0.05])
print("several answers at zero:", len(likely) >= 2, "far apart:", likely[-1] - likely[0] > 3)
