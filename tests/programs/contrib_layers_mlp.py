"""Exclusive or with tf.contrib.layers: dense layers, optimize_loss, weights restored by name."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.layers import fully_connected, l2_regularizer, xavier_initializer

tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 1])
with tf.contrib.framework.arg_scope(
    [fully_connected],
    weights_initializer=xavier_initializer(seed=5),
    weights_regularizer=l2_regularizer(1e-5),
):
    hidden = fully_connected(x, 16, activation_fn=tf.nn.tanh, scope="hidden")
    logits = fully_connected(hidden, 1, activation_fn=None, scope="logits")
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
step = tf.contrib.framework.get_or_create_global_step()
train = tf.contrib.layers.optimize_loss(
    loss, step, learning_rate=0.1, optimizer="Adam", clip_gradients=5.0
)
inputs = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
wanted = np.array([[0], [1], [1], [0]], np.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(120):
        value = sess.run(train, {x: inputs, y: wanted})
    answers = sess.run(tf.sigmoid(logits), {x: inputs})
    print("steps", sess.run(step))
print("exclusive or:", np.round(answers.ravel()).astype(int))
print([v.op.name for v in tf.contrib.framework.get_model_variables()])
