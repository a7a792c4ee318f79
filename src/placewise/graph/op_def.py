"""Ops as OpDef messages: what `Operation.op_def` and meta graphs say of an op."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.graph.attributes import to_message
from placewise.ops.declare import REQUIRED, Arg, Attr, Op
from placewise.ops.default_types import default_of


def op_def(op: Op) -> Any:
    """Return an op's declaration as an OpDef."""
    result = messages.OpDef(name=op.name, is_stateful=op.stateful)
    for args, field in ((op.inputs, result.input_arg), (op.outputs, result.output_arg)):
        for arg in args:
            _add_arg(field, arg, arg.name in op.refs)
    for attr in _attributes(op):
        _add_attribute(result.attr, op, attr)
    return result


def _add_arg(field: Any, arg: Arg, is_ref: bool) -> None:
    entry = field.add(name=arg.name, is_ref=is_ref)
    if arg.dtype is not None:
        entry.type = arg.dtype.as_datatype_enum
    elif arg.is_type_list:
        entry.type_list_attr = arg.type_attr
    else:
        entry.type_attr = arg.type_attr
    if arg.number_attr:
        entry.number_attr = arg.number_attr


def _attributes(op: Op) -> list[Attr]:
    """Return all attributes by name, also those that follow from the inputs."""
    attrs = {attr.name: attr for attr in op.attrs}
    for arg in (*op.inputs, *op.outputs):
        if arg.number_attr:
            attrs.setdefault(arg.number_attr, Attr(arg.number_attr, "int", REQUIRED, arg.least))
        if arg.type_attr:
            kind, least = ("list(type)", arg.least) if arg.is_type_list else ("type", None)
            default = default_of(op, arg.type_attr) or REQUIRED
            attrs.setdefault(arg.type_attr, Attr(arg.type_attr, kind, default, least))
    return [attrs[name] for name in sorted(attrs)]


def _add_attribute(field: Any, op: Op, attr: Attr) -> None:
    entry = field.add(name=attr.name, type=attr.kind)
    if attr.default is not REQUIRED and (attr.default is not None or attr.kind == "shape"):
        entry.default_value.CopyFrom(to_message(attr.kind, attr.default))
    if attr.least is not None:
        entry.has_minimum, entry.minimum = True, attr.least
    if attr.name in op.types and attr.kind in ("type", "list(type)"):
        allowed = sorted(dtype.as_datatype_enum for dtype in op.types[attr.name])
        entry.allowed_values.list.type.extend(allowed)
    if attr.choices:
        entry.allowed_values.list.s.extend(choice.encode() for choice in attr.choices)
