"""tf.__internal__.ops: small functions that Keras 2 uses."""

from placewise.graph.resource_variables import is_resource_variable as is_resource_variable
from placewise.layers.loss_weights import broadcast_weights as broadcast_weights
