"""Squeezes pictures through a narrow layer and out again."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
tf.set_random_seed(4)
N_INPUT, N_HIDDEN_1, N_HIDDEN_2 = 36, 24, 6

basis = rng.uniform(0, 1, (4, N_INPUT))


def next_batch(count):
    mix = rng.dirichlet(np.ones(4), count)
    return (mix @ basis).astype("float32")


X = tf.placeholder("float", [None, N_INPUT])
weights = {
    "encoder_h1": tf.Variable(tf.random_normal([N_INPUT, N_HIDDEN_1], stddev=0.3)),
    "encoder_h2": tf.Variable(tf.random_normal([N_HIDDEN_1, N_HIDDEN_2], stddev=0.3)),
    "decoder_h1": tf.Variable(tf.random_normal([N_HIDDEN_2, N_HIDDEN_1], stddev=0.3)),
    "decoder_h2": tf.Variable(tf.random_normal([N_HIDDEN_1, N_INPUT], stddev=0.3)),
}
biases = {
    "encoder_b1": tf.Variable(tf.zeros([N_HIDDEN_1])),
    "encoder_b2": tf.Variable(tf.zeros([N_HIDDEN_2])),
    "decoder_b1": tf.Variable(tf.zeros([N_HIDDEN_1])),
    "decoder_b2": tf.Variable(tf.zeros([N_INPUT])),
}


def encoder(x):
    layer_1 = tf.nn.sigmoid(tf.add(tf.matmul(x, weights["encoder_h1"]), biases["encoder_b1"]))
    return tf.nn.sigmoid(tf.add(tf.matmul(layer_1, weights["encoder_h2"]), biases["encoder_b2"]))


def decoder(x):
    layer_1 = tf.nn.sigmoid(tf.add(tf.matmul(x, weights["decoder_h1"]), biases["decoder_b1"]))
    return tf.nn.sigmoid(tf.add(tf.matmul(layer_1, weights["decoder_h2"]), biases["decoder_b2"]))


code = encoder(X)
y_pred = decoder(code)
loss = tf.reduce_mean(tf.pow(X - y_pred, 2))
optimizer = tf.train.RMSPropOptimizer(0.01).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(1, 201):
        _, value = sess.run([optimizer, loss], feed_dict={X: next_batch(64)})
        if i == 1 or i % 100 == 0:
            print("Step %i: Minibatch Loss: %f" % (i, value))
        if i == 1:
            first = value
    narrow, back = sess.run([code, y_pred], {X: next_batch(5)})
print("loss fell fourfold:", value < first / 4)
print("code", narrow.shape, "picture", back.shape)
