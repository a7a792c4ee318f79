"""Implementation of tf.contrib.lookup: tables."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
