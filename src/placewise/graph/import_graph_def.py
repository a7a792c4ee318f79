"""Nodes of a GraphDef become operations; functions that nodes name become their blocks.

Calls of functions are written out in place. TensorFlow 1's own loops and branches, which are nodes
like any other, are turned back into blocks by `frames.py` beside this file.
"""

from __future__ import annotations

import platform
from contextlib import ExitStack
from typing import Any

from placewise.core.dtypes import as_dtype
from placewise.core.errors import NotFoundError, hint
from placewise.core.shapes import TensorShape
from placewise.graph import lazy
from placewise.graph.attributes import from_message
from placewise.graph.control_flow import add_choice, add_loop
from placewise.graph.function_bodies import Body, body_of
from placewise.graph.node_checks import full, groups_of
from placewise.graph.node_spellings import SPELLINGS, spelled
from placewise.graph.operation import Operation
from placewise.graph.overrides import override
from placewise.graph.recorder import Recorder
from placewise.graph.subgraphs import Block, exposed
from placewise.ops.array.shape import size
from placewise.ops.declare import REGISTRY, REQUIRED, Op
from placewise.ops.flow.identity import identity_n
from placewise.ops.flow.order import no_op
from placewise.ops.graph_only import placeholder
from placewise.ops.math.comparison import not_equal
from placewise.ops.registry import load_ops
from placewise.ops.values import c_name

_CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
_CHOICES = {"If": "If", "StatelessIf": "If", "Case": "Case", "StatelessCase": "Case"}
_LOOPS = frozenset({"While", "StatelessWhile"})
V1_FLOW = frozenset(
    {
        "Switch",
        "Merge",
        "Enter",
        "Exit",
        "NextIteration",
        "LoopCond",
        "RefSwitch",
        "RefMerge",
        "RefEnter",
        "RefExit",
        "RefNextIteration",
    }
)


def load_ops_of(graph_def: Any) -> None:
    """Import the files that declare the ops of a graph and of its functions."""
    functions = graph_def.library.function
    named = {node.op for nodes in (f.node_def for f in functions) for node in nodes}
    named |= {node.op for node in graph_def.node}
    named -= {function.signature.name for function in functions}
    named -= V1_FLOW | _CHOICES.keys() | _LOOPS | _CALLS  # which the importer writes as blocks
    load_ops(SPELLINGS[name][0] if name in SPELLINGS else name for name in named)


