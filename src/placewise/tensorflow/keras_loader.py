"""Loads Keras 3 on its TensorFlow backend, which is placewise.

Keras imports `tensorflow`. From `load_keras` on, that name means placewise in this process, as it
does under `placewise run`. `keras_*.py` beside this file replace a few functions of Keras once it
is loaded (docs/keras.md lists them); its files stay as they are.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from placewise.core import environment
from placewise.core.scope import era
from placewise.tensorflow import hook, legacy_keras


def load_keras() -> Any:
    """Return the public module of Keras 3, on the right backend; of Keras 2 if that is wanted."""
    if legacy_keras.is_wanted():
        return legacy_keras.load()
    found = sys.modules.get("keras")
    if found is None:
        environment.put("KERAS_BACKEND", "tensorflow")
        installed = sys.modules.get("tensorflow")
        if installed is not None and not installed.__name__.startswith("placewise"):
            raise ImportError(
                "tf.keras of placewise needs the name `tensorflow`, and TensorFlow itself is "
                "loaded already in this process: run the program with `placewise run`, or import "
                "placewise first"
            )
        hook.install()
        with hook.meaning("placewise"):
            found = importlib.import_module("keras")
            _names_of_tensorflow_2()
    if found.backend.backend() != "tensorflow":
        raise ImportError(
            f"Keras was loaded before with its {found.backend.backend()} backend; placewise "
            "serves the TensorFlow one: set KERAS_BACKEND=tensorflow, or import placewise first"
        )
    public = importlib.import_module("keras._tf_keras.keras")
    if era.base is not None:
        from placewise.tensorflow import keras_graphs, keras_spellings  # noqa: PLC0415 - keeps keras out

        keras_graphs.install(public)
        keras_spellings.install(public)
    return public


def _names_of_tensorflow_2() -> None:
    """Let Keras's modules that import TensorFlow late have the names of TensorFlow 2."""
    from keras.src.utils import module_utils  # noqa: PLC0415 - keeps keras out

    module_utils.tensorflow.initialize()
    module_utils.tensorflow._available = True  # Keras would import the name anew to find out
