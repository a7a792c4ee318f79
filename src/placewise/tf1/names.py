"""Name scopes, devices and order of ops in the spelling of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core import names
from placewise.core.scope import Scope, current
from placewise.eager.device_scope import device as device_scope
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow import order


def in_scope(name: str | None, default: str) -> Any:
    """Return the name scope of a function: by the caller's name, else by its own."""
    return names.name_scope(name or default)


class name_scope:  # noqa: N801 - TensorFlow's own name
    """Prefix the names of what is made in a `with` block.

    `name`: the prefix; None takes `default_name`.
    `default_name`: the prefix of a function whose caller named none.
    `values`: tensors that must be of one graph, which the block then writes into.

    The value of `as` is the whole prefix. A scope opened again gets a number. Raises TypeError if
    `default_name` is no string, ValueError if there are values and no name.

    >>> with tf.Graph().as_default(), tf.compat.v1.name_scope("layer"):
    ...     tf.constant(1.0, name="one").name
    'layer/one:0'
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: Any = None
    ) -> None:
        if not (isinstance(default_name, str) or default_name is None):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                "meant to pass this into the `values` kwarg."
            )
        if name is None and default_name is None and values is not None:
            raise ValueError(
                f"At least one of name ({name}) and default_name ({default_name}) must be provided."
            )
        self._name = default_name if name is None else name
        self._values = values
        self._entered: list[Any] = []

    @property
    def name(self) -> str | None:
        """The name as given."""
        return self._name

    def __enter__(self) -> str:
        graph = _graph_of(self._values)
        inside = graph.as_default() if graph is not None else None
        if inside is not None:
            inside.__enter__()
        scope = names.name_scope(self._name or "")
        try:
            entered = scope.__enter__()
        except BaseException as problem:
            if inside is not None:
                inside.__exit__(type(problem), problem, problem.__traceback__)
            raise
        self._entered.append((inside, scope))
        return entered

    def __exit__(self, *exception: Any) -> None:
        inside, scope = self._entered.pop()
        scope.__exit__(*exception)
        if inside is not None:
            inside.__exit__(*exception)


def _graph_of(values: Any) -> Any:
    """Return the graph of the tensors a scope is opened for, if it is not the one in force."""
    if not values or current.interpreter is Scope.eager:
        return None
    here = get_default_graph()
    for value in values:
        graph = getattr(value, "graph", None)
        if graph is not None and hasattr(graph, "as_default") and graph is not here:
            return graph
    return None


@contextmanager
def op_scope(values: Any, name: str | None, default_name: str | None = None) -> Iterator[str]:
    """Open a name scope with the arguments of an older spelling."""
    with name_scope(name, default_name, values) as scope:
        yield scope


def device(device_name_or_function: Any) -> Any:
    """Return a context in which ops are asked to run on a device.

    `device_name_or_function`: a device name, a `tf.DeviceSpec`, None for no device, or a function
        that gets each operation and returns one of these.

    A session raises InvalidArgumentError if it has no such device and soft placement is off. Raises
    RuntimeError for a function where ops run at once.

    >>> with tf.Graph().as_default(), tf.compat.v1.device("/gpu:1"):
    ...     tf.constant(1.0).device
    '/device:GPU:1'
    """
    if current.interpreter is Scope.eager and callable(device_name_or_function):
        raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
    return device_scope(device_name_or_function)


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Return a context in which ops are put where `op` is."""
    if current.interpreter is Scope.eager:
        return device_scope(None if op is None else op.device)
    return get_default_graph().colocate_with(op, ignore_existing)


def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> Any:
    """Return the tensors, each available only once all of them are."""
    return order.tuple(tensors, control_inputs, name)
