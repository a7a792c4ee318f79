"""A Gaussian process by Cholesky factors; its kernel's width fitted by the likelihood."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(27)
train_x = np.sort(rng.uniform(-3, 3, 25))
train_y = np.sin(train_x) + rng.normal(0, 0.1, 25)
test_x = np.linspace(-2.5, 2.5, 11)

x = tf.constant(train_x, tf.float64)
y = tf.constant(train_y[:, None], tf.float64)
new = tf.constant(test_x, tf.float64)
log_width = tf.Variable(-1.5, dtype=tf.float64)
log_noise = tf.Variable(-1.0, dtype=tf.float64)


def kernel(a, b):
    distance = tf.square(a[:, None] - b[None, :])
    return tf.exp(-0.5 * distance * tf.exp(-2 * log_width))


K = kernel(x, x) + tf.exp(2 * log_noise) * tf.eye(25, dtype=tf.float64)
L = tf.cholesky(K)
alpha = tf.cholesky_solve(L, y)
likelihood = (
    -0.5 * tf.reduce_sum(y * alpha)
    - tf.reduce_sum(tf.log(tf.matrix_diag_part(L)))
    - 0.5 * 25 * np.log(2 * np.pi)
)
train = tf.train.AdamOptimizer(0.1).minimize(-likelihood)

across = kernel(new, x)
mean = tf.matmul(across, alpha)
v = tf.matrix_triangular_solve(L, tf.transpose(across), lower=True)
variance = 1.0 - tf.reduce_sum(tf.square(v), 0)
sample = mean + tf.matmul(
    tf.cholesky(
        kernel(new, new) - tf.matmul(v, v, transpose_a=True) + 1e-6 * tf.eye(11, dtype=tf.float64)
    ),
    tf.random_normal([11, 3], dtype=tf.float64, seed=1),
)
determinant = tf.linalg.logdet(K)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    before = sess.run(likelihood)
    for _ in range(40):
        sess.run(train)
    after, m, s, drawn = sess.run([likelihood, mean, variance, sample])
    print("likelihood rose:", after > before)
    print("noise found: %.1f" % sess.run(tf.exp(log_noise)))
    print("largest error below 0.2:", np.abs(m[:, 0] - np.sin(test_x)).max() < 0.2)
    print("sure of itself:", (s > 0).all() and s.max() < 0.1, "samples", drawn.shape)
    own = 2 * np.log(np.diag(sess.run(L))).sum()
    print("determinant both ways:", np.isclose(sess.run(determinant), own))
    print(
        "against NumPy:",
        np.allclose(sess.run(alpha), np.linalg.solve(sess.run(K), train_y[:, None])),
    )
