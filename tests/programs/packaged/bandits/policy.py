"""The agent: one weight a lever, raised when it pays."""

import tensorflow as tf


class Policy:
    """Chooses the lever of the largest weight."""

    def __init__(self, levers, rate=0.05):
        with tf.variable_scope("policy"):
            self.weights = tf.get_variable("weights", [levers], initializer=tf.ones_initializer())
        self.choice = tf.argmax(self.weights, 0)
        self.reward = tf.placeholder(tf.float32, [1])
        self.lever = tf.placeholder(tf.int32, [1])
        responsible = tf.slice(self.weights, self.lever, [1])
        loss = -(tf.log(responsible) * self.reward)
        self.update = tf.train.GradientDescentOptimizer(rate).minimize(loss)
