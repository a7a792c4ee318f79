"""tf.types.experimental: kinds of functions, and what may be passed where a tensor is wanted."""

from placewise.api.v2.types.experimental import distributed as distributed
from placewise.functions.function_types import Callable as Callable
from placewise.functions.function_types import ConcreteFunction as ConcreteFunction
from placewise.functions.function_types import GenericFunction as GenericFunction
from placewise.functions.function_types import PolymorphicFunction as PolymorphicFunction
from placewise.functions.typed_signature import FunctionType as FunctionType
from placewise.ops.types import SupportsTracingProtocol as SupportsTracingProtocol
from placewise.ops.types import TensorLike as TensorLike
from placewise.ops.types import TraceType as TraceType
