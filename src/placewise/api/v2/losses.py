"""tf.losses of TensorFlow 2: those of Keras, older spellings too."""

from typing import Any

from placewise.api.v2 import keras
from placewise.core.namespace import borrow


def _of_keras() -> Any:
    return keras.losses  # of Keras 2 where that is wanted


__getattr__, __dir__ = borrow(__name__, _of_keras)
