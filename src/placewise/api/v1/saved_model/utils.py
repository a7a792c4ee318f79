"""tf.saved_model.utils: tensors as messages."""

from placewise.saving.signature_defs import build_tensor_info as build_tensor_info
from placewise.saving.signature_defs import (
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)
