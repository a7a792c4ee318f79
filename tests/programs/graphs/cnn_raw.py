"""A convolutional network from single operations, with dropout fed as a probability."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(8)
tf.set_random_seed(8)
SIDE, CLASSES, BATCH, STEPS = 12, 3, 32, 40


def pictures(count):
    """Return pictures of a cross, a square or a line, with noise, at a random place."""
    images = rng.uniform(0, 0.2, (count, SIDE, SIDE))
    kinds = rng.randint(0, CLASSES, count)
    for image, kind in zip(images, kinds):
        r, c = rng.randint(0, SIDE - 5, 2)
        if kind == 0:
            image[r + 2, c : c + 5] = image[r : r + 5, c + 2] = 1
        elif kind == 1:
            image[r : r + 5, [c, c + 4]] = image[[r, r + 4], c : c + 5] = 1
        else:
            image[r + 2, c : c + 5] = 1
    return images.reshape(count, -1), np.eye(CLASSES)[kinds]


X = tf.placeholder(tf.float32, [None, SIDE * SIDE])
Y = tf.placeholder(tf.float32, [None, CLASSES])
keep_prob = tf.placeholder(tf.float32)


def conv2d(x, W, b, strides=1):
    x = tf.nn.conv2d(x, W, strides=[1, strides, strides, 1], padding="SAME")
    return tf.nn.relu(tf.nn.bias_add(x, b))


def maxpool2d(x, k=2):
    return tf.nn.max_pool(x, ksize=[1, k, k, 1], strides=[1, k, k, 1], padding="SAME")


def conv_net(x, weights, biases, dropout):
    x = tf.reshape(x, shape=[-1, SIDE, SIDE, 1])
    conv1 = maxpool2d(conv2d(x, weights["wc1"], biases["bc1"]))
    conv2 = maxpool2d(conv2d(conv1, weights["wc2"], biases["bc2"]))
    fc1 = tf.reshape(conv2, [-1, weights["wd1"].get_shape().as_list()[0]])
    fc1 = tf.nn.relu(tf.add(tf.matmul(fc1, weights["wd1"]), biases["bd1"]))
    fc1 = tf.nn.dropout(fc1, dropout)
    return tf.add(tf.matmul(fc1, weights["out"]), biases["out"])


weights = {
    "wc1": tf.Variable(tf.random_normal([5, 5, 1, 8], stddev=0.2)),
    "wc2": tf.Variable(tf.random_normal([3, 3, 8, 16], stddev=0.1)),
    "wd1": tf.Variable(tf.random_normal([3 * 3 * 16, 32], stddev=0.1)),
    "out": tf.Variable(tf.random_normal([32, CLASSES], stddev=0.1)),
}
biases = {
    "bc1": tf.Variable(tf.zeros([8])),
    "bc2": tf.Variable(tf.zeros([16])),
    "bd1": tf.Variable(tf.zeros([32])),
    "out": tf.Variable(tf.zeros([CLASSES])),
}

logits = conv_net(X, weights, biases, keep_prob)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(logits=logits, labels=Y))
train_op = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss_op)
correct = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
print("logits", logits.shape)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(1, STEPS + 1):
        batch_x, batch_y = pictures(BATCH)
        sess.run(train_op, feed_dict={X: batch_x, Y: batch_y, keep_prob: 0.8})
    test_x, test_y = pictures(120)
    right = sess.run(accuracy, feed_dict={X: test_x, Y: test_y, keep_prob: 1.0})
    print("Testing Accuracy above 0.8:", right > 0.8)
    some = [sess.run(logits, {X: test_x[:1], keep_prob: 0.5}) for _ in range(2)]
    sure = [sess.run(logits, {X: test_x[:1], keep_prob: 1.0}) for _ in range(2)]
    print("dropout is random:", not np.allclose(*some), "and off:", np.allclose(*sure))
