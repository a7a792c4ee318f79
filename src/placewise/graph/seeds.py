"""The seed of a graph, and how its ops get theirs: `tf.set_random_seed` of TensorFlow 1."""

from __future__ import annotations

from typing import Any

from placewise.core.scope import Scope, current
from placewise.graph.defaults import get_default_graph
from placewise.ops.random import streams


def set_random_seed(seed: Any) -> None:
    """Set the seed of the default graph; where ops run at once, the global seed.

    `seed`: an integer.

    An op without a seed of its own then takes one by its place in the graph: every session draws
    the same numbers, those TensorFlow draws, on every device.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tf.compat.v1.set_random_seed(1)
    ...     session.run(tf.compat.v1.random_uniform([2])).shape
    (2,)
    """
    if current.interpreter is Scope.eager:
        streams.set_seed(seed)
    else:
        get_default_graph().seed = seed


def get_seed(op_seed: Any) -> tuple[Any, Any]:
    """Return the two seeds of an op that was given `op_seed`, or (None, None) for no seed."""
    return streams.get_seed(op_seed)
