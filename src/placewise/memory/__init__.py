"""Who holds the memory of GPUs, which limits are in force, and giving it back."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
