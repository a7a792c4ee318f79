"""The same program on several devices, and on several machines."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
