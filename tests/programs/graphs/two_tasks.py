"""One trunk, two heads: trained in turns, then together, with weight decay by collection."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(32)
tf.set_random_seed(32)
x_data = rng.uniform(-1, 1, (200, 4)).astype("float32")
y1_data = (x_data[:, :1] + x_data[:, 1:2]) ** 2
y2_data = (x_data[:, 2] > x_data[:, 3]).astype("int32")

decay = tf.contrib.layers.l2_regularizer(0.001)
x = tf.placeholder(tf.float32, [None, 4], name="x")
y1 = tf.placeholder(tf.float32, [None, 1], name="y1")
y2 = tf.placeholder(tf.int32, [None], name="y2")
with tf.variable_scope("shared", regularizer=decay):
    w = tf.get_variable("w", [4, 24], initializer=tf.contrib.layers.xavier_initializer())
    b = tf.get_variable(
        "b", [24], initializer=tf.zeros_initializer(), regularizer=tf.no_regularizer
    )
    trunk = tf.nn.relu(tf.matmul(x, w) + b)
with tf.variable_scope("number"):
    number = tf.layers.dense(trunk, 1)
with tf.variable_scope("choice"):
    logits = tf.layers.dense(trunk, 2)

loss1 = tf.losses.mean_squared_error(y1, number)
loss2 = tf.losses.sparse_softmax_cross_entropy(y2, logits)
penalties = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
print("penalties:", len(penalties), "losses:", len(tf.losses.get_losses()))
joint = tf.add_n([loss1, loss2] + penalties)
train1 = tf.train.AdamOptimizer(0.02).minimize(
    loss1, var_list=tf.trainable_variables("shared|number")
)
train2 = tf.train.AdamOptimizer(0.02).minimize(
    loss2, var_list=tf.trainable_variables("shared|choice")
)
train_joint = tf.train.AdamOptimizer(0.02).minimize(joint)
right = tf.reduce_mean(tf.to_float(tf.nn.in_top_k(logits, y2, 1)))

feed = {x: x_data, y1: y1_data, y2: y2_data}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    start = sess.run([loss1, loss2], feed)
    for i in range(60):
        sess.run(train1 if i % 2 == 0 else train2, feed)
    turns = sess.run([loss1, loss2], feed)
    print("in turns, both fell:", turns[0] < start[0], turns[1] < start[1])
    for _ in range(60):
        sess.run(train_joint, feed)
    both = sess.run([loss1, loss2], feed)
    print(
        "together, further:",
        both[0] + both[1] < turns[0] + turns[1],
        "right above 0.9:",
        sess.run(right, feed) > 0.9,
    )
    print(
        "decay is part of it:",
        np.isclose(sess.run(joint, feed), sum(both) + sess.run(penalties[0]), atol=1e-5),
    )
