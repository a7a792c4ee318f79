"""tf.metrics of TensorFlow 2: those of Keras."""

from placewise import keras
from placewise.core.namespace import borrow

__getattr__, __dir__ = borrow(__name__, lambda: keras.metrics)
