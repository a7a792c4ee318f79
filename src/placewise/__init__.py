"""TensorFlow's device runtime, in Python, on PyTorch kernels: the TensorFlow 2 namespace.

The table of names is `__init__.pyi`; each is resolved on first use.
"""

from placewise.core import log  # whoever logs is heard from the start
from placewise.core.namespace import attach, install_finder

install_finder()
__getattr__, __dir__, __all__ = attach(__name__, __file__)
__version__ = "2.21.0"

del attach, install_finder, log
