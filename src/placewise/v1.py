"""TensorFlow 1: `import placewise.v1 as tf`. Ops are written into graphs that sessions run.

The same names as `tf.compat.v1`; importing this module makes the program one of TensorFlow 1,
unless it has used `placewise` itself before.
"""

from importlib import import_module as _import_module

from placewise.api import v1 as _names
from placewise.core.era import begin_tf1
from placewise.core.namespace import attach


def load_ipython_extension(shell: object) -> None:
    """Do `%load_ext placewise.v1`: `import tensorflow` means TensorFlow 1 in this notebook."""
    _import_module("placewise.tensorflow.ipython").load(shell, version=1)


def unload_ipython_extension(shell: object) -> None:
    """Do `%unload_ext placewise.v1`."""
    _import_module("placewise.tensorflow.ipython").unload(shell)


begin_tf1()

__getattr__, __dir__, __all__ = attach(__name__, _names.__file__)
__version__ = _names.__version__
__git_version__, __compiler_version__ = _names.__git_version__, _names.__compiler_version__
__cxx11_abi_flag__ = __monolithic_build__ = 0

del attach, begin_tf1
