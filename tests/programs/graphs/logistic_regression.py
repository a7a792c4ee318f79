"""Softmax regression on pictures of two bars, in batches."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
CLASSES, SIDE = 4, 6
EPOCHS, BATCH = 6, 32


def pictures(count):
    """Return noisy pictures with one bright row, and which row as one-hot labels."""
    rows = rng.randint(0, CLASSES, count)
    images = rng.uniform(0, 0.4, (count, SIDE, SIDE))
    images[np.arange(count), rows] += 0.6
    return images.reshape(count, SIDE * SIDE).astype("float32"), np.eye(CLASSES)[rows]


train_images, train_labels = pictures(512)
test_images, test_labels = pictures(128)

x = tf.placeholder(tf.float32, [None, SIDE * SIDE])
y = tf.placeholder(tf.float32, [None, CLASSES])
W = tf.Variable(tf.zeros([SIDE * SIDE, CLASSES]))
b = tf.Variable(tf.zeros([CLASSES]))

pred = tf.nn.softmax(tf.matmul(x, W) + b)
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
train = tf.train.GradientDescentOptimizer(0.5).minimize(cost)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    batches = len(train_images) // BATCH
    for epoch in range(EPOCHS):
        average = 0.0
        order = rng.permutation(len(train_images))
        for i in range(batches):
            chosen = order[i * BATCH : (i + 1) * BATCH]
            _, c = sess.run(
                [train, cost], feed_dict={x: train_images[chosen], y: train_labels[chosen]}
            )
            average += c / batches
        if epoch == 0:
            first = average
        print("Epoch:", "%02d" % (epoch + 1), "cost=", f"{average:.4f}")
    print("cost fell:", average < first)
    correct = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
    print("Accuracy above 0.95:", accuracy.eval({x: test_images, y: test_labels}) > 0.95)
