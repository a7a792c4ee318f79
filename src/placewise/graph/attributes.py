"""Attributes of operations as AttrValue messages, and back."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core.dtypes import DType, as_dtype
from placewise.core.shapes import TensorShape
from placewise.ops.declare import Attr, Op
from placewise.ops.io.tensor_proto import make_ndarray, make_tensor_proto

# Attributes TensorFlow 1.15 does not know yet: not written down where they are what they were.
_LATER = frozenset(
    {
        "bad_indices_policy",
        "blank_index",
        "exponential_avg_factor",
        "grad_a",
        "grad_b",
        "grad_x",
        "grad_y",
        "index_type",
        "multiply_linear_by_lr",
        "perturb_singular",
        "sparse_gradient",
        "Tcomplex",
        "Treal",
        "validate_shape",
    }
)

_FIELDS = {"int": "i", "float": "f", "bool": "b"}


def to_message(kind: str, value: Any) -> Any:
    """Return an attribute of a declared kind as an AttrValue."""
    attr_value = messages.AttrValue()
    if kind.startswith("list("):
        attr_value.list.SetInParent()
        for entry in value or ():
            _put(attr_value.list, kind[5:-1], entry, repeated=True)
    else:
        _put(attr_value, kind, value, repeated=False)
    return attr_value


def _put(target: Any, kind: str, value: Any, repeated: bool) -> None:
    if kind == "type":
        _set(target, "type", as_dtype(value).base_dtype.as_datatype_enum, repeated)
    elif kind == "shape":
        proto = TensorShape(value).as_proto()
        target.shape.append(proto) if repeated else target.shape.CopyFrom(proto)
    elif kind == "tensor":
        proto = make_tensor_proto(value)
        target.tensor.append(proto) if repeated else target.tensor.CopyFrom(proto)
    elif kind == "string":
        text = value if isinstance(value, bytes) else str(value or "").encode()
        _set(target, "s", text, repeated)
    elif kind == "func":
        target.func.name = str(value)
    else:
        _set(target, _FIELDS[kind], value, repeated)


def _set(target: Any, field: str, value: Any, repeated: bool) -> None:
    if repeated:
        getattr(target, field).append(value)
    else:
        setattr(target, field, value)


def from_message(kind: str, proto: Any) -> Any:
    """Return an AttrValue as the Python value of a declared kind."""
    if kind.startswith("list("):
        return _from_list(kind[5:-1], proto.list)
    if kind == "type":
        return as_dtype(proto.type)
    if kind == "shape":
        return TensorShape(proto.shape)._dims
    if kind == "tensor":
        return make_ndarray(proto.tensor)
    if kind == "string":
        return _text(proto.s)
    return getattr(proto, _FIELDS[kind])


def _from_list(kind: str, proto: Any) -> Any:
    if kind == "type":
        return [as_dtype(item) for item in proto.type]
    if kind == "shape":
        return [TensorShape(item)._dims for item in proto.shape]
    if kind == "string":
        return [_text(item) for item in proto.s]
    return list(getattr(proto, _FIELDS[kind]))


def _text(raw: bytes) -> Any:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def is_implied(op: Op, attr: Attr, value: Any) -> bool:
    """Return True for an attribute that previous versions of TensorFlow could not read."""
    if attr.name not in _LATER and attr.name not in op.later_attrs:
        return False
    if op.name == "Assign":  # has it from the beginning
        return False
    default = tuple(attr.default) if isinstance(attr.default, (list, tuple)) else attr.default
    return bool((tuple(value) if isinstance(value, (list, tuple)) else value) == default)


def inferred(op: Op, spread: tuple[Any, ...]) -> dict[str, Any]:
    """Return the attributes that follow from an operation's inputs, as AttrValues."""
    result: dict[str, Any] = {}
    for arg, item in zip(op.inputs, spread, strict=True):
        several = type(item) is list
        if arg.number_attr and several:
            result[arg.number_attr] = messages.AttrValue(i=len(item))
        if arg.type_attr is None or arg.type_attr in result:
            continue
        if arg.is_type_list:
            result[arg.type_attr] = to_message("list(type)", [t.dtype for t in item])
        elif several and not item:
            continue
        else:
            dtype: DType = (item[0] if several else item).dtype
            result[arg.type_attr] = to_message("type", dtype)
    return result


def plain(value: Any) -> Any:
    """Return an AttrValue, of whatever kind, as Python: for attributes no op declares."""
    kind = value.WhichOneof("value")
    if kind == "list":
        for field in ("s", "i", "f", "b", "type", "shape", "tensor"):
            if len(getattr(value.list, field)):
                return list(getattr(value.list, field))
        return []
    return getattr(value, kind) if kind else None
