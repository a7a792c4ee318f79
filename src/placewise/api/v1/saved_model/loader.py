"""tf.saved_model.loader: reading SavedModels into a session."""

from placewise.saving.saved_model_loader import load as load
from placewise.saving.saved_model_loader import (
    maybe_saved_model_directory as maybe_saved_model_directory,
)
