"""Graphs as GraphDef messages: written out, and read in again."""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core.shapes import TensorShape
from placewise.graph.attributes import from_message, inferred, to_message
from placewise.graph.graph import Graph
from placewise.graph.operation import Operation
from placewise.ops.declare import REGISTRY, REQUIRED
from placewise.ops.registry import load_all

PRODUCER = 134


def to_graph_def(graph: Graph, from_version: int | None = None, add_shapes: bool = False) -> Any:
    """Return the operations of a graph as a GraphDef."""
    made = messages.GraphDef()
    made.versions.producer = PRODUCER
    start = 0 if from_version is None else from_version
    made.node.extend(to_node_def(op, add_shapes) for op in graph.get_operations()[start:])
    return made


def to_node_def(op: Operation, add_shapes: bool = False) -> Any:
    """Return one operation as a NodeDef."""
    node = messages.NodeDef(name=op.name, op=op.type, device=op.device)
    node.input.extend(_input_name(tensor) for tensor in op.inputs)
    node.input.extend(f"^{other.name}" for other in op.control)
    kinds = {attr.name: attr.kind for attr in op.declaration.attrs}
    for name, value in inferred(op.declaration, op.spread).items():
        node.attr[name].CopyFrom(value)
    for name, value in op.attrs.items():
        if name in kinds and (value is not None or kinds[name] == "shape"):
            node.attr[name].CopyFrom(to_message(kinds[name], value))
    if op.colocation:
        node.attr["_class"].list.s.extend(group.encode() for group in op.colocation)
    if add_shapes:
        shapes = node.attr["_output_shapes"].list
        shapes.SetInParent()
        shapes.shape.extend(TensorShape._of(t._dims).as_proto() for t in op.outputs)
    return node


def _input_name(tensor: Any) -> str:
    name: str = tensor.op.name
    return name if tensor.value_index == 0 else f"{name}:{tensor.value_index}"


def import_graph_def(
    graph_def: Any,
    input_map: dict[str, Any] | None = None,
    return_elements: Any = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> Any:
    """Add the nodes of a GraphDef to the default graph, under a name prefix.

    Returns the `return_elements` (names of operations or tensors), or None.
    """
    from placewise.graph.defaults import get_default_graph

    if not isinstance(graph_def, messages.GraphDef):
        raise TypeError(
            f"Argument `graph_def` must be a GraphDef proto. Received: {type(graph_def).__name__}."
        )
    return _Importer(get_default_graph(), graph_def, dict(input_map or {}), name).run(
        return_elements
    )


class _Importer:
    """Reads one GraphDef into one graph."""

    def __init__(self, graph: Graph, graph_def: Any, given: dict[str, Any], name: Any) -> None:
        load_all()
        self.graph, self.graph_def = graph, graph_def
        prefix = "import" if name is None else name
        self.prefix = graph.unique_name(prefix) + "/" if prefix else ""
        self.given = {_full(key): value for key, value in given.items()}
        self.used: set[str] = set()
        self.made: dict[str, Operation] = {}

    def run(self, wanted: Any) -> Any:
        for node in self._in_order():
            self.made[node.name] = self._add(node)
        unknown = set(self.given) - self.used
        if unknown:
            raise ValueError(
                "Attempted to map inputs that were not found in graph_def: "
                f"[{', '.join(sorted(unknown))}]"
            )
        if wanted is None:
            return None
        return [self._element(each) for each in wanted]

    def _in_order(self) -> list[Any]:
        """Return the nodes with each after its inputs; back edges of loops are refused."""
        nodes = {node.name: node for node in self.graph_def.node}
        done: set[str] = set()
        ordered: list[Any] = []
        for root in self.graph_def.node:
            stack = [(root, False)]
            while stack:
                node, ready = stack.pop()
                if node.name in done:
                    continue
                if ready:
                    done.add(node.name)
                    ordered.append(node)
                    continue
                stack.append((node, True))
                for text in node.input:
                    name = text.lstrip("^").partition(":")[0]
                    if _full(text) in self.given or name in done:
                        continue
                    if name not in nodes:
                        raise ValueError(
                            f"Node '{node.name}' expects to be colocated with or read unknown "
                            f"node '{name}'"
                        )
                    if node.op != "NextIteration":
                        stack.append((nodes[name], False))
        return ordered

    def _add(self, node: Any) -> Operation:
        declared = REGISTRY.get(node.op)
        if declared is None:
            raise ValueError(
                f"No op named {node.op} in defined operations. It is used by node '{node.name}'."
            )
        tensors = [self._tensor(text) for text in node.input if not text.startswith("^")]
        control = [self.made[text[1:]] for text in node.input if text.startswith("^")]
        attrs = {}
        for attr in declared.attrs:
            if attr.name in node.attr:
                attrs[attr.name] = from_message(attr.kind, node.attr[attr.name])
            elif attr.default is not REQUIRED:
                attrs[attr.name] = attr.default
            else:
                raise ValueError(f"NodeDef missing attr '{attr.name}' from {node.name}")
        inputs = _arranged(declared, node, tensors)
        groups = (
            tuple(f"loc:@{self.prefix}{text.decode()[5:]}" for text in node.attr["_class"].list.s)
            if "_class" in node.attr
            else ()
        )
        return self._recorded(declared, node, inputs, attrs, control, groups)

    def _recorded(
        self, declared: Any, node: Any, inputs: Any, attrs: Any, control: Any, groups: Any
    ) -> Operation:
        from placewise.graph.recorder import Recorder

        graph = self.graph
        device = node.device or None
        asked = (device,) if device else ()
        with (
            graph.control_dependencies(None),
            graph.control_dependencies(control),
            graph._changed(devices=asked, colocate=(), name=""),
        ):
            before = graph.version
            Recorder(graph).run(declared, inputs, attrs, self.prefix + node.name + "/")
        made = graph._operations[before]
        made.colocation = groups
        if device:
            made.device = device
        return made

    def _tensor(self, text: str) -> Any:
        full = _full(text)
        if full in self.given:
            self.used.add(full)
            return self.given[full]
        name, _, index = full.rpartition(":")
        return self.made[name].outputs[int(index)]

    def _element(self, text: str) -> Any:
        if ":" in text:
            name, _, index = text.rpartition(":")
            if name in self.made and int(index) < len(self.made[name].outputs):
                return self.made[name].outputs[int(index)]
        elif text in self.made:
            return self.made[text]
        raise ValueError(f"Requested return_element {text!r} not found in graph_def.")


def _full(text: str) -> str:
    return text if ":" in text or text.startswith("^") else f"{text}:0"


def _arranged(declared: Any, node: Any, tensors: list[Any]) -> tuple[Any, ...]:
    """Return flat inputs as the op declares them: lists put together."""
    result: list[Any] = []
    position = 0
    for arg in declared.inputs:
        if not arg.is_list:
            result.append(tensors[position])
            position += 1
            continue
        if arg.number_attr and arg.number_attr in node.attr:
            count = node.attr[arg.number_attr].i
        else:
            count = len(node.attr[arg.type_attr].list.type)
        result.append(tensors[position : position + count])
        position += count
    if position != len(tensors):
        raise ValueError(
            f"NodeDef '{node.name}' has {len(tensors)} inputs, but {node.op} takes {position}"
        )
    return tuple(result)
