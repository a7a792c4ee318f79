"""tf.experimental: what TensorFlow keeps there."""

from placewise.data.optional import Optional as Optional
from placewise.experimental import dlpack as dlpack
