"""tf.saved_model.experimental: state of a program's own kind in a SavedModel."""

from placewise.saving.saved_model_export import VariablePolicy as VariablePolicy
from placewise.saving.trackable_resource import TrackableResource as TrackableResource
