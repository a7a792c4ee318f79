"""How a function was called when it was traced, and calls of that trace by the same form.

A trace can be called in two ways: as the Python function was, or with all tensors of the arguments
in a row, by position or by the names of their placeholders.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.errors import InvalidArgumentError
from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.functions.casting import cast
from placewise.functions.descriptions import spec_of, type_text
from placewise.functions.signature import Arguments
from placewise.graph.tensor import GraphTensor
from placewise.ops.specs import CompositeSpec, TensorSpec, TypeSpec
from placewise.ops.state.variable import is_variable
from placewise.ops.values import EagerTensor, c_name

_Parameter = inspect.Parameter
_MISSING: Any = object()


class CallForm:
    """Names and values of a function's parameters, with specs in place of tensors.

    The first `positional` of them are given by position; `only_by_position` is True for functions
    with `*args`, whose names nobody can use.
    """

    def __init__(
        self, named: list[tuple[str, Any]], positional: int, only_by_position: bool = False
    ) -> None:
        self.named, self.positional = named, positional
        by_position = (
            _Parameter.POSITIONAL_ONLY if only_by_position else _Parameter.POSITIONAL_OR_KEYWORD
        )
        self.kinds = [
            by_position if index < positional else _Parameter.KEYWORD_ONLY
            for index in range(len(named))
        ]

    @functools.cached_property
    def _signature(self) -> inspect.Signature:
        return self._signature_with(_MISSING)

    def _signature_with(self, default: Any) -> inspect.Signature:
        kinds = zip(self.named, self.kinds, strict=True)
        return inspect.Signature(
            [_Parameter(name, kind, default=default) for (name, _), kind in kinds]
        )

    def _bound(self, args: Any, kwargs: Any) -> dict[str, Any]:
        """Return what was given, by name of the parameter."""
        try:
            return self._signature.bind(*args, **kwargs).arguments
        except TypeError:
            # TensorFlow's signature has no defaults: what is missing comes before what is unknown.
            self._signature_with(_Parameter.empty).bind(*args, **kwargs)
            raise

    def structured(self) -> Any:
        """Return the arguments as (args, kwargs), with specs for tensors."""
        specs = [(name, spec_of(value, name)) for name, value in self.named]
        args = tuple(value for _, value in specs[: self.positional])
        return args, dict(specs[self.positional :])

    def has_names_of(self, named: list[tuple[str, Any]]) -> bool:
        """Return True if the specs here have the names that the specs of a call ask for."""
        for (name, mine), (_, asked) in zip(self.named, named, strict=True):
            own = nest.flatten(spec_of(mine, name))
            for one, other in zip(own, nest.flatten(asked), strict=True):
                if isinstance(other, TensorSpec) and other.name and other.name != one.name:
                    return False
        return True

    def tensors(
        self,
        args: Any,
        kwargs: Any,
        inputs: list[GraphTensor],
        called: str,
        summary: Callable[[], str],
    ) -> tuple[list[Any], bool]:
        """Return the tensors of a call, flat, and if they have the shapes of the trace.

        As in TensorFlow, other shapes pass only where ops run at once and only as tensors: not in
        a structure, not as arrays, lists or variables. `summary` gives the signature for errors.
        """
        try:
            return self._structured(args, kwargs, inputs), True
        except (TypeError, ValueError) as problem:
            reason = str(problem).partition("\n  ")[0]
        failed = (
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
            f"kwargs: {kwargs} for signature: {summary()}."
        )
        try:
            flat = flat_tensors(args, kwargs, inputs, called)
        except TypeError as problem:
            raise TypeError(
                f"{failed}\nFallback to flat signature also failed due to: {problem}"
            ) from None
        for index, (tensor, placeholder) in enumerate(zip(flat, inputs, strict=True)):
            if not is_variable(tensor) and tensor.dtype.base_dtype is not placeholder.dtype:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"cannot compute {called} as input #{index}(zero-based) was expected to be a "
                    f"{c_name(placeholder.dtype)} tensor but is a {c_name(tensor.dtype)} tensor "
                    f"[Op:{called}]",
                )
        unlike = [
            tensor
            for tensor, placeholder in zip(flat, inputs, strict=True)
            if not placeholder.shape.is_compatible_with(tensor.shape)
        ]
        if unlike and any(not isinstance(tensor, EagerTensor) for tensor in unlike):
            raise TypeError(
                f"{failed}\nFallback to flat signature also failed due to: Tensor {unlike[0]} is "
                "not compatible with the shape this function was traced with."
            )
        if unlike and any(is_variable(value) for value in [*args, *kwargs.values()]):
            raise TypeError(failed)
        return flat, not unlike

    def _structured(self, args: Any, kwargs: Any, inputs: list[GraphTensor]) -> list[Any]:
        """Return the tensors of a call that looks like the one that was traced."""
        if len(args) == len(self.named) == self.positional and not kwargs:
            bound = dict(zip([name for name, _ in self.named], args, strict=True))
        else:
            bound = self._bound(args, kwargs)
        values = []
        for name, traced in self.named:
            value = bound.get(name, _MISSING)
            if value is _MISSING:
                if _has_tensors(traced):
                    raise TypeError(f"missing a required argument: '{name}'")
                values.append((name, traced))
            else:
                values.append((name, cast(value, traced)))
        taken = Arguments(values)
        flat = [leaf.value for leaf in taken.leaves]
        if len(flat) != len(inputs) or any(item is None for item in flat):
            raise TypeError(f"expected {len(inputs)} tensors, got {len(flat)}")
        tell_tapes(taken.variables)
        return flat


def _has_tensors(traced: Any) -> bool:
    return any(
        is_variable(leaf) or isinstance(leaf, (Tensor, TypeSpec, CompositeSpec))
        for leaf in nest.flatten(traced)
    )


def flat_tensors(args: Any, kwargs: Any, inputs: list[GraphTensor], called: str) -> list[Any]:
    """Return the tensors of a call that names the placeholders, or gives them in their order."""
    names = [placeholder.op.name for placeholder in inputs]
    title = f"{called}({', '.join(names)})"
    if len(args) > len(names):
        raise TypeError(f"{title} takes {len(names)} positional arguments, got {len(args)}.")
    missing = [name for name in names[len(args) :] if name not in kwargs]
    if missing:
        raise TypeError(f"{title} missing required arguments: {', '.join(sorted(missing))}.")
    for name in names[: len(args)]:
        if name in kwargs:
            raise TypeError(f"{title} got two values for '{name}'.")
    unknown = [name for name in kwargs if name not in names]
    if unknown:
        raise TypeError(f"{title} got unexpected keyword arguments: {', '.join(sorted(unknown))}.")
    values = [*args, *[kwargs[name] for name in names[len(args) :]]]
    for index, value in enumerate(values):
        if not isinstance(value, Tensor) and not is_variable(value):
            raise TypeError(
                f"{title}: expected argument #{index}(zero-based) to be a Tensor; got "
                f"{type(value).__name__} ({value})."
            )
    tell_tapes([value for value in values if is_variable(value)])
    return [_tensor_for(value, place) for value, place in zip(values, inputs, strict=True)]


def _tensor_for(value: Any, placeholder: GraphTensor) -> Any:
    if not is_variable(value):
        return value
    return value.handle if placeholder.dtype.name == "resource" else value.read_value()


def tell_tapes(variables: Any) -> None:
    """Notify gradient tapes that the function reads variables."""
    for tape in current.tapes:
        for variable in variables:
            tape.variable_accessed(variable)


def signature_text(form: CallForm | None, outputs: Any) -> str:
    """Return the signature of a trace in one line."""
    parameters = []
    if form is not None:
        parameters = [
            _Parameter(name, kind, annotation=_Text(type_text(value)))
            for (name, value), kind in zip(form.named, form.kinds, strict=True)
        ]
    return str(inspect.Signature(parameters, return_annotation=_Text(type_text(outputs))))


class _Text:
    """Stands in a signature for something, as a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text
