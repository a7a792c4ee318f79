"""Implementation of tf.contrib.opt: further optimizers."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
