"""Tensors and operations by name, with TensorFlow's words when there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core.errors import hint
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.ops.convert import convert_to_tensor
from placewise.ops.state.variable import is_variable

if TYPE_CHECKING:
    from placewise.graph.graph import Graph


def find(graph: Graph, obj: Any, allow_tensor: bool, allow_operation: bool) -> Any:
    """Return the element of a graph that `obj` is, converts to, or names."""
    wanted = _wanted(allow_tensor, allow_operation)
    if hasattr(obj, "_as_graph_element"):
        converted = obj._as_graph_element()
        obj = obj if converted is None else converted
    elif is_variable(obj):
        obj = _variable_element(obj, allow_tensor)
    if isinstance(obj, bytes):
        obj = obj.decode()
    if isinstance(obj, str):
        return _by_name(graph, obj, allow_tensor, allow_operation, wanted)
    if isinstance(obj, GraphTensor) and allow_tensor:
        if obj.graph is not graph:
            raise ValueError(f"Tensor {obj} is not an element of this graph.")
        return obj
    if isinstance(obj, Operation) and allow_operation:
        if obj.graph is not graph:
            raise ValueError(f"Operation {obj} is not an element of this graph.")
        return obj
    raise TypeError(f"Can not convert a {type(obj).__name__} into a {wanted}.")


def _variable_element(variable: Any, allow_tensor: bool) -> Any:
    """Return what stands for a variable of Keras, or for one that was made outside of graphs."""
    inner: Any = getattr(variable, "value", None)
    if hasattr(inner, "_as_graph_element"):
        return inner._as_graph_element()
    read = convert_to_tensor(variable)
    return read if allow_tensor or not isinstance(read, GraphTensor) else read.op


def _wanted(allow_tensor: bool, allow_operation: bool) -> str:
    if allow_tensor and allow_operation:
        return "Tensor or Operation"
    return "Tensor" if allow_tensor else "Operation"


def _by_name(
    graph: Graph, name: str, allow_tensor: bool, allow_operation: bool, wanted: str
) -> Any:
    if ":" in name and allow_tensor:
        return _tensor(graph, name)
    if ":" in name:
        if graph.operation_named(name.partition(":")[0]) is not None:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a {wanted}.")
        raise ValueError(
            f"The name {name!r} looks like an (invalid) Tensor name, not an Operation."
        )
    result = graph.operation_named(name)
    if allow_operation:
        if result is None:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return result
    if result is not None:
        raise ValueError(
            hint(
                f"The name {name!r} refers to an Operation, not a {wanted}. Tensor names must be "
                "of "
                'the form "<op_name>:<output_index>".',
                f"for the first output: {name + ':0'!r}",
            )
        )
    raise ValueError(
        f"The name {name!r} looks like an (invalid) Operation name, not a {wanted}. Tensor names "
        'must be of the form "<op_name>:<output_index>".'
    )


def _tensor(graph: Graph, name: str) -> GraphTensor:
    op_name, _, index_text = name.rpartition(":")
    if not index_text.isdigit() or ":" in op_name:
        raise ValueError(
            f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor names "
            'must be of the form "<op_name>:<output_index>".'
        )
    op = graph.operation_named(op_name)
    if op is None:
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, "
            f"{op_name!r}, does not exist in the graph."
        )
    index = int(index_text)
    if index >= len(op.outputs):
        raise KeyError(
            f"The name {name!r} refers to a Tensor which does not exist. The operation, "
            f"{op_name!r}, exists but only has {len(op.outputs)} outputs."
        )
    output: GraphTensor = op.outputs[index]
    return output
