"""The parameters of a Python function, and the arguments of a call in their order."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from placewise.core import nest
from placewise.core.tensor import Tensor
from placewise.functions.signature import Arguments
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec, TypeSpec
from placewise.ops.state.variable import is_variable

_ANY = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
)


class Taken(NamedTuple):
    """The arguments of a call: by name, the first `positional` by position; and taken apart."""

    named: list[tuple[str, Any]]
    positional: int
    arguments: Arguments
    shapes: tuple[Any, ...]


class Parameters:
    """Names, defaults and given specs of a function's parameters."""

    def __init__(self, function: Any, input_signature: Any) -> None:
        try:
            self.signature = inspect.signature(function)
        except (TypeError, ValueError):
            self.signature = _ANY
        self.input_signature = None if input_signature is None else tuple(input_signature)
        if input_signature is not None:
            _check_specs(self.input_signature)
            self._check_count()
        kinds = [p.kind for p in self.signature.parameters.values()]
        self._plain = all(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        self.names = list(self.signature.parameters)
        self._defaults = [p.default for p in self.signature.parameters.values()]

    def _check_count(self) -> None:
        given = [
            p
            for p in self.signature.parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        many = any(p.kind is p.VAR_POSITIONAL for p in self.signature.parameters.values())
        if len(self.input_signature or ()) > len(given) and not many:
            raise TypeError(
                f"input_signature has {len(self.input_signature or ())} entries, but the function "
                f"takes {len(given)} positional arguments: {self.signature}"
            )

    def taken(self, args: Any, kwargs: Any) -> Taken:
        """Return the arguments of a call by name, and taken apart."""
        named, positional = self._named(args, kwargs)
        if self.input_signature is None:
            arguments = Arguments(named)
            return Taken(named, positional, arguments, arguments.shapes)
        named, specs = self._as_signed(named, args, kwargs)
        arguments = Arguments(named)
        return Taken(named, positional, arguments, Arguments(specs).shapes)

    def from_specs(self) -> Taken:
        """Return the arguments that the input signature describes."""
        return self.taken(self.input_signature, {})

    def _named(self, args: Any, kwargs: Any) -> tuple[list[tuple[str, Any]], int]:
        """Return the arguments by name, and how many of them are given by position."""
        if self._plain and not kwargs and len(args) == len(self.names):
            return list(zip(self.names, args, strict=True)), len(args)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise self._cannot(str(problem), args, kwargs) from None
        bound.apply_defaults()
        named: list[tuple[str, Any]] = []
        positional = 0
        for name, value in bound.arguments.items():
            kind = self.signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                named += [(f"{name}_{index}", each) for index, each in enumerate(value)]
                positional = len(named)
            elif kind is inspect.Parameter.VAR_KEYWORD:
                named += [(key, value[key]) for key in sorted(value)]
            else:
                named.append((name, value))
                if kind is not inspect.Parameter.KEYWORD_ONLY:
                    positional = len(named)
        return named, positional

    def _cannot(self, reason: str, args: Any, kwargs: Any) -> TypeError:
        return TypeError(
            f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and "
            f"kwargs: {kwargs} for signature: {self._told()}."
        )

    def _told(self) -> str:
        if self.input_signature is None:
            return str(self.signature)
        parts = []
        for index, name in enumerate(self.names):
            spec = self.input_signature[index] if index < len(self.input_signature) else None
            parts.append(name if spec is None else f"{name}: {spec!r}")
        return f"({', '.join(parts)})"

    def _as_signed(self, named: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """Return the arguments as what the input signature says they are, and the specs."""
        made, specs = [], []
        for index, (name, value) in enumerate(named):
            if index >= len(self.input_signature or ()):
                made.append((name, value))
                specs.append((name, value))
                continue
            spec = self.input_signature[index]  # type: ignore[index]
            try:
                made.append((name, _cast(value, spec)))
            except (TypeError, ValueError) as problem:
                raise self._cannot(str(problem), args, kwargs) from None
            specs.append((name, spec))
        return made, specs


def _check_specs(signature: Any) -> None:
    for each in nest.flatten(list(signature)):
        if not isinstance(each, TypeSpec):
            raise TypeError(
                f"input_signature must be a possibly nested sequence of TensorSpec objects, got "
                f"{signature}"
            )


def _cast(value: Any, spec: Any) -> Any:
    """Return a value as one that a spec describes, or raise TypeError."""
    if isinstance(spec, TensorSpec):
        if isinstance(value, TensorSpec):
            told = value
        else:
            if not isinstance(value, Tensor) and not is_variable(value):
                value = convert_to_tensor(value, spec.dtype)
            told = TensorSpec(value.shape, value.dtype)
        if told.dtype.base_dtype is not spec.dtype or not _within(told.shape, spec.shape):
            raise TypeError(f"Can not cast {told!r} to {spec!r}")
        return convert_to_tensor(value) if is_variable(value) else value
    if isinstance(spec, TypeSpec):
        if isinstance(value, TypeSpec) or spec.is_compatible_with(value):
            return value
        raise TypeError(f"Can not cast {value!r} to {spec!r}")
    parts, given = nest.children(spec), nest.children(value)
    if parts is None or given is None or len(parts) != len(given):
        raise TypeError(f"Can not cast {value!r} to a {type(spec).__name__.capitalize()} type.")
    return nest.rebuild(value, [_cast(v, s) for (_, v), (_, s) in zip(given, parts, strict=True)])


def _within(mine: Any, wide: Any) -> bool:
    return bool(wide.is_compatible_with(mine))
