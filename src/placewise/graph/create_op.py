"""Operations by the name of their op: `Graph.create_op`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.graph.attributes import to_message
from placewise.graph.import_graph_def import Importer
from placewise.graph.operation import Operation
from placewise.ops.declare import REGISTRY, Op
from placewise.ops.registry import load_all

if TYPE_CHECKING:
    from placewise.graph.graph import Graph


def create_op(
    graph: Graph, op_type: str, inputs: Any, name: str | None, attrs: dict[str, Any] | None
) -> Operation:
    """Add an operation of any op; inputs are flat, attributes values or AttrValues."""
    load_all()
    declared = REGISTRY.get(op_type)
    if declared is None:
        raise RuntimeError(f"Op type not registered '{op_type}' in binary running on this host.")
    tensors = list(inputs)
    for position, tensor in enumerate(tensors):
        if not hasattr(tensor, "value_index"):
            raise TypeError(f"Input #{position} is not a tensor: {tensor}")
    node = messages.NodeDef(op=op_type)
    kinds = {attr.name: attr.kind for attr in declared.attrs}
    for key, value in (attrs or {}).items():
        if not isinstance(value, messages.AttrValue):
            value = to_message(kinds.get(key, _kind_of(value)), value)
        node.attr[key].CopyFrom(value)
    _count_lists(declared, node, tensors)
    if name is not None and name.endswith("/"):
        node.name = name[:-1]
        importer = Importer(graph, {}, "", {})
    else:
        node.name = name or op_type
        importer = Importer(graph, {}, graph.scopes.name, {})
        importer.inner = True
    return importer._plain(node, tensors)


def _kind_of(value: Any) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    if isinstance(value, float):
        return "float"
    return "string" if isinstance(value, (str, bytes)) else "type"


def _count_lists(declared: Op, node: Any, tensors: list[Any]) -> None:
    """Say how long the one list among the inputs is, where the attributes do not."""
    lists = [arg for arg in declared.inputs if arg.is_list]
    if len(lists) != 1:
        return
    (arg,) = lists
    start = declared.inputs.index(arg)
    count = len(tensors) - len(declared.inputs) + 1
    if arg.number_attr and arg.number_attr not in node.attr:
        node.attr[arg.number_attr].i = count
    elif arg.is_type_list and arg.type_attr not in node.attr:
        base_dtypes = [tensor.dtype.base_dtype for tensor in tensors[start : start + count]]
        node.attr[arg.type_attr].CopyFrom(to_message("list(type)", base_dtypes))