class Importer:
    """Reads nodes into one graph; those of a function into the block in force."""

    def __init__(self, graph: Any, library: Any, prefix: str, mapped: dict[str, Any]) -> None:
        self.graph, self.library, self.prefix = graph, library, prefix
        self.given = mapped
        self.used: set[str] = set()
        self.operations: dict[str, Operation] = {}
        self.values: dict[str, list[Any]] = {}
        self.done: dict[int, Operation] = {}  # of an If, what to wait for once it acted
        self.inner = False  # in a function: names are only made unique
        # GraphDefs up to version 21 wrote an unknown shape of a placeholder as that of a scalar.
        self.has_old_placeholders = False
        self.outer_devices: tuple[Any, ...] = ()  # scopes in force where a GraphDef is imported

    # Nodes.

    def add_all(self, nodes: Any) -> None:
        """Add nodes, each after what it reads."""
        if any(node.op in V1_FLOW for node in nodes):
            lazy.add_structured(self, nodes)
            return
        for node in in_order(nodes, self.given):
            self.add(node)

    def add(self, node: Any) -> None:
        """Add one node."""
        inputs = [self.tensor(text, node.name) for text in node.input if text[:1] != "^"]
        control = [self.awaited(text[1:]) for text in node.input if text.startswith("^")]
        # TensorFlow does not even read the device of a node that follows others: `follow_groups`.
        follows = not self.inner and set(groups_of(node)) - {node.name}
        device = "" if follows else node.device
        with ExitStack() as stack:
            stack.enter_context(
                self.graph._changed(
                    control=tuple(dict.fromkeys(op for op in control if op is not None)),
                    devices=(*self.outer_devices, *filter(None, [device])),
                    colocate=(),
                    name="",
                )
            )
            if node.op in _CHOICES:
                operation = self._choice(node, inputs)
            elif node.op in _LOOPS:
                operation = self._loop(node, inputs)
            elif node.op in _CALLS or node.op in self.library:
                operation = self._call(node, inputs)
            else:
                operation = self._plain(node, inputs)
        self.keep(node.name, operation)

    def keep(self, name: str, operation: Operation) -> None:
        """Take an operation for what a node is."""
        self.operations[name], self.values[name] = operation, operation.outputs

    def _plain(self, node: Any, inputs: list[Any]) -> Operation:
        declared = REGISTRY.get(node.op)
        if node.op in SPELLINGS:
            declared, inputs = spelled(node.op, inputs)
        if declared is None:
            raise NotFoundError(
                None,
                None,
                hint(
                    f"Op type not registered '{node.op}' in binary running on {platform.node()}. "
                    "Make sure the Op and Kernel are registered in the binary running in this "
                    "process.",
                    f"node '{node.name}' uses it",
                    "docs/coverage.md lists what there is",
                ),
            )
        attrs: dict[str, Any] = {}
        if declared.node_rule is not None:
            attrs = declared.node_rule(node, inputs, self.library)
        for attr in declared.attrs:
            if attr.name in attrs:
                continue
            if attr.kind == "func" and attr.name in node.attr:
                raise ValueError(
                    f"Node '{node.name}' ({node.op}) calls a function through its attribute "
                    f"'{attr.name}', which cannot be read from a GraphDef"
                )
            if attr.name in node.attr:
                attrs[attr.name] = from_message(attr.kind, node.attr[attr.name])
            elif attr.default is not REQUIRED:
                attrs[attr.name] = attr.default
            else:
                raise ValueError(f"NodeDef missing attr '{attr.name}' from {node.name}")
        if self.has_old_placeholders and declared is placeholder.op and attrs["shape"] == ():
            attrs["shape"] = None
        before = self.graph.version
        arranged = _arranged(declared, node, inputs)
        _check_dtypes(declared, node, inputs, arranged)
        recorder = Recorder(self.graph)
        recorder.follows_references = False
        recorder.run(declared, arranged, attrs, self.name_of(node.name) + "/")
        operation: Operation = self.graph._operations[before]
        if not self.inner:
            operation.colocation = tuple(f"loc:@{self.prefix}{name}" for name in groups_of(node))
        notes = {
            key: value
            for key, value in node.attr.items()
            if key.startswith("_") and key not in ("_class", "_output_shapes")
        }
        if notes:
            operation.notes = notes
            if "_gradient_op_type" in notes and notes["_gradient_op_type"].s:
                override(operation, notes["_gradient_op_type"].s.decode())
        if "_output_shapes" in node.attr:
            shapes = node.attr["_output_shapes"].list.shape
            for tensor, shape in zip(operation.outputs, shapes, strict=False):
                tensor_shape = TensorShape(shape)
                if tensor.shape.is_compatible_with(tensor_shape):
                    tensor._dims = tensor.shape.merge_with(tensor_shape)._dims
        return operation

    def follow_groups(self, nodes: Any) -> None:
        """Give nodes with colocation groups the device of the first member that has one.

        Whatever they ask for themselves is dropped, as TensorFlow does.
        """
        bound = [(node, groups) for node in nodes if (groups := set(groups_of(node)) - {node.name})]
        for node, _ in bound:
            if node.name in self.operations:
                self.operations[node.name].device = ""
        for node, groups in bound:
            devices = [
                self.operations[name].device
                for name in groups_of(node)
                if name in groups and name in self.operations
            ]
            if node.name in self.operations:
                self.operations[node.name].device = next(filter(None, devices), "")

    def reserve(self, nodes: Any) -> None:
        """Keep the names of nodes for them: what is made beside them gets others."""
        names = self.graph._names
        with self.graph._lock:
            for node in nodes:
                if names.unique(self.prefix + node.name) != self.prefix + node.name:
                    raise ValueError(f"Node name '{node.name}' already exists in the Graph")

    def name_of(self, name: str) -> str:
        """Return the name a node gets here."""
        if not self.inner:
            return self.prefix + name
        with self.graph._lock:
            result: str = self.graph._names.unique(self.prefix + name)
        return result

    # What nodes refer to.

    def tensor(self, text: str, reader: str = "") -> Any:
        """Return the tensor a node calls by that name; an error names the node that reads it."""
        name = full(text)
        if name in self.given:
            self.used.add(name)
            return self.given[name]
        node, _, index = name.rpartition(":")
        outputs = self.values[node]
        if int(index) >= len(outputs):
            raise ValueError(
                (f"Node '{reader}': " if reader else "")
                + f"Connecting to invalid output {index} of source node {node} which has "
                f"{len(outputs)} outputs."
            )
        return self.reachable(outputs[int(index)])

    def reachable(self, tensor: Any) -> Any:
        """Return a tensor as the block in force may use it: of other blocks, as their output."""
        here = self.graph.scopes.block
        while tensor.op.block is not None and not (
            here is not None and tensor.op.block.encloses(here)
        ):
            tensor = exposed(tensor)
        return tensor

    def awaited(self, name: str) -> Operation | None:
        """Return the operation to wait for: of another block, the one that runs it."""
        op = self.operations.get(name)
        here = self.graph.scopes.block
        while (
            op is not None
            and op.block is not None
            and not (here is not None and op.block.encloses(here))
        ):
            owner = op.block.owner
            op = self.done.get(owner.id, owner) if owner is not None else None
        return op

    # Functions.

    def _function(self, node: Any, func: Any) -> Body:
        if func.name not in self.library:
            raise ValueError(
                f"Node '{node.name}' calls function '{func.name}', which the GraphDef's library "
                "does not have."
            )
        return body_of(self.library[func.name], self.library)

    def _inside(self, node: Any, body: Body, arguments: list[Any]) -> Importer:
        """Add the nodes of a function, and return what knows them."""
        mapped = {
            f"{name}:0": tensor for name, tensor in zip(body.arguments, arguments, strict=True)
        }
        starts = all(item.name.startswith(f"{node.name}/") for item in body.nodes)
        prefix = self.prefix if starts else f"{self.prefix}{node.name}/"
        importer = Importer(self.graph, self.library, prefix, mapped)
        importer.inner = True
        importer.add_all(body.nodes)
        return importer

    def _choice(self, node: Any, inputs: list[Any]) -> Operation:
        kind = _CHOICES[node.op]
        if kind == "If":
            names = [node.attr["then_branch"].func, node.attr["else_branch"].func]
        else:
            names = list(node.attr["branches"].list.func)
        blocks = []
        for func in names:
            body = self._function(node, func)
            block = Block(self.graph)
            with block.entered():
                inside = self._inside(node, body, inputs[1:])
                block.outputs = [inside.tensor(text) for text in body.results]
            blocks.append(block)
        selector = inputs[0]
        if kind == "If" and selector.dtype.name != "bool":
            selector = _truth(selector)
        return add_choice(self.graph, kind, self.name_of(node.name), selector, blocks)

    def _loop(self, node: Any, inputs: list[Any]) -> Operation:
        condition = self._function(node, node.attr["cond"].func)
        body = self._function(node, node.attr["body"].func)
        shapes = [TensorShape(item)._dims for item in node.attr["output_shapes"].list.shape]
        if len(shapes) != len(inputs):
            shapes = [None] * len(inputs)
        constant = [body.passes(k) for k in range(len(inputs))]
        shapes = [
            first._dims if is_constant else dims
            for first, is_constant, dims in zip(inputs, constant, shapes, strict=True)
        ]
        blocks = []
        for what, label in ((condition, "Merge"), (body, "Identity")):
            block = Block(self.graph, repeats=True)
            for tensor, dims in zip(inputs, shapes, strict=True):
                block.parameter(
                    tensor.dtype.base_dtype, dims, f"{self.prefix}{node.name}/{label}", tensor
                )
            # What a loop never changes is read from outside, as if it were no variable of it.
            arguments = [
                outer if is_constant else inside
                for outer, inside, is_constant in zip(
                    inputs, block.parameters, constant, strict=True
                )
            ]
            with block.entered():
                inside = self._inside(node, what, arguments)
                block.outputs = [inside.tensor(text) for text in what.results]
            blocks.append(block)
        test, repeated = blocks
        repeated.outputs = [
            inside if is_constant else after
            for inside, after, is_constant in zip(
                repeated.parameters, repeated.outputs, constant, strict=True
            )
        ]
        return add_loop(self.graph, self.name_of(node.name), inputs, test, repeated)

    def _call(self, node: Any, inputs: list[Any]) -> Operation:
        """Write a function out where it is called."""
        if node.op in _CALLS:
            body = self._function(node, node.attr["f"].func)
        else:
            body = body_of(self.library[node.op], self.library)
        inside = self._inside(node, body, inputs)
        results = [inside.tensor(text) for text in body.results]
        acting = [inside.operations[name] for name in body.acting if name in inside.operations]
        scopes = self.graph.scopes
        before = self.graph.version
        with self.graph._changed(control=(*scopes.control, *acting)):
            name = self.name_of(node.name) + "/"
            if results:
                Recorder(self.graph).run(identity_n.op, (results,), {}, name)
            else:
                Recorder(self.graph).run(no_op.op, (), {}, name)
        operation: Operation = self.graph._operations[before]
        return operation


