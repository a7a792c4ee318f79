"""tf.saved_model.tag_constants: tags of meta graphs."""

from placewise.saving.saved_model_names import GPU as GPU
from placewise.saving.saved_model_names import SERVING as SERVING
from placewise.saving.saved_model_names import TPU as TPU
from placewise.saving.saved_model_names import TRAINING as TRAINING
