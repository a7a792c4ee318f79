"""tf.saved_model.main_op: what a SavedModel runs when it is loaded."""

from placewise.saving.saved_model_loader import main_op as main_op
from placewise.saving.saved_model_loader import main_op_with_restore as main_op_with_restore
