"""tf.autograph of TensorFlow 1: control flow of Python functions as operations of a graph."""

from typing import Any

from placewise.api.v2.autograph import experimental as experimental
from placewise.functions.autograph import api
from placewise.functions.autograph.verbosity import set_verbosity as set_verbosity
from placewise.functions.autograph.verbosity import trace as trace


def to_graph(
    entity: Any,
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    experimental_optional_features: Any = None,
) -> Any:
    """Return a function that does the same with its control flow as operations of a graph."""
    return api.to_graph(entity, recursive, experimental_optional_features)


def to_code(
    entity: Any,
    recursive: bool = True,
    arg_values: Any = None,
    arg_types: Any = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """Return the source of what `to_graph` makes of a function."""
    return api.to_code(entity, recursive, experimental_optional_features)
