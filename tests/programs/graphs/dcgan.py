"""A convolutional GAN with shared variable scopes and batch normalisation updates."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(6)
tf.set_random_seed(6)
NOISE = 10


def generator(x, reuse=False):
    with tf.variable_scope("Generator", reuse=reuse):
        x = tf.layers.dense(x, 4 * 4 * 16)
        x = tf.layers.batch_normalization(x, training=is_training)
        x = tf.nn.relu(x)
        x = tf.reshape(x, shape=[-1, 4, 4, 16])
        x = tf.layers.conv2d_transpose(x, 8, 5, strides=2, padding="same")
        x = tf.layers.batch_normalization(x, training=is_training)
        x = tf.nn.relu(x)
        x = tf.layers.conv2d_transpose(x, 1, 5, strides=2, padding="same")
        return tf.nn.tanh(x)


def discriminator(x, reuse=False):
    with tf.variable_scope("Discriminator", reuse=reuse):
        x = tf.layers.conv2d(x, 8, 5, strides=2, padding="same")
        x = tf.nn.leaky_relu(x, 0.2)
        x = tf.layers.conv2d(x, 16, 5, strides=2, padding="same")
        x = tf.layers.batch_normalization(x, training=is_training)
        x = tf.layers.flatten(tf.nn.leaky_relu(x, 0.2))
        return tf.layers.dense(x, 2)


noise_input = tf.placeholder(tf.float32, shape=[None, NOISE])
real_input = tf.placeholder(tf.float32, shape=[None, 16, 16, 1])
is_training = tf.placeholder(tf.bool)

with tf.device("/gpu:0"):
    samples = generator(noise_input)
    disc_real = discriminator(real_input)
    disc_fake = discriminator(samples, reuse=True)


def cross_entropy(logits, label):
    labels = tf.fill([tf.shape(logits)[0]], label)
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels)
    )


disc_loss = cross_entropy(disc_real, 1) + cross_entropy(disc_fake, 0)
gen_loss = cross_entropy(disc_fake, 1)

gen_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Generator")
disc_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Discriminator")
gen_updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope="Generator")
disc_updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS, scope="Discriminator")
with tf.control_dependencies(gen_updates):
    train_gen = tf.train.AdamOptimizer(0.002, 0.5).minimize(gen_loss, var_list=gen_vars)
with tf.control_dependencies(disc_updates):
    train_disc = tf.train.AdamOptimizer(0.002, 0.5).minimize(disc_loss, var_list=disc_vars)

print("generator:", [v.op.name for v in gen_vars])
print("updates:", len(gen_updates), "and", len(disc_updates))

grid = np.linspace(-1, 1, 16)
disc = (grid[:, None] ** 2 + grid[None] ** 2 < 0.4).astype("float32") * 2 - 1
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    losses = []
    for _ in range(12):
        pictures = np.clip(disc + rng.normal(0, 0.1, (16, 16, 16)), -1, 1)[..., None]
        z = rng.uniform(-1, 1, (16, NOISE))
        _, dl = sess.run(
            [train_disc, disc_loss], {real_input: pictures, noise_input: z, is_training: True}
        )
        _, gl = sess.run([train_gen, gen_loss], {noise_input: z, is_training: True})
        losses.append((dl, gl))
    moving = tf.global_variables("Generator/batch_normalization/moving_variance")[0]
    print("moving variance moved:", not np.allclose(sess.run(moving), 1.0))
    drawn = sess.run(samples, {noise_input: rng.uniform(-1, 1, (4, NOISE)), is_training: False})
print("drawn", drawn.shape, "finite", bool(np.isfinite(drawn).all()))
print("discriminator learnt:", losses[-1][0] < losses[0][0])
