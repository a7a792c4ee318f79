"""Reads pictures row by row with an LSTM unrolled in Python."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

rng = np.random.RandomState(10)
tf.set_random_seed(10)
TIMESTEPS, N_INPUT, HIDDEN, CLASSES, BATCH = 6, 6, 16, 2, 32


def batch():
    """Return pictures whose bright row is in the upper (0) or lower half (1)."""
    rows = rng.randint(0, TIMESTEPS, BATCH)
    images = rng.uniform(0, 0.3, (BATCH, TIMESTEPS, N_INPUT))
    images[np.arange(BATCH), rows] += 1
    return images, np.eye(CLASSES)[(rows >= TIMESTEPS // 2).astype(int)]


X = tf.placeholder("float", [None, TIMESTEPS, N_INPUT])
Y = tf.placeholder("float", [None, CLASSES])
weights = {"out": tf.Variable(tf.random_normal([HIDDEN, CLASSES]))}
biases = {"out": tf.Variable(tf.random_normal([CLASSES]))}


def RNN(x, weights, biases):
    x = tf.unstack(x, TIMESTEPS, 1)
    lstm_cell = rnn.BasicLSTMCell(HIDDEN, forget_bias=1.0)
    outputs, states = rnn.static_rnn(lstm_cell, x, dtype=tf.float32)
    print("outputs:", len(outputs), "state:", type(states).__name__)
    return tf.matmul(outputs[-1], weights["out"]) + biases["out"]


logits = RNN(X, weights, biases)
prediction = tf.nn.softmax(logits)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
optimizer = tf.train.AdamOptimizer(learning_rate=0.02)
train_op = optimizer.minimize(loss_op)
correct = tf.equal(tf.argmax(prediction, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

print([v.name for v in tf.trainable_variables()][-2:])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, 61):
        batch_x, batch_y = batch()
        sess.run(train_op, feed_dict={X: batch_x, Y: batch_y})
    batch_x, batch_y = batch()
    print("Accuracy above 0.9:", sess.run(accuracy, feed_dict={X: batch_x, Y: batch_y}) > 0.9)
