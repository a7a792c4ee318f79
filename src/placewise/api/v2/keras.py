"""tf.keras: Keras 3 itself, on its TensorFlow backend, which is placewise."""

from __future__ import annotations

import importlib
from typing import Any


def _keras() -> Any:
    # By name: Keras imports `tensorflow`, so what loads it stands above all namespaces.
    return importlib.import_module("placewise.tensorflow.keras_loader").load_keras()


def __getattr__(name: str) -> Any:
    if name == "__all__":  # what `from tensorflow.keras import *` asks for
        return __dir__()
    # Keras 2 has `__internal__`, which libraries on it use.
    if name.startswith("__") and name not in ("__version__", "__internal__"):
        raise AttributeError(name)
    if name == "estimator":
        return importlib.import_module("placewise.tensorflow.keras_estimators")
    keras = _keras()
    try:
        return getattr(keras, name)
    except AttributeError:
        raise AttributeError(f"module 'tensorflow.keras' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted(name for name in dir(_keras()) if not name.startswith("_"))