def _truth(selector: Any) -> Any:
    """Return whether a condition that is no boolean holds: a number is not 0, a text not empty."""
    if selector._dims != ():
        return not_equal(size(selector), 0)
    return not_equal(selector, b"" if selector.dtype.name == "string" else 0)


def in_order(nodes: Any, mapped: dict[Any, Any]) -> list[Any]:
    """Return the nodes with each after its inputs; what closes a loop comes as it comes."""
    by_name = {node.name: node for node in nodes}
    done: set[str] = set()
    begun: set[str] = set()
    ordered: list[Any] = []
    for root in nodes:
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
            begun.add(node.name)
            for text in reversed(node.input):
                name = text.lstrip("^").partition(":")[0]
                if full(text) in mapped or name in done:
                    continue
                if name not in by_name:
                    raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
                if node.op.endswith("Merge") and by_name[name].op.endswith("NextIteration"):
                    continue
                # Begun and not done: it waits for this node, which waits for it.
                if name in begun:
                    raise ValueError(f"{len(by_name) - len(done)} nodes in a cycle")
                stack.append((by_name[name], False))
    return ordered


def _arranged(declared: Op, node: Any, tensors: list[Any]) -> tuple[Any, ...]:
    """Return flat inputs as the op declares them: lists put together."""
    result: list[Any] = []
    position = 0
    for arg in declared.inputs:
        if not arg.is_list:
            result.extend(tensors[position : position + 1])
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
            f"NodeDef expected {position} inputs, which do not match {len(tensors)} inputs "
            f"specified; Op<name={node.op}>; NodeDef: {{{{node {node.name}}}}}"
        )
    return tuple(result)


def _check_dtypes(declared: Op, node: Any, tensors: list[Any], arranged: Any) -> None:
    """Raise for an input of another dtype than the node's attributes say."""
    expected: list[Any] = []
    for arg, item in zip(declared.inputs, arranged, strict=True):
        count = len(item) if arg.is_list else 1
        if arg.dtype is not None:
            expected += [arg.dtype] * count
        elif arg.type_attr not in node.attr:
            expected += [None] * count
        elif arg.is_type_list:
            expected += map(as_dtype, node.attr[arg.type_attr].list.type)
        else:
            expected += [as_dtype(node.attr[arg.type_attr].type)] * count
    for index, (dtype, tensor) in enumerate(zip(expected, tensors, strict=True)):
        if dtype is not None and tensor.dtype.base_dtype is not dtype.base_dtype:
            raise ValueError(
                f"Input {index} of node {node.name} was passed {c_name(tensor.dtype)} from "
                f"{tensor.name} incompatible with expected {c_name(dtype)}."
            )
