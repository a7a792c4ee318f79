"""FunctionDefs as lists of nodes whose inputs are named as in a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placewise import messages
from placewise.ops.declare import REGISTRY


@dataclass
class Body:
    """What a function does: its nodes, the names of its arguments, and what it gives."""

    arguments: list[str]
    nodes: list[Any]
    results: list[str]
    acting: list[str]  # nodes that run whatever is asked for

    def passes(self, number: int) -> bool:
        """Return True if a result is the argument of that number, unchanged."""
        by_name = {node.name: node for node in self.nodes}
        name = self.results[number].partition(":")[0]
        while name in by_name and by_name[name].op == "Identity":
            name = by_name[name].input[0].partition(":")[0]
        return name == self.arguments[number] and name not in by_name


def body_of(function: Any, library: dict[str, Any]) -> Body:
    """Return the body of a FunctionDef."""
    arguments = [arg.name for arg in function.signature.input_arg]
    by_name = {node.name: node for node in function.node_def}
    nodes = []
    for node in function.node_def:
        copy = messages.NodeDef()
        copy.CopyFrom(node)
        del copy.input[:]
        copy.input.extend(_graph_name(text, by_name, library) for text in node.input)
        nodes.append(copy)
    results = [
        _graph_name(function.ret[arg.name], by_name, library)
        for arg in function.signature.output_arg
    ]
    acting = list(dict.fromkeys(function.control_ret.values()))
    if not acting:
        acting = [node.name for node in function.node_def if _acts(node)]
    return Body(arguments, nodes, results, acting)


def _acts(node: Any) -> bool:
    declared = REGISTRY.get(node.op)
    if declared is None:
        return node.op in ("If", "While", "Case", "StatefulPartitionedCall")
    return declared.stateful and not declared.makes_state


def _graph_name(text: str, nodes: dict[str, Any], library: dict[str, Any]) -> str:
    """Return `node:output:index` as `node:number`; arguments and control inputs as they are."""
    if text.startswith("^") or ":" not in text:
        return text
    name, output, *rest = text.split(":")
    if not rest:  # written as in a graph already
        return text
    return f"{name}:{_start(nodes[name], output, library) + int(rest[0])}"


def _start(node: Any, output: str, library: dict[str, Any]) -> int:
    """Return where an output of a node begins among all its outputs."""
    if node.op in library:
        names = [arg.name for arg in library[node.op].signature.output_arg]
        return names.index(output)
    declared = REGISTRY.get(node.op)
    if declared is None:  # If, While, a call: one list
        return {"true": 1, "output_true": 1, "value_index": 1}.get(output, 0)
    position = 0
    for arg in declared.outputs:
        if arg.name == output:
            return position
        if arg.number_attr:
            position += node.attr[arg.number_attr].i
        elif arg.is_type_list:
            position += len(node.attr[arg.type_attr].list.type)
        else:
            position += 1
    raise ValueError(f"Node '{node.name}' ({node.op}) has no output '{output}'.")
