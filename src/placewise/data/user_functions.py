"""User functions of datasets: traced once to a graph, then called element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.errors import invalid
from placewise.data.debug_mode import EagerFunction, debug_mode
from placewise.data.structure import Structure, normalised
from placewise.functions.autograph import converted
from placewise.functions.dataset_function import StructuredFunction
from placewise.ops.specs import TensorSpec


def traced(function: Callable[..., Any], spec: Any, name: str) -> Any:
    """Return a user's function of elements of `spec`, traced; a tuple is spread over arguments.

    What it returns is a structure of tuples and dicts; a list is a tuple, lists in it are tensors.
    """
    if not callable(function):
        raise TypeError(f"`{name}` must be callable, got {function!r}.")
    user = converted(function)

    def call(*arguments: Any) -> Any:
        made = user(*arguments)
        return normalised(tuple(made) if isinstance(made, list) else made)

    if debug_mode.is_on:

        def eager(*arguments: Any) -> Any:
            made = function(*arguments)
            return normalised(tuple(made) if isinstance(made, list) else made)

        return EagerFunction(eager, call, spec, _named(function))
    return StructuredFunction(call, spec, name=_named(function), autograph=False)


def _named(function: Any) -> str:
    found = getattr(function, "__name__", "")
    return f"Dataset_{found}" if found.isidentifier() else "Dataset_function"


def traced_state(
    function: Callable[..., Any], state: Any, element: TensorSpec, name: str, has_output: bool
) -> tuple[Any, Any, Any]:
    """Return a function of (state, element), the state's spec, and the spec of its output.

    Where the new state has a shape that varies, the state's spec is widened until both agree.
    """
    while True:
        made = traced(function, (state, element), name)
        result = made.output_spec
        if has_output:
            if not isinstance(result, tuple) or len(result) != 2:
                raise TypeError(
                    f"Invalid `{name}`. `{name}` should return a pair consisting of new state and "
                    f"the output value but its return type is {result}."
                )
            new, output = result
        else:
            new, output = result, None
            wanted, given = len(nest.flatten(state)), len(nest.flatten(new))
            if wanted != given:
                raise invalid(
                    "The number of components of the initial state and the reduce function output "
                    f"does not match. (initial_state={wanted}, output={given})."
                )
        wider = _widened(state, new, name)
        if wider == state:
            return made, state, output
        state = wider


def _widened(state: Any, new: Any, name: str) -> Any:
    try:
        nest.assert_same_structure(state, new)
    except (TypeError, ValueError):
        raise TypeError(
            f"Invalid `{name}`. The element structure for the new state must match the initial "
            f"state. Expected {state}; got {new}."
        ) from None

    def joined(old: TensorSpec, made: TensorSpec) -> Any:
        if type(old) is not type(made) or getattr(old, "dtype", None) is not getattr(
            made, "dtype", None
        ):
            raise TypeError(
                f"Invalid `{name}`. The element types for the new state must match the initial "
                f"state. Expected {_types(state)}; got {_types(new)}."
            )
        if isinstance(old, TensorSpec):
            return TensorSpec(old.shape.most_specific_compatible_shape(made.shape), old.dtype)
        found = old.most_specific_common_supertype([made])
        return old if found is None else found

    return nest.map_structure(joined, state, new)


def _types(spec: TensorSpec) -> Any:
    return nest.map_structure(lambda each: getattr(each, "dtype", each), spec)


def result_of(function: StructuredFunction) -> Structure:
    """Return the structure of what a traced function gives."""
    return Structure(function.output_spec)
