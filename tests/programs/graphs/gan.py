"""A generator and a discriminator with an optimizer each, learning a bell curve."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
tf.set_random_seed(1)
NOISE, HIDDEN, BATCH = 4, 16, 64


def variables(sizes, prefix):
    made = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        made.append(
            tf.Variable(
                tf.random_normal([a, b], stddev=1.0 / np.sqrt(a / 2.0)), name=prefix + "w%d" % i
            )
        )
        made.append(tf.Variable(tf.zeros([b]), name=prefix + "b%d" % i))
    return made


gen_vars = variables([NOISE, HIDDEN, 1], "gen_")
disc_vars = variables([1, HIDDEN, 1], "disc_")


def generator(z):
    hidden = tf.nn.relu(tf.matmul(z, gen_vars[0]) + gen_vars[1])
    return tf.matmul(hidden, gen_vars[2]) + gen_vars[3]


def discriminator(x):
    hidden = tf.nn.relu(tf.matmul(x, disc_vars[0]) + disc_vars[1])
    return tf.nn.sigmoid(tf.matmul(hidden, disc_vars[2]) + disc_vars[3])


gen_input = tf.placeholder(tf.float32, shape=[None, NOISE], name="input_noise")
disc_input = tf.placeholder(tf.float32, shape=[None, 1], name="disc_input")
gen_sample = generator(gen_input)
disc_real, disc_fake = discriminator(disc_input), discriminator(gen_sample)

gen_loss = -tf.reduce_mean(tf.log(disc_fake + 1e-8))
disc_loss = -tf.reduce_mean(tf.log(disc_real + 1e-8) + tf.log(1.0 - disc_fake + 1e-8))
train_gen = tf.train.AdamOptimizer(0.005).minimize(gen_loss, var_list=gen_vars)
train_disc = tf.train.AdamOptimizer(0.005).minimize(disc_loss, var_list=disc_vars)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    z = rng.uniform(-1.0, 1.0, (500, NOISE))
    before = sess.run(gen_sample, {gen_input: z}).mean()
    frozen = sess.run(disc_vars[0])
    sess.run(train_gen, {gen_input: z})
    print("only its own variables:", np.array_equal(frozen, sess.run(disc_vars[0])))
    for _ in range(250):
        real = rng.normal(3.0, 0.5, (BATCH, 1))
        noise = rng.uniform(-1.0, 1.0, (BATCH, NOISE))
        _, _, gl, dl = sess.run(
            [train_gen, train_disc, gen_loss, disc_loss], {disc_input: real, gen_input: noise}
        )
    after = sess.run(gen_sample, {gen_input: z}).mean()
print("generator loss %.2f, discriminator loss %.2f" % (gl, dl))
print("closer to the data:", abs(after - 3.0) < abs(before - 3.0) - 1.0)
