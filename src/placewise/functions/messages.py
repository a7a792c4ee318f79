"""A traced function as a FunctionDef, with the functions of its loops and branches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core.shapes import TensorShape
from placewise.graph.function_defs import Library
from placewise.graph.function_defs import _Function as Writer
from placewise.graph.subgraphs import Block

if TYPE_CHECKING:
    from placewise.functions.function_types import ConcreteFunction


def add_function(library: Library, concrete: Any) -> str:
    """Write a concrete function into a library; return the name it has there."""
    graph = concrete.graph
    library.taken.update(op.name for op in graph.get_operations())
    inputs = concrete.inputs
    arguments = {tensor.op.id for tensor in inputs}
    top = Block(graph)
    operations = [op for op in graph.get_operations() if op.block is None]
    top.operations = [op for op in operations if op.id not in arguments]
    writer = Writer(library, concrete.called, top)
    for op in operations:  # they are the body of a function now, like those of a branch
        op.block = top
    try:
        signature = writer.message.signature
        for tensor, name in zip(inputs, _argument_names(inputs), strict=True):
            signature.input_arg.add(name=name, type=tensor.dtype.base_dtype.as_datatype_enum)
            writer.scope.arguments[id(tensor)] = name
        writer.write_body()
        for tensor in concrete.outputs:
            writer.result(tensor.dtype, writer.scope.source(tensor))
    finally:
        for op in operations:
            op.block = None
    shapes = writer.message.attr["_input_shapes"].list
    shapes.SetInParent()
    shapes.shape.extend(TensorShape._of(tensor._dims).as_proto() for tensor in inputs)
    library.functions.append(writer.message)
    return str(writer.name)


def _argument_names(inputs: list[Any]) -> list[str]:
    """Return a name for each argument: lower case, and no two alike."""
    names_seen: dict[str, None] = {}
    for tensor in inputs:
        plain = re.sub(r"[^a-z0-9_]", "_", tensor.op.name.lower())
        plain = plain if plain[:1].isalpha() else f"arg_{plain}"
        name, number = plain, 0
        while name in names_seen:
            number += 1
            name = f"{plain}_{number}"
        names_seen[name] = None
    return list(names_seen)


def to_function_def(concrete: ConcreteFunction) -> Any:
    """Return a concrete function as a FunctionDef of its own."""
    library = messages.GraphDef()
    name = add_function(Library(library, set()), concrete)
    return next(item for item in library.library.function if item.signature.name == name)
