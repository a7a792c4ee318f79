"""Loads Keras 2 (`tf_keras`) as `tf.keras`, for programs that set TF_USE_LEGACY_KERAS."""

from __future__ import annotations

import importlib
from typing import Any

from placewise.core import environment
from placewise.tensorflow import hook


def is_wanted() -> bool:
    """Return whether the environment asks for Keras 2."""
    return (environment.read("TF_USE_LEGACY_KERAS") or "").lower() in ("1", "true")


def load() -> Any:
    """Return the public module of Keras 2."""
    hook.install()
    try:
        with hook.meaning("placewise"):
            importlib.import_module("tf_keras")
            return importlib.import_module("tf_keras.api._v2.keras")
    except ModuleNotFoundError as missing:
        if missing.name != "tf_keras":
            raise
        raise ImportError(
            "TF_USE_LEGACY_KERAS asks for Keras 2, and the package tf_keras is not installed: "
            "pip install --no-deps tf-keras; or unset TF_USE_LEGACY_KERAS for Keras 3"
        ) from None
