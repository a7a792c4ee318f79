"""What a traced function takes and returns, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import nest
from placewise.core.nest import Composite
from placewise.core.tensor import Tensor
from placewise.ops.specs import TensorSpec, TypeSpec, type_spec_from_value
from placewise.ops.state.variable import is_variable


def spec_of(value: Any, name: str | None = None) -> Any:
    """Return an argument with specs in place of tensors.

    Specs that have no name get one made of `name`; without it they stay unnamed.
    """
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or name)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        spec = type_spec_from_value(value)
        return TensorSpec(spec.shape, spec.dtype, name)
    if isinstance(value, (TypeSpec, Composite)) or is_variable(value):
        return (
            value
            if is_variable(value) or isinstance(value, TypeSpec)
            else (type_spec_from_value(value))
        )
    parts = nest.children(value)
    if parts is None:
        return value
    names = [None if name is None else f"{name}_{key}" for key, _ in parts]
    return nest.rebuild(
        value, [spec_of(part, own) for own, (_, part) in zip(names, parts, strict=True)]
    )


def type_text(value: Any) -> str:
    """Return the trace type of an argument as TensorFlow prints it, e.g. `Literal[1]`."""
    if isinstance(value, TensorSpec):
        return repr(TensorSpec(value.shape, value.dtype, value.name))
    if isinstance(value, Tensor):
        return repr(TensorSpec(value.shape, value.dtype))
    if isinstance(value, (TypeSpec, Composite)):
        return repr(value if isinstance(value, TypeSpec) else type_spec_from_value(value))
    if is_variable(value):
        return f"VariableSpec(shape={value.shape}, dtype={value.dtype!r}, trainable=True)"
    if isinstance(value, dict):
        inner = ", ".join(f"[{key!r}, {type_text(value[key])}]" for key in sorted(value))
        return f"Dict[{inner}]"
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(type_text(item) for item in value)}]"
    if nest.is_custom(value):
        metadata, parts = value.__tf_flatten__()
        inner = "".join(f"{type_text(part)}, " for part in parts).removesuffix(" ")
        return f"CustomNestTraceType [metadata={metadata}, components=({inner})]"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return f"Literal[{value!r}]"
    return repr(value)


def described(concrete: Any) -> str:
    """Return parameters, results and captures of a traced function, a line each."""
    form = concrete._call_form
    lines = ["Input Parameters:"]
    if form is None or not form.named:
        lines.append("  None")
    else:
        for (name, value), kind in zip(form.named, form.kinds, strict=True):
            lines.append(f"  {name} ({kind.name}): {type_text(as_traced(value, name, concrete))}")
    lines += ["Output Type:", f"  {type_text(concrete.structured_outputs)}", "Captures:"]
    captured = [
        f"  {outer.dtype!r} {outer.shape}"
        if outer.dtype.name != "resource"
        else f"  {id(outer)}: TensorSpec(shape=(), dtype=tf.resource, name=None)"
        for outer in concrete.captured_inputs
    ]
    return "\n".join([*lines, *(captured or ["  None"])])


def as_traced(value: Any, name: str, concrete: Any) -> Any:
    """Return an argument with the shapes that the trace admits."""
    if isinstance(value, Tensor):
        for placeholder in concrete.graph.inputs:
            if placeholder.op.name == name:
                return placeholder
    return spec_of(value)
