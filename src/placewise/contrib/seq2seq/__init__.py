"""Implementation of tf.contrib.seq2seq: decoders of sequences, attention, their loss."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
