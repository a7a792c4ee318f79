"""A variational autoencoder: a code with a known distribution, and new samples from it."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
tf.set_random_seed(0)
SIZE, HIDDEN, LATENT = 16, 32, 2


def bumps(count):
    """Return curves with one bump somewhere, between 0 and 1."""
    where = rng.uniform(2, SIZE - 3, (count, 1))
    return np.exp(-0.5 * (np.arange(SIZE)[None] - where) ** 2 / 4).astype("float32")


def glorot(shape):
    return tf.random_normal(shape=shape, stddev=1.0 / tf.sqrt(shape[0] / 2.0))


weights = {
    "encode": tf.Variable(glorot([SIZE, HIDDEN])),
    "mean": tf.Variable(glorot([HIDDEN, LATENT])),
    "std": tf.Variable(glorot([HIDDEN, LATENT])),
    "decode": tf.Variable(glorot([LATENT, HIDDEN])),
    "out": tf.Variable(glorot([HIDDEN, SIZE])),
}
biases = {name: tf.Variable(tf.zeros([int(w.shape[1])])) for name, w in weights.items()}


def dense(x, name):
    return tf.matmul(x, weights[name]) + biases[name]


def decode(z):
    return tf.nn.sigmoid(dense(tf.nn.tanh(dense(z, "decode")), "out"))


image = tf.placeholder(tf.float32, shape=[None, SIZE])
hidden = tf.nn.tanh(dense(image, "encode"))
z_mean, z_log_var = dense(hidden, "mean"), dense(hidden, "std")
eps = tf.random_normal(tf.shape(z_log_var), dtype=tf.float32, mean=0.0, stddev=1.0, name="epsilon")
z = z_mean + tf.exp(z_log_var / 2) * eps
drawn = decode(z)

reconstruction = -tf.reduce_sum(
    image * tf.log(1e-10 + drawn) + (1 - image) * tf.log(1e-10 + 1 - drawn), 1
)
divergence = -0.5 * tf.reduce_sum(1 + z_log_var - tf.square(z_mean) - tf.exp(z_log_var), 1)
loss_op = tf.reduce_mean(reconstruction + 0.1 * divergence)
train_op = tf.train.RMSPropOptimizer(learning_rate=0.005).minimize(loss_op)

noise_input = tf.placeholder(tf.float32, shape=[None, LATENT])
generated = decode(noise_input)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = [sess.run([train_op, loss_op], {image: bumps(64)})[1] for _ in range(150)]
    print("loss fell:", np.mean(losses[-20:]) < 0.8 * np.mean(losses[:20]))
    pictures = sess.run(generated, {noise_input: rng.normal(size=(8, LATENT))})
    print("new curves", pictures.shape, "in range", pictures.min() >= 0 and pictures.max() <= 1)
    two = sess.run(z, {image: np.repeat(bumps(1), 2, axis=0)})
    print("two samples of one input differ:", bool(np.any(two[0] != two[1])))
