"""tf.experimental: what TensorFlow keeps there."""

from placewise.experimental import dlpack as dlpack
