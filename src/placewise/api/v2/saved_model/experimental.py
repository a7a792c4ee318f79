"""tf.saved_model.experimental: state of a program's own kind in a SavedModel."""

from placewise.saving.trackable_resource import TrackableResource as TrackableResource
from placewise.saving.variable_policy import VariablePolicy as VariablePolicy
