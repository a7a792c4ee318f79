"""tf.compat.v1: the TensorFlow 1 namespace. The table of names is `__init__.pyi`."""

from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
__version__ = "1.15.5"
__git_version__, __compiler_version__ = "v1.15.5", "Python"
__cxx11_abi_flag__ = __monolithic_build__ = 0

del attach
