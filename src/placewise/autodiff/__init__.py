"""Gradients of what was computed: tapes, graphs, forward mode, Jacobians."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
