"""A straight line through points, one point at a time."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(5)
LEARNING_RATE = 0.1
EPOCHS = 80
SHOW_EVERY = 20

train_x = rng.uniform(0, 4, 17)
train_y = 0.25 * train_x + 0.8 + rng.normal(0, 0.05, 17)
samples = train_x.shape[0]

X = tf.placeholder("float")
Y = tf.placeholder("float")
W = tf.Variable(rng.randn(), name="weight", dtype=tf.float32)
b = tf.Variable(rng.randn(), name="bias", dtype=tf.float32)

prediction = tf.add(tf.multiply(X, W), b)
cost = tf.reduce_sum(tf.pow(prediction - Y, 2)) / (2 * samples)
optimizer = tf.train.GradientDescentOptimizer(LEARNING_RATE).minimize(cost)
init = tf.global_variables_initializer()

with tf.Session() as sess:
    sess.run(init)
    before = sess.run(cost, feed_dict={X: train_x, Y: train_y})
    for epoch in range(EPOCHS):
        for x, y in zip(train_x, train_y):
            sess.run(optimizer, feed_dict={X: x, Y: y})
        if (epoch + 1) % SHOW_EVERY == 0:
            c = sess.run(cost, feed_dict={X: train_x, Y: train_y})
            print("Epoch:", "%04d" % (epoch + 1), "cost=", f"{c:.6f}")

    training_cost = sess.run(cost, feed_dict={X: train_x, Y: train_y})
    weight, bias = sess.run([W, b])
    print("cost fell", before > 10 * training_cost)
    print("slope near 0.25:", abs(weight - 0.25) < 0.06, "offset near 0.8:", abs(bias - 0.8) < 0.4)
    test_x = np.asarray([1.0, 4.0, 9.0])
    test_cost = sess.run(
        tf.reduce_sum(tf.pow(prediction - Y, 2)) / (2 * test_x.shape[0]),
        feed_dict={X: test_x, Y: 0.25 * test_x + 0.8},
    )
    print("test cost small:", test_cost < 0.05)
