"""`ConcreteFunction.function_type`: the signature of a traced function, with types."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from typing import Any

from placewise.core import nest
from placewise.functions.descriptions import as_traced, described, type_text
from placewise.ops.specs import TensorSpec, TypeSpec, type_spec_from_value


class Structure:
    """The type of an argument or result that is no single tensor: `value` holds specs as leaves."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def flatten(self) -> list[Any]:
        """Return the specs of the tensors in it."""
        return _specs(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return type_text(self.value)


class Parameter(inspect.Parameter):
    """One parameter of a traced function; its annotation is its type."""

    @property
    def type_constraint(self) -> Any:
        """The type that arguments must have: a spec, or a structure of specs and literals."""
        return self.annotation

    @property
    def optional(self) -> bool:
        """May the argument be left out? Not in a traced function: defaults are in the graph."""
        return False


class FunctionType(inspect.Signature):
    """The parameters and the result of a traced function, with their types."""

    @property
    def output(self) -> Any:
        """The type of the result."""
        return self.return_annotation

    @property
    def flat_inputs(self) -> list[Any]:
        """The specs of the tensors among the arguments, in order."""
        return [spec for p in self.parameters.values() for spec in _specs(p.annotation)]

    @property
    def flat_outputs(self) -> list[Any]:
        """The specs of the tensors in the result, in order."""
        return _specs(self.return_annotation)

    @property
    def captures(self) -> OrderedDict[int, Any]:
        """The specs of the tensors that the function uses from outside."""
        return self._captures

    @property
    def flat_captures(self) -> list[Any]:
        """The specs of the captures, in order."""
        return list(self._captures.values())

    def __repr__(self) -> str:
        return self._words

    _captures: OrderedDict[int, Any]
    _words: str


# `inspect.Signature` has slots and no room for more; a subclass has a dictionary, which these fill.
def function_type_of(concrete: Any) -> FunctionType:
    """Return the type of a traced function."""
    form = concrete._call_form
    named_kinds = [] if form is None else zip(form.named, form.kinds, strict=True)
    parameters = [
        Parameter(name, kind, annotation=_type_of(as_traced(value, name, concrete)))
        for (name, value), kind in named_kinds
    ]
    result = FunctionType(parameters, return_annotation=_type_of(concrete.structured_outputs))
    # Small tensors became constants of the graph; to the caller they are captured like others.
    constants = [outer for outer, _ in concrete.graph.constants.values()]
    result._captures = OrderedDict(
        (id(outer), TensorSpec(outer.shape, outer.dtype))
        for outer in [*concrete.captured_inputs, *constants]
    )
    result._words = described(concrete)
    return result


def _type_of(value: Any) -> Any:
    specs = nest.map_structure(_leaf_type, value)
    return specs if isinstance(specs, TypeSpec) else Structure(specs)


def _leaf_type(value: Any) -> Any:
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name)
    is_plain = value is None or isinstance(value, (bool, int, float, str, bytes, TypeSpec))
    if is_plain:
        return value
    try:
        return type_spec_from_value(value)
    except TypeError:  # an object of Python's, known by itself
        return value


def _specs(value: Any) -> list[Any]:
    if isinstance(value, Structure):
        value = value.value
    return [item for item in nest.flatten(value) if isinstance(item, TypeSpec)]
