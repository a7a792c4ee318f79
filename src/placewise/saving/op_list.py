"""Op declarations as OpDef messages: what a meta graph says about the ops it uses."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.graph.attributes import to_message
from placewise.ops.declare import REGISTRY, REQUIRED, Arg, Op


def op_def(op: Op) -> Any:
    """Return a declaration as an OpDef."""
    made = messages.OpDef(name=op.name, is_stateful=op.stateful)
    kinds: dict[str, str] = {}
    for args, field in ((op.inputs, made.input_arg), (op.outputs, made.output_arg)):
        for arg in args:
            _add_arg(field, arg, arg.name in op.refs)
            if arg.type_attr:
                kinds.setdefault(arg.type_attr, "list(type)" if arg.is_type_list else "type")
            if arg.number_attr:
                kinds.setdefault(arg.number_attr, "int")
    declared = {attr.name: attr for attr in op.attrs}
    for name in sorted({*kinds, *declared}):
        attr = declared.get(name)
        entry = made.attr.add(name=name, type=attr.kind if attr else kinds[name])
        if (
            attr is not None
            and attr.default is not REQUIRED
            and (attr.default is not None or attr.kind == "shape")
        ):
            entry.default_value.CopyFrom(to_message(attr.kind, attr.default))
        if name in op.types and entry.type in ("type", "list(type)"):
            allowed = sorted(dtype.as_datatype_enum for dtype in op.types[name])
            entry.allowed_values.list.type.extend(allowed)
    return made


def _add_arg(field: Any, arg: Arg, is_ref: bool) -> None:
    made = field.add(name=arg.name, is_ref=is_ref)
    if arg.dtype is not None:
        made.type = arg.dtype.as_datatype_enum
    elif arg.is_type_list:
        made.type_list_attr = arg.type_attr
    else:
        made.type_attr = arg.type_attr
    if arg.number_attr:
        made.number_attr = arg.number_attr


def stripped_op_list(graph_def: Any) -> Any:
    """Return the OpDefs of the ops that a GraphDef uses, by name."""
    used = {node.op for node in graph_def.node}
    for function in graph_def.library.function:
        used.update(node.op for node in function.node_def)
    made = messages.OpList()
    made.op.extend(op_def(REGISTRY[name]) for name in sorted(used) if name in REGISTRY)
    return made
