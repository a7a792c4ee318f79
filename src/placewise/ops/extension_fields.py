"""What the annotations of an `ExtensionType` ask of its fields."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from placewise.core.dtypes import DType, as_dtype
from placewise.core.nest import Composite
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec, TypeSpec

_PLAIN = (int, float, str, bytes, bool, type(None))


class ImmutableDict(dict[Any, Any]):
    """A dictionary that stays as it is."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise TypeError(f"{type(self).__name__} does not support item assignment")

    __setitem__ = __delitem__ = pop = popitem = clear = update = setdefault = _refuse

    def __repr__(self) -> str:
        return f"ImmutableDict({dict.__repr__(self)})"

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


def checked_annotation(name: str, kind: Any) -> None:
    """Raise TypeError for an annotation that no field can have."""
    if kind is Tensor or kind in (*_PLAIN, None, TensorShape, DType) or isinstance(kind, TypeSpec):
        return
    if (isinstance(kind, type) and issubclass(kind, (Composite, Tensor))) or _is_variable(kind):
        return
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    known = (tuple, typing.Union, types.UnionType)
    if origin in known or (isinstance(origin, type) and issubclass(origin, Mapping)):
        for each in arguments:
            if each is not Ellipsis:
                checked_annotation(name, each)
        return
    shown = getattr(kind, "__name__", str(kind))
    raise TypeError(f"In field {name!r}: Unsupported type annotation {shown!r}")


def _is_variable(kind: Any) -> bool:
    """Return True for a class of variables: a field keeps the variable itself."""
    return isinstance(kind, type) and hasattr(kind, "assign_add")


def converted(name: str, kind: Any, value: Any, is_spec: bool = False) -> Any:
    """Return a value as its field holds it; TypeError if it cannot.

    With `is_spec`, tensors and composites are given by their specs.
    """
    origin = typing.get_origin(kind)
    if origin is tuple:
        return _as_tuple(name, typing.get_args(kind), value, is_spec)
    if origin in (typing.Union, types.UnionType):
        return _as_any_of(name, typing.get_args(kind), value, is_spec)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        _, held = typing.get_args(kind)
        _expect(name, value, Mapping)
        made = {key: converted(f"{name}[{key!r}]", held, value[key], is_spec) for key in value}
        return ImmutableDict(made)
    if kind is None or kind in _PLAIN:
        _expect(name, value, type(None) if kind is None else kind)
        return value
    if kind is TensorShape:
        return TensorShape(value)
    if kind is DType:
        return as_dtype(value)
    if _is_variable(kind):
        value = value.deref() if hasattr(value, "deref") else value  # as `_serialize` keeps it
    elif is_spec:
        _expect(name, value, TypeSpec)
        return value
    if kind is Tensor:
        return _as_tensor(name, value, None)
    if isinstance(kind, TensorSpec):
        made = _as_tensor(name, value, kind.dtype)
        if not kind.is_compatible_with(made):
            raise TypeError(f"{name}: expected a {kind!r}, got {made!r}")
        return made
    if isinstance(kind, TypeSpec):
        if not kind.is_compatible_with(value):
            raise TypeError(f"{name}: expected a value of {kind!r}, got {value!r}")
        return value
    _expect(name, value, kind)
    return value


def _as_tensor(name: str, value: Any, dtype: Any) -> Any:
    try:
        return convert_to_tensor(value, dtype)
    except (TypeError, ValueError):
        found = type(value).__name__
        raise TypeError(f"{name}: expected a Tensor, got {found!r}") from None


def _expect(name: str, value: Any, kind: type[Any]) -> None:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind in (int, float)):
        wanted, got = kind.__name__, type(value).__name__
        raise TypeError(f"{name}: expected {wanted!r}, got {got!r}")


def _as_tuple(name: str, kinds: Any, value: Any, is_spec: bool) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name}: expected 'tuple', got {type(value).__name__!r}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = [kinds[0]] * len(value)
    if len(kinds) != len(value):
        raise TypeError(f"{name}: expected a tuple of {len(kinds)} elements, got {len(value)}")
    pairs: Any = zip(kinds, value, strict=True)
    return tuple(converted(f"{name}[{i}]", k, v, is_spec) for i, (k, v) in enumerate(pairs))


def _as_any_of(name: str, kinds: tuple[Any, ...], value: Any, is_spec: bool) -> Any:
    tried: list[str] = []
    convert: Callable[[Any], Any] = lambda kind: converted(name, kind, value, is_spec)  # noqa: E731
    for kind in sorted(kinds, key=lambda kind: kind is not type(None)):
        try:
            return convert(kind)
        except (TypeError, ValueError):
            tried.append(getattr(kind, "__name__", str(kind)))
    wanted = " | ".join(tried)
    raise TypeError(f"{name}: expected one of {wanted}, got {type(value).__name__!r}")
