"""Implementation of slim.nets: networks for images."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
