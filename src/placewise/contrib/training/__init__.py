"""Implementation of tf.contrib.training: settings, training steps, evaluation."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
