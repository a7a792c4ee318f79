"""tf.compat: helpers for programs that must work across versions; the table is `__init__.pyi`.

Beside it: the import hook that makes `tensorflow` mean placewise (`hook.py`, installed only by
`placewise run`), and the table of TensorFlow's inner modules that programs import (`modules.py`).
"""

import placewise as v2
from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
__all__ += ["v2"]

del attach
