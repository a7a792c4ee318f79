"""tf.types.experimental: what may be passed where a tensor is wanted."""

from placewise.ops.types import SupportsTracingProtocol as SupportsTracingProtocol
from placewise.ops.types import TensorLike as TensorLike
from placewise.ops.types import TraceType as TraceType
