"""Implementation of tf.contrib.legacy_seq2seq: models over lists of steps."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
