"""Loops and branches as GraphDef has them: nodes that name functions, which hold their blocks.

A branch takes what it reads from outside as arguments. A loop carries it along unchanged, beside
its variables; what gradients need of its iterations it gathers in tensor lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.attributes import inferred, is_implied, to_message
from placewise.graph.operation import Operation
from placewise.graph.program_order import awaited_operations
from placewise.graph.subgraphs import ARGUMENT, Block
from placewise.ops.flow.list_values import as_array


class Scope:
    """A place nodes are written to: the graph itself, or the body of a function.

    A function is a block of the graph, or was traced to a graph of its own.
    """

    def __init__(
        self, library: Library, nodes: Any, block: Block | None, is_traced: bool = False
    ) -> None:
        self.library, self.nodes, self.block = library, nodes, block
        self.in_function = is_traced or block is not None
        self.arguments: dict[int, str] = {}
        self.written: set[str] = set()
        self.references: dict[int, str] = {}
        self.order: dict[int, list[Operation]] = {}  # what an operation here waits for, besides

    def source(self, tensor: Tensor) -> str:
        """Return a tensor as the nodes of this place name it."""
        if id(tensor) in self.arguments:
            return self.arguments[id(tensor)]
        if self.block is not None and tensor.op.block is not self.block:
            return self._reference(tensor)
        return self.output(tensor.op.name, *_position(tensor))

    def output(self, node: str, name: str, index: int, position: int) -> str:
        """Return output `index` of output list `name` of a node."""
        if not self.in_function:
            return node if position == 0 else f"{node}:{position}"
        return f"{node}:{name}:{index}"

    def _reference(self, tensor: Tensor) -> str:
        """Write a variable of the graph once more, inside a function: the same by its name."""
        op = tensor.op
        if op.id not in self.references:
            node = to_node_def(op)
            node.ClearField("input")
            node.attr.pop("_class", None)
            node.attr["shared_name"].s = (op.attrs.get("shared_name") or op.name).encode()
            node.name = self.library.node_name(f"{op.name}/shared")
            self.nodes.append(node)
            self.references[op.id] = node.name
        return f"{self.references[op.id]}:ref:0"

    def add(self, kind: str, name: str, inputs: list[str], **attrs: Any) -> str:
        """Write a node of one output, and return its name."""
        node = messages.NodeDef(name=self.library.node_name(name), op=kind)
        node.input.extend(inputs)
        for key, value in attrs.items():
            node.attr[key].CopyFrom(value)
        self.nodes.append(node)
        return str(node.name)

    def constant(self, name: str, value: Any) -> str:
        """Write a constant, and return its output."""
        array = np.asarray(value)
        function = self.add(
            "Const",
            name,
            [],
            value=to_message("tensor", array),
            dtype=to_message("type", array.dtype),
        )
        return self.output(function, "output", 0, 0)


def _position(tensor: Any) -> tuple[str, int, int]:
    """Return which output list a tensor is in, its place there, and its place among all."""
    op, number = tensor.op, tensor.value_index
    declared = op.declaration.outputs
    if len(declared) == 1 or not any(arg.is_list for arg in declared):
        arg = declared[0] if declared[0].is_list else declared[number]
        return arg.name, number if arg.is_list else 0, number
    before = 0
    for arg in declared:
        count = _length(op, arg) if arg.is_list else 1
        if number < before + count:
            return arg.name, number - before, number
        before += count
    raise ValueError(f"Operation '{op.name}' has no output {number}.")


def _length(op: Operation, arg: Any) -> int:
    key = arg.number_attr or arg.type_attr
    value = op.get_attr(key)
    return value if isinstance(value, int) else len(value)


class Library:
    """The functions of one GraphDef, and the names that are taken in it."""

    def __init__(self, graph_def: Any, taken: set[str]) -> None:
        self.functions = graph_def.library.function
        self._functions: set[str] = set()
        self.taken = taken

    def node_name(self, wanted: str) -> str:
        """Return a name that no node has."""
        result, number = wanted, 0
        while result in self.taken:
            number += 1
            result = f"{wanted}_{number}"
        self.taken.add(result)
        return result

    def function_name(self, wanted: str) -> str:
        """Return a name that no function has."""
        plain = re.sub(r"\W", "_", wanted)
        result, number = plain, 0
        while result in self._functions:
            number += 1
            result = f"{plain}_{number}"
        self._functions.add(result)
        return result


def write(scope: Scope, op: Operation, add_shapes: bool = False) -> None:
    """Write one operation, and the functions it runs."""
    if op.declaration is ARGUMENT and scope.in_function:
        return
    if op.blocks:
        _write_loop(scope, op) if op.type.endswith("While") else _write_choice(scope, op)
        return
    if op.type == "HistoryItem":
        _write_item(scope, op)
        return
    node = to_node_def(op, add_shapes)
    if op.declaration.node_functions is not None:
        for name, function in op.declaration.node_functions(op).items():
            traced = _write_traced(scope.library, f"{op.name}_{name}", function)
            node.attr[name].CopyFrom(traced.attr())
    if scope.in_function:
        del node.input[:]
        node.input.extend(scope.source(tensor) for tensor in op.inputs)
        node.input.extend(_awaited(scope, op))
        _drop_foreign_groups(scope, node)
    elif op.id in scope.order:
        known = set(node.input)
        names = [f"^{other.name}" for other in scope.order[op.id]]
        node.input.extend(name for name in names if name not in known)
    scope.nodes.append(node)


def _awaited(scope: Scope, op: Operation) -> list[str]:
    waited_for = [*op.control, *scope.order.get(op.id, ())]
    names = [f"^{other.name}" for other in waited_for if other.block is scope.block]
    return list(dict.fromkeys(names))


def _drop_foreign_groups(scope: Scope, node: Any) -> None:
    if "_class" in node.attr:
        operations = () if scope.block is None else scope.block.operations
        here = {f"loc:@{op.name}".encode() for op in operations}
        kept = [group for group in node.attr["_class"].list.s if group in here]
        del node.attr["_class"]
        if kept:
            node.attr["_class"].list.s.extend(kept)


def to_node_def(op: Operation, add_shapes: bool = False) -> Any:
    """Return one operation as a NodeDef, its inputs named as in a graph."""
    node = messages.NodeDef(name=op.name, op=op.type, device=op.device)
    node.input.extend(_input_name(tensor) for tensor in op.inputs)
    node.input.extend(f"^{other.name}" for other in op.control)
    declared = {attr.name: attr for attr in op.declaration.attrs}
    for name, value in inferred(op.declaration, op.spread).items():
        node.attr[name].CopyFrom(value)
    for name, value in op.attrs.items():
        attr = declared.get(name)
        if attr is None or (value is None and attr.kind != "shape"):
            continue
        # Of a function: a Python object, read from other attributes, or written by itself.
        if attr.kind == "func" and (note := getattr(value, "node_note", "")):
            node.attr[f"_{name}"].s = note.encode()
            continue
        if attr.kind == "func" and (attr.default is None or getattr(value, "is_implied", False)):
            continue
        if not is_implied(op.declaration, attr, value):
            node.attr[name].CopyFrom(to_message(attr.kind, value))
    for name, value in op.notes.items():
        node.attr[name].CopyFrom(value)
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


# Functions.


class _Function:
    """One block, or the operations of a traced function, as a FunctionDef while it is written."""

    def __init__(
        self, library: Library, name: str, block: Block | None, traced: Sequence[Operation] = ()
    ) -> None:
        self.name = library.function_name(name)
        self.message = messages.FunctionDef()
        self.message.signature.name = self.name
        self.block: Any = block  # None of a traced function
        self._operations = traced if block is None else block.operations
        self.scope = Scope(library, self.message.node_def, block, is_traced=block is None)

    def argument(self, name: str, dtype: Any, tensor: Any = None) -> str:
        """Add an argument; `tensor` is what it stands for inside."""
        result = f"{name}_{len(self.message.signature.input_arg)}"
        self.message.signature.input_arg.add(name=result, type=dtype.base_dtype.as_datatype_enum)
        if tensor is not None:
            self.scope.arguments[id(tensor)] = result
        return result

    def write_body(self) -> None:
        """Write the operations of the block; those that act are run whatever is asked for."""
        self.scope.order = awaited_operations(list(self._operations))
        for op in self._operations:
            write(self.scope, op)
            if op.declaration.stateful and not op.declaration.makes_state:
                self.message.control_ret[op.name] = op.name
                self.message.signature.control_output.append(op.name)
        self.message.signature.is_stateful = any(op.declaration.stateful for op in self._operations)

    def result(self, dtype: Any, source: str) -> None:
        """Add a result."""
        name = f"out_{len(self.message.signature.output_arg)}"
        self.message.signature.output_arg.add(name=name, type=dtype.base_dtype.as_datatype_enum)
        self.message.ret[name] = source

    def attr(self) -> Any:
        """Return the attribute value that names this function."""
        attr_value = messages.AttrValue()
        attr_value.func.name = self.name
        return attr_value


def _write_traced(library: Library, name: str, function: Any) -> _Function:
    """Write a function with a graph of its own; what it captures are its last arguments."""
    graph, arguments = function.graph, [*function.graph.inputs, *function.graph.internal_captures]
    given = {tensor.op.id for tensor in arguments}
    inner = [op for op in graph.get_operations() if op.block is None and op.id not in given]
    result = _Function(library, name, None, inner)
    for tensor in arguments:
        result.argument("arg", tensor.dtype, tensor)
    result.write_body()
    for output in function.concrete.outputs:
        result.result(output.dtype, result.scope.source(output))
    library.functions.append(result.message)
    return result


def captures(op: Operation) -> tuple[list[Any], list[Any]]:
    """Return the outer tensors that the blocks of an operation read, and the references among them.

    Counted anew: gradients may have added to the blocks since the operation was made.
    """
    values: dict[int, Any] = {}
    references: dict[int, Any] = {}
    for block in op.blocks:
        for tensor in _read_in(block):
            if block.encloses(tensor.op.block):
                continue
            is_shared = tensor.dtype._is_ref and tensor.op.declaration.makes_state
            (references if is_shared else values)[id(tensor)] = tensor
    return list(values.values()), list(references.values())


def _read_in(block: Block) -> list[Any]:
    outputs = list(block.outputs)
    for op in block.operations:
        outputs += op.inputs
        for inner in op.blocks:
            outputs += _read_in(inner)
    return outputs


def _types(tensors: Any) -> Any:
    return to_message("list(type)", [tensor.dtype.base_dtype for tensor in tensors])


def _finish(scope: Scope, node: Any, op: Operation) -> None:
    node.input.extend(_awaited(scope, op))
    node.attr["_lower_using_switch_merge"].b = True
    scope.nodes.append(node)


def _write_choice(scope: Scope, op: Operation) -> None:
    values, _ = captures(op)
    is_if = op.type.endswith("If")
    kind = op.type if is_if else "Case"
    node = messages.NodeDef(name=op.name, op=kind, device=op.device)
    node.input.append(scope.source(op.inputs[0]))
    node.input.extend(scope.source(tensor) for tensor in values)
    functions = []
    for number, block in enumerate(op.blocks):
        label = ("true", "false")[number] if is_if else f"branch{number}"
        functions.append(_branch(scope.library, f"{op.name}_{label}", op, block, values))
    if is_if:
        node.attr["Tcond"].CopyFrom(to_message("type", op.inputs[0].dtype))
        node.attr["then_branch"].CopyFrom(functions[0].attr())
        node.attr["else_branch"].CopyFrom(functions[1].attr())
    else:
        node.attr["branches"].list.func.extend(function.attr().func for function in functions)
    node.attr["Tin"].CopyFrom(_types(values))
    node.attr["Tout"].CopyFrom(_types(op.outputs))
    node.attr["output_shapes"].CopyFrom(
        to_message("list(shape)", [tensor._dims for tensor in op.outputs])
    )
    _finish(scope, node, op)


def _branch(library: Library, name: str, op: Operation, block: Block, values: Any) -> _Function:
    result = _Function(library, name, block)
    for tensor in values:
        result.argument("arg", tensor.dtype, tensor)
    result.write_body()
    regular = len(op.outputs) - len(op.extras)
    ends = list(block.outputs) + [tensor if home is block else None for home, tensor in op.extras]
    for number, (output, tensor) in enumerate(zip(op.outputs, ends, strict=True)):
        if tensor is not None:
            result.result(output.dtype, result.scope.source(tensor))
        else:
            result.result(
                output.dtype, _nothing(result.scope, output, f"{op.name}/none_{number - regular}")
            )
    library.functions.append(result.message)
    return result


def _nothing(scope: Scope, like: Tensor, name: str) -> str:
    """Return a value that stands for what a branch did not compute."""
    if like.dtype is dtypes.variant:
        return _empty_list(scope, name, dtypes.float32, None)
    dims = () if like._dims is None or None in like._dims else like._dims
    return scope.constant(name, np.zeros(dims, like.dtype.base_dtype.as_numpy_dtype))


def _empty_list(scope: Scope, name: str, dtype: Any, dims: Any) -> str:
    shape = scope.constant(f"{name}/element_shape", as_array(dims))
    limit = scope.constant(f"{name}/max_num_elements", np.int32(-1))
    function = scope.add(
        "EmptyTensorList",
        name,
        [shape, limit],
        element_dtype=to_message("type", dtype),
        shape_type=to_message("type", dtypes.int32),
    )
    return scope.output(function, "handle", 0, 0)


def _write_item(scope: Scope, op: Operation) -> None:
    """Write what reads the value of one of a loop's iterations."""
    history, result = op.inputs[0], op.outputs[0]
    shape = scope.constant(f"{op.name}/element_shape", as_array(result._dims))
    node = messages.NodeDef(name=op.name, op="TensorListGetItem", device=op.device)
    node.input.extend([scope.source(history), scope.source(op.inputs[1]), shape])
    node.attr["element_dtype"].CopyFrom(to_message("type", result.dtype.base_dtype))
    node.input.extend(_awaited(scope, op))
    scope.nodes.append(node)


