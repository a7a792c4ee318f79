"""Implementation of tf.contrib of TensorFlow 1: what programs use of it."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
