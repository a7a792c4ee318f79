"""Implementation of tf.contrib.learn: what programs use of it."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
