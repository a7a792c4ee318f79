"""tf.types: types to annotate with."""

from placewise.types import experimental as experimental