# Loops.


def _write_loop(scope: Scope, op: Operation) -> None:
    values, _ = captures(op)
    first, _, limits = op.spread
    test, body = op.blocks
    kept = [(index, tensor) for index, (_, tensor) in enumerate(op.extras) if tensor is not None]
    counts = bool(limits) or len(kept) < len(op.extras)
    node = messages.NodeDef(name=op.name, op=op.type, device=op.device)
    # Outputs come in the order of `op.outputs`; what is only carried along follows.
    carried = [*first]
    sources = [scope.source(tensor) for tensor in first]
    types = [tensor.dtype.base_dtype for tensor in first]
    shapes: list[Any] = [tensor._dims for tensor in body.parameters]
    counter = None
    for index, (_, tensor) in enumerate(op.extras):
        name = f"{op.name}/kept_{index}"
        if tensor is None:
            counter = len(types)
            sources.append(scope.constant(name, np.int32(0)))
            types.append(dtypes.int32)
        else:
            sources.append(_empty_list(scope, name, tensor.dtype.base_dtype, tensor._dims))
            types.append(dtypes.variant)
        shapes.append(())
    if counts and counter is None:
        counter = len(types)
        sources.append(scope.constant(f"{op.name}/counter", np.int32(0)))
        types.append(dtypes.int32)
        shapes.append(())
    invariant = [*values, *[tensor for tensor in limits if not any(tensor is v for v in values)]]
    sources += [scope.source(tensor) for tensor in invariant]
    types += [tensor.dtype.base_dtype for tensor in invariant]
    shapes += [tensor._dims for tensor in invariant]
    node.input.extend(sources)
    parts = []
    for label, block in (("cond", test), ("body", body)):
        function = _Function(scope.library, f"{op.name}_{label}", block)
        inside = [
            *block.parameters,
            *[None] * (len(types) - len(first) - len(invariant)),
            *invariant,
        ]
        names = [
            function.argument("arg", dtype, tensor)
            for dtype, tensor in zip(types, inside, strict=True)
        ]
        function.write_body()
        parts.append((function, names))
    (tested, test_names), (repeated, body_names) = parts
    _end_test(tested, op, test_names, limits, counter, invariant)
    _end_body(repeated, op, body_names, types, counter, len(carried))
    for function, _ in parts:
        scope.library.functions.append(function.message)
    node.attr["T"].CopyFrom(to_message("list(type)", types))
    node.attr["cond"].CopyFrom(tested.attr())
    node.attr["body"].CopyFrom(repeated.attr())
    node.attr["output_shapes"].CopyFrom(to_message("list(shape)", shapes))
    node.attr["parallel_iterations"].i = 10
    _finish(scope, node, op)


