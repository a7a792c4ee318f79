"""Names of tf.contrib.predictor."""

from placewise.contrib.predictor.saved_models import from_saved_model as from_saved_model
