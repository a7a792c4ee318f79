"""tf.contrib.slim: models of images in few lines, and loops that train and evaluate them.

The table of names is `__init__.pyi`.
"""

from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

del attach
