"""tf.optimizers of TensorFlow 2: those of Keras, older spellings too."""

import importlib
from typing import Any

from placewise.api.v2 import keras
from placewise.core.namespace import borrow


def _of_keras() -> Any:
    keras.__version__  # loads Keras on placewise  # noqa: B018
    return importlib.import_module("keras._tf_keras.keras.optimizers")


__getattr__, __dir__ = borrow(__name__, _of_keras)
