"""tf.test: test cases that understand tensors, and what this machine can test on.

The table of names is `__init__.pyi`; each is resolved on first use, and none loads torch.
"""

from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

del attach
