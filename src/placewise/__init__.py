"""TensorFlow's device runtime, in Python, on PyTorch kernels: the TensorFlow 2 namespace.

The table of names is `__init__.pyi`; each is resolved on first use.
"""

from importlib import import_module as _import_module  # by name, as all layers are above

from placewise.core import heap, log, threads  # whoever logs is heard from the start
from placewise.core.namespace import attach, install_finder


def load_ipython_extension(shell: object) -> None:
    """Do `%load_ext placewise`: `import tensorflow` means placewise in this notebook."""
    _import_module("placewise.tensorflow.ipython").load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Do `%unload_ext placewise`."""
    _import_module("placewise.tensorflow.ipython").unload(shell)


threads.keep_from_spinning()  # before anything loads torch
threads.keep_the_number()
heap.use_huge_pages()
install_finder()
__getattr__, __dir__, __all__ = attach(__name__, __file__)
__version__ = "2.21.0"
__git_version__, __compiler_version__ = "v2.21.0", "Python"
__cxx11_abi_flag__, __cxx_version__, __monolithic_build__ = 1, 201703, 0

del attach, heap, install_finder, log, threads
