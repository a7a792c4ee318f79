"""tf.types: types to annotate with."""

from placewise.api.v2.types import experimental as experimental
