"""The parameters of a Python function, and the arguments of a call in their order."""

from __future__ import annotations

import inspect
import re
from typing import Any, NamedTuple

from placewise.core import nest
from placewise.core.errors import hint
from placewise.core.tensor import Tensor
from placewise.functions.casting import cast
from placewise.functions.descriptions import type_text
from placewise.functions.signature import Arguments
from placewise.ops.specs import TypeSpec
from placewise.ops.state.variable import Variable

_Parameter = inspect.Parameter
_BY_POSITION = (_Parameter.POSITIONAL_ONLY, _Parameter.POSITIONAL_OR_KEYWORD)
_ANY = inspect.Signature(
    [_Parameter("args", _Parameter.VAR_POSITIONAL), _Parameter("kwargs", _Parameter.VAR_KEYWORD)]
)


class Taken(NamedTuple):
    """The arguments of a call: by name, the first `positional` by position; and taken apart.

    Where the function has an input signature, `named` holds its specs in place of values.
    """

    named: list[tuple[str, Any]]
    positional: int
    arguments: Arguments
    form: Any
    shapes: tuple[Any, ...]


def taken_apart(named: list[tuple[str, Any]], positional: int) -> Taken:
    """Return arguments that are described by nothing but themselves."""
    arguments = Arguments(named)
    return Taken(named, positional, arguments, arguments.form, arguments.shapes)


