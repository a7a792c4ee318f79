"""Implementation of tf.contrib.metrics: the metrics of tf.metrics, predictions first."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
