"""Implementation of tf.contrib.crf: conditional random fields over chains."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
