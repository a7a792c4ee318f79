"""tf.train.experimental: state of a program's own kind in checkpoints."""

from placewise.saving.python_state import PythonState as PythonState
