"""Test cases that understand tensors, and what this machine can test on."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
