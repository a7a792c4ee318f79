"""tf.experimental.dlpack: tensors to and from other libraries without a copy."""

from placewise.eager.dlpack import from_dlpack as from_dlpack
from placewise.eager.dlpack import to_dlpack as to_dlpack
