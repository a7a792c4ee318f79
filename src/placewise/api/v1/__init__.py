"""tf.compat.v1: the TensorFlow 1 namespace. The table of names is `__init__.pyi`."""

from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
__version__ = "1.15.5"

del attach
