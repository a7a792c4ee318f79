"""Arguments as what a function was traced for, or what its input signature says."""

from __future__ import annotations

from typing import Any

from placewise.core import nest
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.functions.descriptions import type_text
from placewise.ops.convert import convert_to_tensor
from placewise.ops.specs import TensorSpec, TypeSpec
from placewise.ops.state.variable import is_variable

_PLAIN = (bool, int, float, str, bytes, type(None))


def cast(value: Any, spec: Any) -> Any:
    """Return a value as one that a spec describes, or raise TypeError.

    `spec` is a TypeSpec, a structure of them, or a Python value that is the only one admitted.
    """
    if isinstance(spec, TensorSpec):
        return _cast_tensor(value, spec)
    if isinstance(spec, TypeSpec):
        return _cast_composite(value, spec)
    if is_variable(spec):
        if is_variable(value):
            return value
        raise TypeError(f"Can not cast {value!r} to {type_text(spec)}")
    parts = nest.children(spec)
    if parts is None:
        return _cast_literal(value, spec)
    return _cast_structure(value, spec, parts)


def _cast_literal(value: Any, expected: Any) -> Any:
    """Return a Python value that is the one a function was traced for."""
    if isinstance(expected, _PLAIN) and (not isinstance(value, _PLAIN) or value != expected):
        raise TypeError(f"Can not cast {value!r} to {type_text(expected)}")
    return value


def _cast_composite(value: Any, spec: TypeSpec) -> Any:
    if isinstance(value, TypeSpec) or spec.is_compatible_with(value):
        return value
    wanted = spec._components()
    parts = value._components() if isinstance(value, Composite) else [value]
    if wanted and len(parts) != len(wanted):
        nest.assert_same_structure(list(wanted), list(parts), expand_composites=True)
    for part, component in zip(parts, wanted, strict=False):
        if isinstance(component, TensorSpec):
            _cast_tensor(part, component)  # says which part does not fit
    raise TypeError(f"Can not cast {value!r} to {spec!r}")


def _cast_structure(value: Any, spec: Any, parts: list[tuple[Any, Any]]) -> Any:
    parts_of_value = nest.children(value)
    if isinstance(spec, dict):
        if parts_of_value is None or not isinstance(value, dict):
            raise TypeError(f"Can not cast {value!r} to a Dict type.")
        if [key for key, _ in parts_of_value] != [key for key, _ in parts]:
            raise TypeError(f"{value!r} has different keys with the TraceType {type_text(spec)}.")
    elif not isinstance(value, type(spec)) or parts_of_value is None:
        raise TypeError(f"Can not cast {value!r} to {type(spec).__name__} type.")
    elif len(parts_of_value) != len(parts):
        raise TypeError(
            f"Can not cast {value!r} to {type_text(spec)}: it has {len(parts_of_value)} entries, "
            f"not {len(parts)}"
        )
    return nest.rebuild(
        value, [cast(v, s) for (_, v), (_, s) in zip(parts_of_value, parts, strict=True)]
    )


def _cast_tensor(value: Any, spec: TensorSpec) -> Any:
    if isinstance(value, TensorSpec):
        known = value
    else:
        if is_variable(value):
            value = convert_to_tensor(value)
        elif not isinstance(value, Tensor):
            value = convert_to_tensor(value, spec.dtype)
        known = TensorSpec(value.shape, value.dtype.base_dtype, spec.name)
    if known.dtype.base_dtype is not spec.dtype or not spec.shape.is_compatible_with(known.shape):
        raise TypeError(f"Can not cast {type_text(known)} to {type_text(spec)}")
    return value
