"""Slots: variables an optimizer keeps beside each variable it trains, of the same kind."""

from __future__ import annotations

import contextlib
from typing import Any

from placewise.core.scope import Scope, local
from placewise.core.shapes import TensorShape
from placewise.graph.variables import GraphVariable, RefVariable, ResourceVariable
from placewise.ops.array.creation import zeros
from placewise.ops.array.shape import shape
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state.variable import Variable, is_variable


def is_eager() -> bool:
    """Return True if ops run at once in this thread."""
    return local.interpreter is Scope.eager or not hasattr(local.interpreter, "graph")


def variable_like(primary: Any, initial_value: Any, name: str, **options: Any) -> Any:
    """Return a variable that is not trained, of the kind (reference or resource) of another."""
    if is_eager():
        return Variable(initial_value, trainable=False, name=name, **options)
    kind = ResourceVariable if is_variable(primary) else RefVariable
    return kind(initial_value, trainable=False, name=name, **options)


def beside(primary: Any) -> Any:
    """Return a context in which ops are put where a variable is."""
    if is_eager() or not isinstance(primary, GraphVariable):
        return contextlib.nullcontext()
    return primary.graph.colocate_with(primary.op)


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Any:
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
        return _made(primary, lambda: initializer(dims, dtype=dtype), name)


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Any:
    """Return a slot of a variable that begins with zeros of its shape."""
    kind = (primary.dtype if dtype is None else dtype).base_dtype
    known = primary.get_shape()
    if known.is_fully_defined():
        return create_slot_with_initializer(
            primary, lambda dims, dtype: zeros(dims, dtype), known, kind, name,
            colocate_with_primary,
        )  # fmt: skip
    with beside(primary) if colocate_with_primary else contextlib.nullcontext():
        start = getattr(primary, "initialized_value", primary.value)()
        return _made(
            primary, zeros(shape(convert_to_tensor(start)), kind), name, validate_shape=False
        )


def _made(primary: Any, value: Any, name: str, **options: Any) -> Any:
    if is_eager():
        # Made outside name scopes, after the variable's own name.
        return Variable(value, trainable=False, name=f"{primary._shared_name}/{name}")
    full = f"{primary.op.name}/{name}"
    graph = primary.graph
    with graph.name_scope(None):
        scope = graph.unique_name(full) + "/"
    return variable_like(primary, value, scope, **options)
