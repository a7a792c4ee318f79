"""The global step: the variable that counts training steps, kept in a collection of its graph."""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.graph.variable import VariableV1
from placewise.graph.variable_scope import get_variable
from placewise.ops.state.variable import Variable
from placewise.training.slots import is_eager, zeros_of

_KEY = "global_step"


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Return the value of the global step in a session, or now when eager."""
    if is_eager():
        return int(global_step_tensor.numpy())
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Any = None) -> Any:
    """Return the variable that counts the training steps of a graph, or None.

    `graph`: the graph to look in, by default the default graph. A variable named 'global_step'
        counts as well, if it is an integer.

    >>> with tf.Graph().as_default():
    ...     print(tf.compat.v1.train.get_global_step())
    None
    """
    graph = graph or get_default_graph()
    found = graph.get_collection(_KEY)
    if len(found) > 1:
        return None
    if found:
        step = found[0]
    else:
        named = graph.operation_named("global_step")
        if named is None or not named.outputs:
            return None
        step = named.outputs[0]
    assert_global_step(step)
    return step


def create_global_step(graph: Any = None) -> Any:
    """Return a new variable that counts steps; ValueError if the graph has one."""
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    if is_eager() and graph is None:
        made: Any = Variable(0, dtype=dtypes.int64, trainable=False, name="global_step")
        get_default_graph().add_to_collection(_KEY, made)  # as TensorFlow keeps it, too
        return made
    graph = graph or get_default_graph()
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            "global_step",
            shape=[],
            dtype=dtypes.int64,
            initializer=zeros_of,
            trainable=False,
            collections=["variables", _KEY],
        )


def get_or_create_global_step(graph: Any = None) -> Any:
    """Return the variable that counts the training steps of a graph; it is made if it is missing.

    `graph`: the graph to look in, by default the default graph.

    The variable is an int64 scalar that begins at 0; optimizers do not train it. Hooks, summaries
    and monitored sessions read it.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.train.get_or_create_global_step().name
    'global_step:0'
    """
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


def require_global_step(user: str) -> Any:
    """Return the default graph's global step; RuntimeError if the class named `user` has none."""
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {user}.")
    return step


def assert_global_step(global_step_tensor: Any) -> None:
    """Raise TypeError unless it is a variable or tensor of an integer without dimensions."""
    if not isinstance(global_step_tensor, (VariableV1, Tensor)):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(
            f'Existing "global_step" does not have integer type: {global_step_tensor.dtype!r}'
        )
    dims = global_step_tensor.get_shape()
    if dims.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {dims}')
