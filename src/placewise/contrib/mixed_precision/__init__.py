"""Implementation of tf.contrib.mixed_precision."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
