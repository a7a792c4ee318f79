"""Where the time of a program goes."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
