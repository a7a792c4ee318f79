"""Datasets of GraphDefs: structure and functions as the ops of this folder take them.

A node of TensorFlow names functions of the GraphDef's library and lists dtypes and shapes. Our ops
take a `Structure` and a traced function.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import as_dtype
from placewise.core.shapes import TensorShape
from placewise.data.structure import Structure, structure_noted, structure_of
from placewise.functions.dataset_function import ImportedFunction

_FUNCTIONS = ("f", "predicate")  # what TensorFlow calls the one function of a dataset
_OTHERS = (  # of datasets with several, under TensorFlow's names
    *("reader_func", "shard_func", "key_func", "reduce_func", "window_size_func"),
)
_READABLE = frozenset({"structure", "whole", "result", "state", "function"})
_PYTHON = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc", "GeneratorDataset"})
_FILES = frozenset({"TextLineDataset", "TFRecordDataset", "FixedLengthRecordDatasetV2"})


def dataset_attributes(op: Any, node: Any, inputs: list[Any], library: Any) -> dict[str, Any]:
    """Return the attributes of a dataset's op that a node has in another form."""
    types, shapes = _element(node)
    attrs: dict[str, Any] = {"output_types": types, "output_shapes": shapes}
    wanted = {attr.name for attr in op.attrs}
    if "whole" in wanted:
        attrs["whole"] = _structure(
            node, "whole", [tensor.dtype for tensor in inputs], [tensor.shape for tensor in inputs]
        )
    if "state" in wanted:
        states = [as_dtype(number) for number in node.attr["Tstate"].list.type]
        attrs["state"] = _structure(node, "state", states, [TensorShape(None)] * len(states))
    if "function" in wanted:
        attrs["function"], attrs["result"] = _function(node, library, types, shapes)
    for name in _OTHERS:
        if name in wanted and name in node.attr:
            attrs[name] = _imported(node, [node.attr[name].func.name], library)
    for name in ("structure", "result"):
        if name in wanted and f"_{name}" in node.attr:
            attrs[name] = _structure(node, name, types, shapes)
    return attrs


def _structure(node: Any, name: str, types: list[Any], shapes: list[Any]) -> Structure:
    """Return a structure of a node: of plain tensors, unless the node says otherwise."""
    if f"_{name}" not in node.attr:
        return structure_of(types, shapes)
    return structure_noted(node.attr[f"_{name}"].s.decode(), types, shapes)


def _element(node: Any) -> tuple[list[Any], list[Any]]:
    if node.op in _FILES:
        return [dtypes.string], [TensorShape([])]
    for name in ("output_types", "Toutput_types"):
        if name in node.attr:
            types = [as_dtype(number) for number in node.attr[name].list.type]
            shapes = [TensorShape(shape) for shape in node.attr["output_shapes"].list.shape]
            if len(types) != len(shapes):
                raise ValueError(
                    f"Node '{node.name}' ({node.op}) has {len(types)} output types and "
                    f"{len(shapes)} output shapes"
                )
            return types, shapes
    raise ValueError(f"NodeDef missing attr 'output_types' from {node.name}")


def _imported(node: Any, names: list[str], library: Any) -> ImportedFunction:
    """Return the first function of some names that a node has."""
    if not names or names[0] not in library:
        raise ValueError(
            f"Node '{node.name}' ({node.op}) calls function '{''.join(names)}', which the "
            "GraphDef's library does not have."
        )
    return ImportedFunction(library[names[0]], library)


def _function(
    node: Any, library: Any, types: list[Any], shapes: list[Any]
) -> tuple[ImportedFunction, Structure]:
    """Return the function of a dataset's node, and the structure of what it gives."""
    names = [node.attr[name].func.name for name in _FUNCTIONS if name in node.attr]
    function = _imported(node, names, library)
    if node.op.endswith("FilterDataset"):
        return function, structure_of([dtypes.bool], [TensorShape([])])
    outputs = function.graph.outputs
    if len(outputs) == 1 and outputs[0].dtype is dtypes.variant and types != [dtypes.variant]:
        return function, structure_of([dtypes.variant], [TensorShape([])])
    return function, structure_of(types, shapes)


def dataset_functions(op: Any) -> dict[str, Any]:
    """Return the functions of a dataset's operation under the names that its node has for them."""
    found = {name: op.attrs[name] for name in _OTHERS if op.attrs.get(name) is not None}
    function = op.attrs.get("function")
    if function is None:
        return found
    is_test = op.type in ("FilterDataset", "TakeWhileDataset")
    return {"predicate" if is_test else "f": function, **found}


def reduce_attributes(node: Any, inputs: list[Any], library: Any) -> dict[str, Any]:
    """Return what a reduction's op has of its node: the function, and what it gives."""
    types, shapes = _element(node)
    function, _ = _function(node, library, types, shapes)
    return {"function": function, "output_types": types, "output_shapes": shapes}


def can_travel(graph: Any) -> bool:
    """Return whether another process can read the datasets of a graph and call their functions."""
    for op in graph.get_operations():
        if op.type in _PYTHON:
            return False
        if op.declaration.node_functions is None:
            continue
        for attr in op.declaration.attrs:
            value = op.attrs.get(attr.name) if attr.kind == "func" else None
            if value is not None and not (attr.name in _READABLE and value.is_implied):
                return False
        if not all(can_travel(function.graph) for function in dataset_functions(op).values()):
            return False
    return True
