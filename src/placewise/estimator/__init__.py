"""Estimators of TensorFlow 1: models with their own training loop."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
