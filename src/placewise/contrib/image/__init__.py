"""Implementation of tf.contrib.image."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
