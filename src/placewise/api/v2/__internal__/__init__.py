"""tf.__internal__: what Keras and other libraries use of TensorFlow beyond the public names."""

from placewise.api.v2.__internal__ import autograph as autograph
from placewise.api.v2.__internal__ import decorator as decorator
from placewise.api.v2.__internal__ import dispatch as dispatch
from placewise.api.v2.__internal__ import distribute as distribute
from placewise.api.v2.__internal__ import eager_context as eager_context
from placewise.api.v2.__internal__ import feature_column as feature_column
from placewise.api.v2.__internal__ import function as function
from placewise.api.v2.__internal__ import graph_util as graph_util
from placewise.api.v2.__internal__ import mixed_precision as mixed_precision
from placewise.api.v2.__internal__ import nest as nest
from placewise.api.v2.__internal__ import ops as ops
from placewise.api.v2.__internal__ import saved_model as saved_model
from placewise.api.v2.__internal__ import smart_cond as smart_cond
from placewise.api.v2.__internal__ import tf2 as tf2
from placewise.api.v2.__internal__ import tracking as tracking
from placewise.api.v2.__internal__ import train as train
from placewise.api.v2.__internal__ import types as types
from placewise.core.keras_hooks import (
    register_call_context_function as register_call_context_function,
)
from placewise.core.keras_hooks import (
    register_clear_session_function as register_clear_session_function,
)
from placewise.core.keras_hooks import (
    register_get_session_function as register_get_session_function,
)
from placewise.core.keras_hooks import register_load_model_function as register_load_model_function
from placewise.functions.device_branches import execute_fn_for_device as execute_fn_for_device
from placewise.functions.func_graph import FuncGraph as FuncGraph
from placewise.graph.defaults import get_name_scope as get_name_scope
from placewise.graph.tensor import GraphTensor as SymbolicTensor
from placewise.ops.composite_tensor import CompositeTensor as CompositeTensor
from placewise.ops.values import EagerTensor as EagerTensor
from placewise.saving.load_context import load_context as load_context

__all__ = [
    "CompositeTensor",
    "EagerTensor",
    "FuncGraph",
    "SymbolicTensor",
    "autograph",
    "decorator",
    "dispatch",
    "distribute",
    "eager_context",
    "execute_fn_for_device",
    "feature_column",
    "function",
    "get_name_scope",
    "graph_util",
    "load_context",
    "mixed_precision",
    "nest",
    "ops",
    "register_call_context_function",
    "register_clear_session_function",
    "register_get_session_function",
    "register_load_model_function",
    "saved_model",
    "smart_cond",
    "tf2",
    "tracking",
    "train",
    "types",
]
