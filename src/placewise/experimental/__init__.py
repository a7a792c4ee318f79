"""tf.experimental: what TensorFlow keeps there."""

from placewise.experimental import dlpack as dlpack
from placewise.data.optional import Optional as Optional
