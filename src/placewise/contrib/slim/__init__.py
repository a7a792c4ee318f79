"""Implementation of tf.contrib.slim: models of images, and loops that train and evaluate them."""

from placewise.core.namespace import public_names

__getattr__ = public_names(__name__)
