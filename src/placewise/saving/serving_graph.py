"""The graph of a SavedModel: variables, their saver, and every signature written out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.functions.inlining import Inliner
from placewise.graph.graph import Graph
from placewise.graph.inputs import placeholder
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import identity
from placewise.ops.flow.order import no_op
from placewise.ops.state import resource
from placewise.saving import saved_model_names as names
from placewise.saving import signature_defs
from placewise.saving.meta_graph import export_meta_graph
from placewise.saving.saver import Saver


def serving_graph(
    variables: list[tuple[Any, str]], captured: dict[str, Any], signatures: dict[str, Any],
    resources: dict[int, Any],
) -> Any:  # fmt: skip
    """Return a meta graph of variables (with their keys), captured tensors and signatures."""
    graph = Graph()
    described: dict[str, Any] = {}
    with graph.as_default():
        inside: dict[int, Any] = {}
        readers: dict[str, Any] = {}
        for variable, key in variables:
            inside[id(variable.handle)], readers[key] = _variable(variable)
        for name, tensor in captured.items():
            inside[id(tensor)] = constant(tensor.numpy(), name=name)
        filled = []
        for handle, held in resources.items():
            inside[handle] = held._create_resource()
            with _handle_of(held, inside[handle]):
                done = held._initialize()
            filled += [] if done is None else [done]
        for key, concrete in signatures.items():
            described[key] = _signature(graph, key, concrete, inside)
        with graph.control_dependencies(filled):
            first = no_op(name="NoOp")
        saver = Saver(readers, allow_empty=True) if readers else None
        meta = export_meta_graph(graph=graph, saver_def=saver.as_saver_def() if saver else None)
    for key, signature in described.items():
        meta.signature_def[key].CopyFrom(signature)
    key = names.INIT_OP_SIGNATURE_KEY
    meta.signature_def[key].CopyFrom(signature_defs.op_signature_def(first, key))
    return meta


@contextmanager
def _handle_of(held: Any, handle: Any) -> Iterator[None]:
    """Let a resource have another handle in the block."""
    before, held._self_handle = held._self_handle, handle
    try:
        yield
    finally:
        held._self_handle = before


def _variable(variable: Any) -> tuple[Any, Any]:
    name = variable._shared_name
    handle = resource.var_handle(
        dtype=variable.dtype, shape=variable.shape._dims, shared_name=name, name=name
    )
    handle.op.attrs["shared_name"] = handle.op.name  # two may have had the same name
    read = resource.read_variable(handle, dtype=variable.dtype, name=f"{name}/Read/ReadVariableOp")
    read.set_shape(variable.shape)
    return handle, read


def _signature(graph: Any, key: str, concrete: Any, inside: dict[int, Any]) -> Any:
    """Write a signature's function into the graph; return the SignatureDef."""
    inputs = {
        tensor.op.name: placeholder(tensor.dtype, tensor.shape, f"{key}_{tensor.op.name}")
        for tensor in concrete.graph.inputs
    }
    inliner = Inliner(graph, f"{key}/")
    for tensor in concrete.graph.inputs:
        inliner.bind(tensor, inputs[tensor.op.name])
    for outer, inner in concrete.graph.captures:
        inliner.bind(inner, inside[id(outer)])
    inliner.copy([op for op in graph_operations(concrete) if op.block is None])
    acting = [inliner.operations[op.id] for op in concrete.effects if op.id in inliner.operations]
    outputs = {}
    with graph.control_dependencies(acting):
        for name, tensor in concrete.structured_outputs.items():
            outputs[name] = identity(inliner.tensor(tensor), name=f"{key}/{name}")
    return signature_defs.build_signature_def(
        {name: signature_defs.build_tensor_info(each) for name, each in inputs.items()},
        {name: signature_defs.build_tensor_info(each) for name, each in outputs.items()},
        names.PREDICT_METHOD_NAME,
    )


def graph_operations(concrete: Any) -> list[Any]:
    """Return the operations of a function but for those that stand for its arguments."""
    own = {tensor.op.id for tensor in concrete.inputs}
    return [op for op in concrete.graph.get_operations() if op.id not in own]
