"""Probability distributions of TensorFlow 1: `tf.distributions`, and more for `tf.contrib`."""
