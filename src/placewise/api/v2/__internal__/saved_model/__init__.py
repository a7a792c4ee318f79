"""tf.__internal__.saved_model: how Keras meets saved models."""

from placewise.api.v2.__internal__.saved_model import load as load
from placewise.saving.saved_model_loader import parse_saved_model as parse_saved_model
