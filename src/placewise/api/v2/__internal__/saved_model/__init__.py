"""tf.__internal__.saved_model: how Keras meets saved models."""

from placewise.api.v2.__internal__.saved_model import load as load
