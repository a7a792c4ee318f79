"""placewise.memory: who holds the memory of GPUs, which limits are in force, giving it back.

The table of names is `__init__.pyi`; each is resolved on first use.
"""

from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

del attach
