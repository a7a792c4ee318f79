"""TensorFlow 1: `import placewise.v1 as tf`. Ops are written into graphs that sessions run.

The same names as `tf.compat.v1`; importing this module makes the program one of TensorFlow 1,
unless it has used `placewise` itself before.
"""

from placewise.api import v1 as _names
from placewise.core.era import begin_tf1
from placewise.core.namespace import attach

begin_tf1()

__getattr__, __dir__, __all__ = attach(__name__, _names.__file__)
__version__ = _names.__version__

del attach, begin_tf1
