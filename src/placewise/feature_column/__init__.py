"""Columns of features, and how they become the input of a model."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
