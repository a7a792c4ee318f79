"""tf.saved_model: objects with variables and functions, written and read."""

from placewise.api.v2.saved_model import experimental as experimental
from placewise.ops.io.assets import Asset as Asset
from placewise.saving.saved_model_export import SaveOptions as SaveOptions
from placewise.saving.saved_model_export import save as save
from placewise.saving.saved_model_load import LoadOptions as LoadOptions
from placewise.saving.saved_model_load import load as load
from placewise.saving.saved_model_loader import contains_saved_model as contains_saved_model
from placewise.saving.saved_model_names import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from placewise.saving.saved_model_names import ASSETS_KEY as ASSETS_KEY
from placewise.saving.saved_model_names import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from placewise.saving.saved_model_names import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from placewise.saving.saved_model_names import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from placewise.saving.saved_model_names import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from placewise.saving.saved_model_names import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from placewise.saving.saved_model_names import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from placewise.saving.saved_model_names import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from placewise.saving.saved_model_names import GPU as GPU
from placewise.saving.saved_model_names import PREDICT_INPUTS as PREDICT_INPUTS
from placewise.saving.saved_model_names import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from placewise.saving.saved_model_names import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from placewise.saving.saved_model_names import REGRESS_INPUTS as REGRESS_INPUTS
from placewise.saving.saved_model_names import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from placewise.saving.saved_model_names import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from placewise.saving.saved_model_names import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from placewise.saving.saved_model_names import (
    SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT,
)
from placewise.saving.saved_model_names import (
    SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION,
)
from placewise.saving.saved_model_names import SERVING as SERVING
from placewise.saving.saved_model_names import TPU as TPU
from placewise.saving.saved_model_names import TRAINING as TRAINING
from placewise.saving.saved_model_names import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from placewise.saving.saved_model_names import VARIABLES_FILENAME as VARIABLES_FILENAME
