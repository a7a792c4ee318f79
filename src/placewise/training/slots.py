"""Slots: variables an optimizer keeps beside each variable it trains, of the same kind."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from placewise.core.dtypes import DType
from placewise.core.scope import current, replaced
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.constants import constant, zeros
from placewise.graph.variable import VariableV1
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.context import init_scope
from placewise.ops.state.variable import is_variable

if TYPE_CHECKING:
    from placewise.graph.resource_variables import ResourceVariable


def is_eager() -> bool:
    """Return True if ops run at once in this thread."""
    return current.interpreter.graph is None


def is_distributed(variable: Any) -> bool:
    """Return True for a variable that has a part on each device of a strategy."""
    return hasattr(variable, "_distribute_strategy")


def variable_like(primary: Any, initial_value: float, name: str) -> Any:
    """Return a variable that is not trained, of the kind (reference or resource) of another."""
    return VariableV1(  # type: ignore[call-arg]  # its metaclass takes use_resource
        initial_value, trainable=False, name=name, use_resource=is_variable(primary)
    )


def beside(primary: Any) -> Any:
    """Return a context in which ops are put where a variable is."""
    graph = None if is_eager() or is_distributed(primary) else graph_of(primary)
    if graph is None or not isinstance(primary, VariableV1):
        return contextlib.nullcontext()  # a strategy has its own devices for variables
    return graph.colocate_with(primary.op)


def graph_of(variable: Any) -> Any:
    """Return the graph a variable is in; None for one of eager execution, in functions too."""
    return getattr(variable, "graph", None)


def apart(variables: list[Any]) -> Any:
    """Return a context in which slots are made: where the variables are, waiting for nothing."""
    graph = graph_of(variables[0])
    return init_scope() if graph is None else graph.control_dependencies(None)


def zeros_of(shape: list[Any], dtype: DType) -> Any:
    """Return zeros of a shape: what most slots begin with."""
    return zeros(shape, dtype)


def create_slot(primary: Any, val: Tensor, name: str, colocate_with_primary: bool = True) -> Any:
    """Return a slot of a variable that begins with a tensor's value."""
    with beside(primary) if colocate_with_primary else contextlib.nullcontext():
        return _made(primary, val, name)


def create_slot_with_initializer(
    primary: Any,
    initializer: Any,
    shape: Any,
    dtype: Any,
    name: str,
    colocate_with_primary: bool = True,
) -> Any:
    """Return a slot of a variable whose first value `initializer(shape, dtype)` makes."""
    dims = TensorShape(shape).as_list()
    with beside(primary) if colocate_with_primary else contextlib.nullcontext():
        return _made(primary, initializer, name, shape=dims, dtype=dtype)


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Any:
    """Return a slot of a variable that begins with zeros of its shape."""
    kind = (primary.dtype if dtype is None else dtype).base_dtype
    known = primary.get_shape()
    if known.is_fully_defined():
        return create_slot_with_initializer(
            primary,
            zeros_of,
            known,
            kind,
            name,
            colocate_with_primary,
        )
    with beside(primary) if colocate_with_primary else contextlib.nullcontext():
        start = getattr(primary, "initialized_value", primary.value)()
        return _made(
            primary, zeros(shape(convert_to_tensor(start)), kind), name, validate_shape=False
        )


def _made(primary: Any, value: Any, name: str, **options: Any) -> Any:
    """Make a slot through `get_variable`, so that it is named under the variable and its scopes."""
    if is_eager():
        return _made_eagerly(primary, value, name, options)
    with variable_scope(None, f"{primary.op.name}/{name}"):
        return get_variable(
            "", initializer=value, trainable=False, use_resource=is_variable(primary), **options
        )


def _made_eagerly(primary: ResourceVariable, value: Any, name: str, options: dict[str, Any]) -> Any:
    with variable_scope(None, f"{primary._shared_name}/{name}") as scope:
        full = scope.name
    first = value(options["shape"], dtype=options["dtype"]) if callable(value) else value
    with replaced(name_scope=""):
        return VariableV1(first, trainable=False, name=full)


def filled(variable: Any, value: float) -> Any:
    """Return a constant of a variable's shape and dtype, made where the variable is."""
    dims = variable.get_shape().as_list()
    with beside(variable):
        return constant(value, dtype=variable.dtype.base_dtype, shape=dims)