def _end_test(
    function: _Function, op: Operation, names: list[str], limits: Any, counter: Any, invariant: Any
) -> None:
    scope = function.scope
    held = scope.source(function.block.outputs[0])
    if limits:
        place = next(k for k, tensor in enumerate(invariant) if tensor is limits[0])
        limit = names[len(names) - len(invariant) + place]
        kind = limits[0].dtype.base_dtype
        count = names[counter]
        if kind is not dtypes.int32:
            count = scope.output(
                scope.add(
                    "Cast",
                    f"{op.name}/count",
                    [count],
                    SrcT=to_message("type", dtypes.int32),
                    DstT=to_message("type", kind),
                ),
                "y",
                0,
                0,
            )
        less = scope.add("Less", f"{op.name}/Less", [count, limit], T=to_message("type", kind))
        both = scope.add(
            "LogicalAnd", f"{op.name}/LogicalAnd", [scope.output(less, "z", 0, 0), held]
        )
        held = scope.output(both, "z", 0, 0)
    function.result(dtypes.bool, held)


def _end_body(
    function: _Function,
    op: Operation,
    names: list[str],
    types: list[Any],
    counter: int | None,
    count: int,
) -> None:
    scope = function.scope
    ends = [scope.source(tensor) for tensor in function.block.outputs]
    ends += names[count:]
    for index, (_, tensor) in enumerate(op.extras):
        if tensor is not None:
            pushed = scope.add(
                "TensorListPushBack",
                f"{op.name}/push_{index}",
                [names[count + index], scope.source(tensor)],
                element_dtype=to_message("type", tensor.dtype.base_dtype),
            )
            ends[count + index] = scope.output(pushed, "output_handle", 0, 0)
    if counter is not None:
        one = scope.constant(f"{op.name}/one", np.int32(1))
        more = scope.add(
            "AddV2", f"{op.name}/counted", [names[counter], one], T=to_message("type", dtypes.int32)
        )
        ends[counter] = scope.output(more, "z", 0, 0)
    for dtype, source in zip(types, ends, strict=True):
        function.result(dtype, source)
