"""tf.xla: computations that TensorFlow would compile."""

from placewise.xla import experimental as experimental
