"""tf.tpu: what programs for TPUs use on machines without them."""

from placewise.api.v2.tpu import experimental as experimental
