"""Implementation of tf.contrib.rnn: recurrent cells and networks."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
