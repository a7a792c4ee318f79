"""Implementation of tf.contrib.losses: losses with predictions first."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
