"""tf.saved_model.builder: writing SavedModels of graphs."""

from placewise.saving.saved_model_builder import SavedModelBuilder as SavedModelBuilder
