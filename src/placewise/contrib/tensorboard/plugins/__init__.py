"""Implementation of tf.contrib.tensorboard.plugins."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
