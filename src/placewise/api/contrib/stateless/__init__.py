"""tf.contrib.stateless.

The table of names is `__init__.pyi`.
"""

from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

del attach
