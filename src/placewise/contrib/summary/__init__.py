"""Implementation of tf.contrib.summary: summaries that write themselves, before TensorFlow 2."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
