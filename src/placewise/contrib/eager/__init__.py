"""Implementation of tf.contrib.eager: running ops at once in TensorFlow 1."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
