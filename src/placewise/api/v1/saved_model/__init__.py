"""tf.saved_model of TensorFlow 1: SavedModels of graphs."""

from placewise.api.v1.saved_model import builder as builder
from placewise.api.v1.saved_model import constants as constants
from placewise.api.v1.saved_model import loader as loader
from placewise.api.v1.saved_model import main_op as main_op
from placewise.api.v1.saved_model import signature_constants as signature_constants
from placewise.api.v1.saved_model import signature_def_utils as signature_def_utils
from placewise.api.v1.saved_model import tag_constants as tag_constants
from placewise.api.v1.saved_model import utils as utils
from placewise.saving.saved_model_builder import Builder as Builder
from placewise.saving.saved_model_builder import simple_save as simple_save
from placewise.saving.saved_model_export import SaveOptions as SaveOptions
from placewise.saving.saved_model_export import save as save
from placewise.saving.saved_model_load import load_v2 as load_v2
from placewise.saving.saved_model_loader import contains_saved_model as contains_saved_model
from placewise.saving.saved_model_loader import load as load
from placewise.saving.saved_model_loader import main_op_with_restore as main_op_with_restore
from placewise.saving.saved_model_loader import (
    maybe_saved_model_directory as maybe_saved_model_directory,
)
from placewise.saving.saved_model_names import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from placewise.saving.saved_model_names import ASSETS_KEY as ASSETS_KEY
from placewise.saving.saved_model_names import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from placewise.saving.saved_model_names import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from placewise.saving.saved_model_names import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from placewise.saving.saved_model_names import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from placewise.saving.saved_model_names import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from placewise.saving.saved_model_names import GPU as GPU
from placewise.saving.saved_model_names import LEGACY_INIT_OP_KEY as LEGACY_INIT_OP_KEY
from placewise.saving.saved_model_names import MAIN_OP_KEY as MAIN_OP_KEY
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
from placewise.saving.signature_defs import build_signature_def as build_signature_def
from placewise.saving.signature_defs import build_tensor_info as build_tensor_info
from placewise.saving.signature_defs import (
    classification_signature_def as classification_signature_def,
)
from placewise.saving.signature_defs import (
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)
from placewise.saving.signature_defs import is_valid_signature as is_valid_signature
from placewise.saving.signature_defs import predict_signature_def as predict_signature_def
from placewise.saving.signature_defs import regression_signature_def as regression_signature_def
