"""tf.__internal__: what Keras uses of TensorFlow beyond the public names."""

from placewise.api.v2.__internal__ import distribute as distribute
from placewise.api.v2.__internal__ import eager_context as eager_context
from placewise.api.v2.__internal__ import function as function
from placewise.api.v2.__internal__ import smart_cond as smart_cond
from placewise.api.v2.__internal__ import tf2 as tf2
from placewise.api.v2.__internal__ import tracking as tracking
from placewise.api.v2.__internal__ import types as types
from placewise.core.nest import Composite as CompositeTensor
from placewise.functions.func_graph import FuncGraph as FuncGraph
from placewise.ops.values import EagerTensor as EagerTensor

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "distribute",
    "eager_context",
    "function",
    "smart_cond",
    "tf2",
    "tracking",
    "types",
]