class Parameters:
    """Names, defaults and given specs of a function's parameters."""

    def __init__(self, function: Any, input_signature: Any) -> None:
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = _ANY
        self.input_signature = None
        self._specs: dict[str, Any] = {}
        self._binding = self.signature
        if input_signature is not None:
            _check_specs(input_signature)
            self.input_signature = tuple(input_signature)
            self._constrain(list(input_signature))
        kinds = [p.kind for p in self._binding.parameters.values()]
        self._plain = all(kind is _Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        self.names = list(self._binding.parameters)
        every = self.signature.parameters.values()
        self.spreads = any(item.kind is _Parameter.VAR_POSITIONAL for item in every)

    def _constrain(self, specs: list[Any]) -> None:
        """Let the signature take exactly what the specs and the defaults describe."""
        parameters: list[inspect.Parameter] = []
        every = list(self.signature.parameters.values())
        spreads = any(item.kind is _Parameter.VAR_POSITIONAL for item in every)
        if every and every[0].name == "self":  # of a method that is in no object yet
            own = every.pop(0)
            parameters.append(own.replace(kind=_Parameter.POSITIONAL_ONLY) if spreads else own)
        for parameter in every:
            if parameter.kind is _Parameter.VAR_POSITIONAL:
                extra = [f"{parameter.name}_{index}" for index in range(len(specs))]
                parameters += [_Parameter(name, _Parameter.POSITIONAL_ONLY) for name in extra]
                self._specs.update(zip(extra, specs, strict=True))
                specs = []
            elif parameter.kind in _BY_POSITION:
                if specs:
                    self._specs[parameter.name] = specs.pop(0)
                elif parameter.default is _Parameter.empty:
                    raise TypeError(f"input_signature missing type constraint for {parameter.name}")
                parameters.append(
                    parameter.replace(kind=_Parameter.POSITIONAL_ONLY) if spreads else parameter
                )
            elif parameter.kind is _Parameter.KEYWORD_ONLY:
                if parameter.default is _Parameter.empty:
                    raise TypeError(f"input_signature missing type constraint for {parameter.name}")
                parameters.append(parameter)
        if specs:
            raise TypeError(f"input_signature contains {len(specs)} extra type constraints.")
        self._binding = inspect.Signature(parameters)

    def taken(self, args: Any, kwargs: Any) -> Taken:
        """Return the arguments of a call by name, and taken apart."""
        named, positional = self._named(args, kwargs)
        if self.input_signature is None:
            return taken_apart(named, positional)
        try:
            values = [(name, self._signed(name, value)) for name, value in named]
        except (TypeError, ValueError) as problem:
            raise self._cannot(str(problem), args, kwargs) from None
        specs = [(name, self._specs.get(name, value)) for name, value in named]
        described, arguments = Arguments(specs), Arguments(values)
        arguments.take_names(described)
        return Taken(specs, positional, arguments, described.form, described.shapes)

    def from_specs(self) -> Taken:
        """Return the arguments that the input signature describes."""
        return self.taken(self.input_signature, {})

    def _named(self, args: Any, kwargs: Any) -> tuple[list[tuple[str, Any]], int]:
        """Return the arguments by name, and how many of them are given by position."""
        if self._plain and not kwargs and len(args) == len(self.names):
            return list(zip(self.names, args, strict=True)), len(args)
        try:
            bound = self._binding.bind(*args, **kwargs)
        except TypeError as problem:
            raise self._cannot(str(problem), args, kwargs) from None
        bound.apply_defaults()
        named: list[tuple[str, Any]] = []
        positional = 0
        for name, value in bound.arguments.items():
            kind = self._binding.parameters[name].kind
            if kind is _Parameter.VAR_POSITIONAL:
                named += [(f"{name}_{index}", parameter) for index, parameter in enumerate(value)]
                positional = len(named)
            elif kind is _Parameter.VAR_KEYWORD:
                _check_names(sorted(value))
                named += [(key, value[key]) for key in sorted(value)]
            else:
                named.append((name, value))
                if kind is not _Parameter.KEYWORD_ONLY:
                    positional = len(named)
        return named, positional

    def _signed(self, name: str, value: Any) -> Any:
        """Return an argument as what the input signature says it is."""
        if name in self._specs:
            return cast(value, self._specs[name])
        default = self._binding.parameters[name].default
        if default is _Parameter.empty:
            return value
        if value is not default and (isinstance(value, Tensor) or value != default):
            raise TypeError(f"Can not cast {value!r} to {type_text(default)}")
        return value

    def _cannot(self, reason: str, args: Any, kwargs: Any) -> TypeError:
        reason = reason.partition("\n")[0]  # without the line that says what to do
        return TypeError(
            hint(
                f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} "
                "and "
                f"kwargs: {kwargs} for signature: {self._told()}.",
                "pass what input_signature says; None in tf.TensorSpec([None], tf.float32) leaves "
                "a dimension open",
            )
        )

    def _told(self) -> str:
        shown = []
        for parameter in self._binding.parameters.values():
            annotation: Any = _Parameter.empty
            if parameter.name in self._specs:
                annotation = _Shown(type_text(self._specs[parameter.name]))
            elif self.input_signature is not None and parameter.default is not _Parameter.empty:
                annotation = _Shown(type_text(parameter.default))
            has_default = parameter.default is not _Parameter.empty
            default = _Shown("<captured_default_value>") if has_default else _Parameter.empty
            shown.append(parameter.replace(annotation=annotation, default=default))
        return str(inspect.Signature(shown))


class _Shown:
    """Stands in a signature for something, as a text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _check_names(names: list[str]) -> None:
    """Raise ValueError if the placeholders of two keyword arguments would have one name."""
    plain = {re.sub(r"[^A-Za-z0-9_.]", "_", name) for name in names}
    if len(plain) < len(names):
        raise ValueError(
            "Name collision after sanitization. Please rename tf.function input parameters. "
            f"Original: {names}, Sanitized: {sorted(plain)}"
        )


def _is_variable_spec(leaf: Any) -> bool:
    return isinstance(leaf, TypeSpec) and leaf.value_type is Variable


def _check_specs(signature: Any) -> None:
    if not isinstance(signature, (tuple, list)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(signature)}.")
    variables = [leaf for leaf in nest.flatten(list(signature)) if _is_variable_spec(leaf)]
    if variables:
        raise TypeError(f"input_signature doesn't support VariableSpec, got {variables}")
    wrong = [leaf for leaf in nest.flatten(list(signature)) if not isinstance(leaf, TypeSpec)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got "
            f"invalid args {wrong} with types {[type(item) for item in wrong]}."
        )
