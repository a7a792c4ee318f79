"""TRFL: losses of Q-learning and of policy gradients, and a table trained with them."""

import numpy as np
import tensorflow as tf
import trfl

q = tf.constant([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]])
actions, rewards, discounts = tf.constant([0, 2]), tf.constant([1.0, -0.5]), tf.constant([0.9, 0.5])
after = tf.constant([[0.5, 1.5, 1.0], [2.0, 0.0, 1.0]])
print("q", np.round(trfl.qlearning(q, actions, rewards, discounts, after).loss.numpy(), 4).tolist())
print(
    "double",
    np.round(
        trfl.double_qlearning(q, actions, rewards, discounts, after, after[:, ::-1]).loss.numpy(), 4
    ).tolist(),
)
print(
    "sarsa",
    np.round(
        trfl.sarsa(q, actions, rewards, discounts, after, tf.constant([1, 1])).loss.numpy(), 4
    ).tolist(),
)
steps = tf.reshape(tf.linspace(0.0, 1.0, 6), [3, 2])
lam = trfl.td_lambda(steps, steps + 1.0, 0.9 * tf.ones([3, 2]), tf.constant([0.5, 0.7]), 0.8)
print("lambda", np.round(lam.loss.numpy(), 4).tolist())

table = tf.Variable(tf.zeros([2, 3]))
losses = []
for _ in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(trfl.qlearning(table, actions, rewards, discounts, after).loss)
    table.assign_sub(0.5 * tape.gradient(loss, table))
    losses.append(round(float(loss), 4))
print("losses", losses)
print("table", np.round(table.numpy(), 4).tolist())
