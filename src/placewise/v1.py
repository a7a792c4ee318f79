"""TensorFlow 1: `import placewise.v1 as tf`. Ops are written into graphs that sessions run.

The same names as `tf.compat.v1`; importing this module makes the program one of TensorFlow 1.
"""

from placewise.compat import v1 as _names
from placewise.core.namespace import attach
from placewise.core.scope import begin_with_graphs

begin_with_graphs()

__getattr__, __dir__, __all__ = attach(__name__, _names.__file__)
__version__ = _names.__version__

del attach, begin_with_graphs
