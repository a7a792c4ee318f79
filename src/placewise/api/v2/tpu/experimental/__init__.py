"""tf.tpu.experimental: embedding tables, and what a TPU can do."""

from placewise.api.v2.tpu.experimental import embedding as embedding
from placewise.distribute.tpu import HardwareFeature as HardwareFeature

__all__ = ["HardwareFeature", "embedding"]
