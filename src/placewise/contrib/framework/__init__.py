"""Implementation of tf.contrib.framework: argument scopes, variables, checkpoints."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
