"""`tf.autograph` of TensorFlow 1: arguments that TensorFlow 2 dropped are taken and ignored."""

from typing import Any

from placewise.functions.autograph import api


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
