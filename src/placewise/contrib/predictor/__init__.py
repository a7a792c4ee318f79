"""Implementation of tf.contrib.predictor: saved models as functions of arrays."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
