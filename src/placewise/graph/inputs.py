"""What a graph is fed: placeholders."""

from __future__ import annotations

from typing import Any

from placewise.core.arguments import DTypeLike, ShapeLike, TensorLike
from placewise.core.dtypes import as_dtype
from placewise.core.errors import hint
from placewise.core.scope import current
from placewise.core.shapes import TensorShape
from placewise.ops import graph_only
from placewise.ops.raw_attributes import unknown_where_negative


def placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> Any:
    """Return a tensor of a graph whose value each run is given through `feed_dict`.

    `dtype`: the dtype of what is fed.
    `shape`: what it must fit; None for unknown sizes, or for any shape.

    Raises RuntimeError where ops run at once. A run that needs the value and gets none raises
    InvalidArgumentError; a value that does not fit the shape raises ValueError.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.int32, [None])
    ...     session.run(tf.reduce_sum(x), {x: [1, 2, 3]})
    np.int32(6)
    """
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


def placeholder_with_default(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Any:
    """Return a tensor that is `input` unless something else is fed."""
    if current.interpreter.graph is None:  # nothing can be fed, and TensorFlow asks less
        shape = unknown_where_negative(shape)
    dims = TensorShape(shape)._dims
    return graph_only.placeholder_with_default(input, shape=dims, name=name)
