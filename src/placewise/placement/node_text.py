"""A node on one line, as TensorFlow's errors show it."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core.dtypes import DType

_C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def node_text(op: Any) -> str:
    """Return `name = Op[attr=value, ..., _device="..."](inputs)`."""
    attrs = dict(op.attrs)
    for arg, item in zip(op.declaration.inputs, op.spread, strict=True):
        first = item[0] if type(item) is list and item else item
        if arg.type_attr and arg.type_attr not in attrs and not arg.is_type_list:
            attrs[arg.type_attr] = first.dtype
        if arg.number_attr:
            attrs[arg.number_attr] = len(item)
    shown = [f"{name}={_value(value)}" for name, value in sorted(attrs.items())]
    if op.device:
        shown.append(f'_device="{op.device}"')
    inputs = ", ".join(_input(tensor) for tensor in op.inputs)
    return f"{op.name} = {op.type}[{', '.join(shown)}]({inputs})"


def _input(tensor: Any) -> str:
    name: str = tensor.op.name
    return name if tensor.value_index == 0 else f"{name}:{tensor.value_index}"


def _value(value: Any) -> str:
    if isinstance(value, DType):
        return "DT_" + {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}.get(
            value.base_dtype.name, value.base_dtype.name.upper()
        )
    if isinstance(value, np.ndarray):
        return _tensor(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return str(value)


def _tensor(array: np.ndarray[Any, Any]) -> str:
    kind = "string" if array.dtype == object else _C_NAMES.get(array.dtype.name, array.dtype.name)
    shape = "[" + ",".join(str(d) for d in array.shape) + "]"
    flat = array.reshape(-1)
    values = " ".join(_number(item) for item in flat[:3].tolist())
    more = "..." if flat.size > 3 else ""
    return f"Tensor<type: {kind} shape: {shape} values: {values}{more}>"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
