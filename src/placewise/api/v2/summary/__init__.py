"""tf.summary: what TensorBoard shows, written to event files. The table of names is the stub."""

from placewise.core.namespace import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)

del attach
