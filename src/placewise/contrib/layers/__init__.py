"""Implementation of tf.contrib.layers: layers as functions, regularizers, initializers."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
