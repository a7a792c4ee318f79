"""TensorFlow 1: a small network trained by feeding a session, on a GPU with 40 % of its memory."""

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
labels = tf.placeholder(tf.float32, [None, 1])
weights = [
    tf.Variable(0.5 * np.random.RandomState(0).randn(2, 8).astype("float32"), name="w1"),
    tf.Variable(tf.zeros([8]), name="b1"),
    tf.Variable(0.5 * np.random.RandomState(1).randn(8, 1).astype("float32"), name="w2"),
    tf.Variable(tf.zeros([1]), name="b2"),
]
hidden = tf.tanh(tf.matmul(x, weights[0]) + weights[1])
logits = tf.matmul(hidden, weights[2]) + weights[3]
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

options = tf.GPUOptions(per_process_gpu_memory_fraction=0.4)
with tf.Session(config=tf.ConfigProto(gpu_options=options)) as session:
    session.run(tf.global_variables_initializer())
    data = {x: [[0, 0], [0, 1], [1, 0], [1, 1]], labels: [[0], [1], [1], [0]]}
    for number in range(1001):
        value, _ = session.run([loss, step], data)
        if number % 250 == 0:
            print("step", number, "loss", f"{value:.4f}")
    print("exclusive or:", (session.run(logits, data)[:, 0] > 0).astype(int))
