"""`tensorflow.python.keras.saving.model_config`: models from what `get_config` gave."""

from __future__ import annotations

import json
from typing import Any

from placewise.tensorflow import keras_loader


def model_from_config(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """Return an untrained model from a configuration with its class name."""
    if isinstance(config, list):
        raise TypeError(
            "`model_from_config` expects a dictionary, not a list. Maybe you meant to use "
            "`Sequential.from_config(config)`?"
        )
    # Keras 2 and Keras 3 both read it from JSON, and only that way is spelled the same in both.
    return model_from_json(json.dumps(config), custom_objects)


def model_from_json(json_string: str, custom_objects: dict[str, Any] | None = None) -> Any:
    """Return an untrained model from the text of `model.to_json()`."""
    models = keras_loader.load_keras().models
    return models.model_from_json(json_string, custom_objects=custom_objects)
