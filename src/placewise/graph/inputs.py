"""What a graph is fed: placeholders."""

from __future__ import annotations

from typing import Any

from placewise.core.dtypes import as_dtype
from placewise.core.errors import hint
from placewise.core.scope import current
from placewise.core.shapes import TensorShape
from placewise.ops import graph_only


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """Return a tensor whose value is given when the graph runs, through `feed_dict`."""
    if current.interpreter.graph is None:
        raise RuntimeError(
            hint(
                "tf.placeholder() is not compatible with eager execution.",
                "pass values as arguments of a tf.function, or build a graph: with "
                "tf.Graph().as_default()",
            )
        )
    dims = TensorShape(shape)._dims
    return graph_only.placeholder(dtype=as_dtype(dtype), shape=dims, name=name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """Return a tensor that is `input` unless something else is fed."""
    dims = TensorShape(shape)._dims
    return graph_only.placeholder_with_default(input, shape=dims, name=name)
