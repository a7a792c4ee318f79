"""`tf.graph_util`: parts of GraphDefs, and graphs whose variables have become constants."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise import messages
from placewise.ops.io.tensor_proto import make_tensor_proto

if TYPE_CHECKING:
    from placewise.session.session import Session


_log = logging.getLogger("tensorflow")
_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})
_ALWAYS_CPU = frozenset({"Print", "Assert", "PyFunc", "QueueDequeue", "QueueEnqueue"})


def _node_name(text: str) -> str:
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[Any]) -> Any:
    """Return the nodes of a GraphDef that some nodes need, and those."""
    if not isinstance(graph_def, messages.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    if isinstance(dest_nodes, str):
        raise TypeError(
            f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}."
        )
    inputs = {node.name: [_node_name(each) for each in node.input] for node in graph_def.node}
    for name in dest_nodes:
        if _node_name(name) not in inputs:
            raise AssertionError(f"{name} is not in graph")
    needed: set[str] = set()
    waiting = [_node_name(name) for name in dest_nodes]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += inputs.get(name, ())
    made = messages.GraphDef()
    made.node.extend(node for node in graph_def.node if node.name in needed)
    made.library.CopyFrom(graph_def.library)
    made.versions.CopyFrom(graph_def.versions)
    return made


def remove_training_nodes(input_graph: Any, protected_nodes: Sequence[Any] | None = None) -> Any:
    """Return a GraphDef without the nodes that only check or pass on values.

    A check goes with the control edges to it. An identity stays if a node waits for it, if it waits
    for another node, or if a node is colocated with it.
    """
    kept = set(protected_nodes or ())
    checks = {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op == "CheckNumerics" and node.name not in kept
    }
    waits = {
        node.name: [name for each in node.input if (name := each.removeprefix("^")) != each]
        for node in input_graph.node
        if node.name not in checks
    }
    waits = {node: [name for name in names if name not in checks] for node, names in waits.items()}
    kept.update(node for node, names in waits.items() if names)
    kept.update(name for names in waits.values() for name in names)
    kept.update(name for node in input_graph.node for name in _colocated_with(node))
    passed: dict[str, str] = checks | {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op in ("Identity", "StopGradient") and node.name not in kept
    }
    made = messages.GraphDef()
    for node in input_graph.node:
        if node.name in passed:
            continue
        new = made.node.add()
        new.CopyFrom(node)
        del new.input[:]
        for text in node.input:
            if text.removeprefix("^") in checks and text.startswith("^"):
                continue
            while not text.startswith("^") and _node_name(text) in passed:
                text = passed[_node_name(text)]
            new.input.append(text)
    for part in ("library", "versions"):
        if input_graph.HasField(part):
            getattr(made, part).CopyFrom(getattr(input_graph, part))
    return made


def _colocated_with(node: Any) -> list[str]:
    if "_class" not in node.attr:
        return []
    return [each.decode().removeprefix("loc:@") for each in node.attr["_class"].list.s]


def graph_defs_equal(graph_def_1: Any, graph_def_2: Any, treat_nan_as_equal: bool = False) -> bool:
    """Return True if two GraphDefs have the same nodes and functions, in any order.

    NaN is equal to nothing, itself included, unless `treat_nan_as_equal` says otherwise.
    """
    for name, graph_def in (("graph_def_1", graph_def_1), ("graph_def_2", graph_def_2)):
        if not isinstance(graph_def, messages.GraphDef):
            raise TypeError(
                f"{name} must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}."
            )
    one, other = _in_order(graph_def_1), _in_order(graph_def_2)
    if one.SerializeToString(deterministic=True) != other.SerializeToString(deterministic=True):
        return False
    return treat_nan_as_equal or not _has_nan(one)


def _has_nan(value: Any) -> bool:
    if hasattr(value, "ListFields"):
        return any(_has_nan(part) for _, part in value.ListFields())
    if hasattr(value, "values"):  # a map
        return any(map(_has_nan, value.values()))
    if isinstance(value, (str, bytes, int, float)):
        return bool(value != value)
    return any(map(_has_nan, value))


def _in_order(graph_def: Any) -> Any:
    """Return the nodes and functions of a GraphDef alone, sorted."""
    made = messages.GraphDef()
    made.node.extend(sorted(graph_def.node, key=_bytes))
    for function in graph_def.library.function:
        new = made.library.function.add()
        new.CopyFrom(function)
        del new.node_def[:]
        new.node_def.extend(sorted(function.node_def, key=_bytes))
    made.library.function.sort(key=_bytes)
    return made


def _bytes(message: Any) -> bytes:
    return bytes(message.SerializeToString(deterministic=True))


def convert_variables_to_constants(
    sess: Session,
    input_graph_def: Any,
    output_node_names: Sequence[Any],
    variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> Any:
    """Return what some outputs need, with variables replaced by their values in a session."""
    inside = extract_sub_graph(input_graph_def, output_node_names)
    frozen = {
        node.name: node
        for node in inside.node
        if node.op in _VARIABLES
        and (variable_names_whitelist is None or node.name in variable_names_whitelist)
        and (variable_names_blacklist is None or node.name not in variable_names_blacklist)
    }
    values = _values(sess, list(frozen.values()))
    _log.info("Froze %d variables.", len(values))
    made = messages.GraphDef()
    for node in inside.node:
        new = made.node.add()
        if node.name in frozen:
            value = values[node.name]
            new.op, new.name = "Const", node.name
            new.attr["dtype"].CopyFrom(node.attr["dtype"])
            proto = make_tensor_proto(value, node.attr["dtype"].type, np.shape(value))
            new.attr["value"].tensor.CopyFrom(proto)
            continue
        reads = node.input and _node_name(node.input[0]) in frozen
        if reads and node.op == "ReadVariableOp":
            new.op, new.name = "Identity", node.name
            new.input.extend(node.input)
            new.attr["T"].CopyFrom(node.attr["dtype"])
        elif reads and node.op == "ResourceGather":
            _gather(made, new, node)
        else:
            new.CopyFrom(node)
    made.library.CopyFrom(inside.library)
    made.versions.CopyFrom(inside.versions)
    _log.info("Converted %d variables to const ops.", len(values))
    return made


def _gather(made: Any, new: Any, node: Any) -> None:
    axis = messages.NodeDef(op="Const", name=f"{node.name}/axis")
    axis.attr["dtype"].type = messages.DT_INT32
    batch = node.attr["batch_dims"].i
    axis.attr["value"].tensor.CopyFrom(make_tensor_proto(np.int32(batch)))
    new.op, new.name = "GatherV2", node.name
    new.input.extend([node.input[0], node.input[1], axis.name])
    new.attr["Tparams"].CopyFrom(node.attr["dtype"])
    new.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    new.attr["Taxis"].type = messages.DT_INT32
    new.attr["batch_dims"].i = batch
    made.node.append(axis)


def _values(sess: Session, nodes: list[Any]) -> dict[str, Any]:
    """Return the values of variables in a session, by name."""
    graph = sess.graph
    fetches = {}
    for node in nodes:
        if node.op != "VarHandleOp":
            fetches[node.name] = f"{node.name}:0"
            continue
        handle = graph.get_operation_by_name(node.name)
        reader = next(
            (
                op
                for op in graph.get_operations()
                if op.type == "ReadVariableOp" and op.inputs[0].op is handle and op.block is None
            ),
            None,
        )
        if reader is None:
            raise ValueError(f"the graph has no operation that reads the variable {node.name}")
        fetches[node.name] = reader.outputs[0]
    found: dict[str, Any] = sess.run(fetches) if fetches else {}
    return found


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Return True for a NodeDef, or operation, that no GPU can run."""
    proto = node.node_def if hasattr(node, "node_def") else node
    if not isinstance(proto, messages.NodeDef):
        raise TypeError(f"node must be a NodeDef or an Operation: {node!r}")
    if pin_variables_on_cpu and proto.op in ("Variable", "VariableV2", "Assign"):
        return True
    if proto.op == "Const":
        return bool(proto.attr["dtype"].type in (messages.DT_STRING, messages.DT_INT32))
    if proto.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return bool(proto.attr["T"].type == messages.DT_INT32)
    if proto.op == "Cast":
        return messages.DT_INT32 in (proto.attr["SrcT"].type, proto.attr["DstT"].type)
    return (
        any(value.type == messages.DT_STRING for value in proto.attr.values() if value.type)
        or proto.op in _ALWAYS_CPU
    )


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """Return the shape of a tensor by its name, with or without the number of the output."""
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).get_shape()
