"""tf.xla: computations that TensorFlow would compile."""

from placewise.api.v2.xla import experimental as experimental
