"""Pipelines of elements: datasets, iterators, and the engine that runs them."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
