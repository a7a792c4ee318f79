"""tf.saved_model.constants: names of files and collections."""

from placewise.saving.saved_model_names import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from placewise.saving.saved_model_names import ASSETS_KEY as ASSETS_KEY
from placewise.saving.saved_model_names import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from placewise.saving.saved_model_names import MAIN_OP_KEY as MAIN_OP_KEY
from placewise.saving.saved_model_names import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from placewise.saving.saved_model_names import (
    SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT,
)
from placewise.saving.saved_model_names import (
    SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION,
)
from placewise.saving.saved_model_names import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from placewise.saving.saved_model_names import VARIABLES_FILENAME as VARIABLES_FILENAME
