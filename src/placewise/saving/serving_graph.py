"""The graph of a SavedModel: variables, their saver, and every signature written out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from placewise.core import dtypes, nest
from placewise.core.saveable import SaveableObject, SaveSpec
from placewise.core.tensor import Tensor
from placewise.functions.inline import Inliner
from placewise.graph.graph import Graph
from placewise.graph.inputs import placeholder, placeholder_with_default
from placewise.ops.array.creation import constant
from placewise.ops.array.shape import identity
from placewise.ops.flow.order import group, no_op
from placewise.ops.io.tensor_proto import make_tensor_proto
from placewise.ops.state import resource as resource_ops
from placewise.saving import saved_model_names as names
from placewise.saving import signature_defs
from placewise.saving.meta_graph import export_meta_graph
from placewise.saving.saved_resources import SavedResource, SavedState
from placewise.saving.saver import Saver

if TYPE_CHECKING:
    from placewise.graph.resource_variables import ResourceVariable


def serving_graph(
    variables: list[tuple[Any, str, str]],
    captured: dict[str, Any],
    assets: list[Any],
    resources: list[SavedResource],
    signatures: dict[str, Any],
) -> tuple[Any, list[str]]:
    """Return a meta graph, and the names of the tensors that take the paths of the assets.

    It holds variables (with their keys, and devices to keep), captured tensors, paths of assets,
    resources, signatures.
    """
    graph = Graph()
    described: dict[str, Any] = {}
    with graph.as_default():
        inside: dict[int, Any] = {}
        saved: dict[str, Any] = {}
        for variable, key, place in variables:
            with graph.device(place or None):
                inside[id(variable.handle)], saved[key] = _variable(variable)
        for name, tensor in captured.items():
            inside[id(tensor)] = constant(tensor.numpy(), name=name)
        feeds, known, first = _asset_paths(assets)
        for resource in resources:
            made, _ = _inlined(graph, resource.create, [], inside)
            inside[id(resource.handle)] = nest.flatten(made)[0]
        for resource in resources:
            if resource.initialize is not None:
                first += _inlined(graph, resource.initialize, [], {**inside, **known})[1]
            for one in resource.state.values():
                saved[one.keys[0]] = _Inlined(graph, one, inside)
        for asset, handle in zip(assets, feeds, strict=True):
            inside[id(asset)] = resource_ops.read_variable(handle[1], dtype=dtypes.string)
        for key, concrete in signatures.items():
            described[key] = _signature(graph, key, concrete, inside)
        with graph.control_dependencies(first):
            start = no_op(name="NoOp")
        saver = Saver(saved, allow_empty=True) if saved else None
        meta = export_meta_graph(graph=graph, saver_def=saver.as_saver_def() if saver else None)
    for key, signature in described.items():
        meta.signature_def[key].CopyFrom(signature)
    key = names.INIT_OP_SIGNATURE_KEY
    meta.signature_def[key].CopyFrom(signature_defs.op_signature_def(start, key))
    return meta, [feed.name for feed, _ in feeds]


def _asset_paths(assets: list[Any]) -> tuple[list[tuple[Any, Any]], dict[int, Any], list[Any]]:
    """Keep the paths of assets in variables, which the first operation of the graph fills.

    Return what is fed and the variable of each, what reads each once it is filled, and what fills.
    """
    feeds, known, filled = [], {}, []
    for asset in assets:
        feed = placeholder(dtypes.string, [], "asset_path_initializer")
        handle = resource_ops.var_handle(dtype=dtypes.string, shape=(), name="asset_path")
        handle.op.attrs["shared_name"] = handle.op.name
        done = resource_ops.assign_variable(handle, feed)
        with handle.graph.control_dependencies([done]):
            known[id(asset)] = resource_ops.read_variable(handle, dtype=dtypes.string)
        feeds.append((feed, handle))
        filled.append(done)
    return feeds, known, filled


def _inlined(
    graph: Any, concrete: Any, inputs: list[Any], inside: dict[int, Any]
) -> tuple[Any, list[Any]]:
    """Write a function into the graph; return its results, and the operations that act."""
    inliner = Inliner(graph, "")
    for tensor, given in zip(concrete.graph.inputs, inputs, strict=True):
        inliner.bind(tensor, given)
    for outer, inner in concrete.graph.captures:
        inliner.bind(inner, inside[id(outer)])
    inliner.copy_in_order([op for op in graph_operations(concrete) if op.block is None])
    acting = [inliner.operations[op.id] for op in concrete.effects if op.id in inliner.operations]
    results = nest.map_structure(
        lambda tensor: None if tensor is None else inliner.tensor(tensor),
        concrete.structured_tensors,
    )
    return results, acting


class _Inlined(SaveableObject):
    """The state of a resource of the graph, by the functions that save and restore it."""

    def __init__(self, graph: Any, one: SavedState, inside: dict[int, Any]) -> None:
        self._graph, self._restore, self._inside = graph, one.restore, inside
        parts, _ = _inlined(graph, one.save, [constant(one.keys[0])], inside)
        specs = [
            SaveSpec(part["tensor"], cut, key)
            for part, cut, key in zip(parts, one.slices, one.keys, strict=True)
        ]
        super().__init__(specs[0].tensor, specs, one.keys[0])

    def restore(self, restored_tensors: Tensor, restored_shapes: Any) -> Any:
        """Return the operation that puts restored tensors in place."""
        _, acting = _inlined(self._graph, self._restore, list(restored_tensors), self._inside)
        return group(*acting)


def _variable(variable: ResourceVariable) -> tuple[Any, Any]:
    name = variable._shared_name
    handle = resource_ops.var_handle(
        dtype=variable.dtype, shape=variable.shape._dims, shared_name=name, name=name
    )
    handle.op.attrs["shared_name"] = handle.op.name  # two may have had the same name
    read = resource_ops.read_variable(
        handle, dtype=variable.dtype, name=f"{name}/Read/ReadVariableOp"
    )
    read.set_shape(variable.shape)
    return handle, read


def _signature(graph: Any, key: str, concrete: Any, inside: dict[int, Any]) -> Any:
    """Write a signature's function into the graph; return the SignatureDef."""
    scope = re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", key)
    defaults = concrete.signature_defaults
    inputs = {}
    for tensor in concrete.graph.inputs:
        label, name = tensor.op.name, f"{scope}_{tensor.op.name}"
        if label in defaults:
            default = constant(defaults[label].numpy(), tensor.dtype)
            inputs[label] = placeholder_with_default(default, tensor.shape, name)
        else:
            inputs[label] = placeholder(tensor.dtype, tensor.shape, name)
    inliner = Inliner(graph, f"{scope}/")
    for tensor in concrete.graph.inputs:
        inliner.bind(tensor, inputs[tensor.op.name])
    for outer, inner in concrete.graph.captures:
        inliner.bind(inner, inside[id(outer)])
    inliner.copy_in_order([op for op in graph_operations(concrete) if op.block is None])
    acting = [inliner.operations[op.id] for op in concrete.effects if op.id in inliner.operations]
    outputs = {}
    with graph.control_dependencies(acting):
        for name, tensor in concrete.structured_tensors.items():
            outputs[name] = nest.map_structure(
                lambda part, name=name: identity(inliner.tensor(part), name=f"{scope}/{name}"),
                tensor,
                expand_composites=True,
            )
    made = signature_defs.build_signature_def(
        {name: signature_defs.build_tensor_info(each) for name, each in inputs.items()},
        {name: signature_defs.build_tensor_info(each) for name, each in outputs.items()},
        names.PREDICT_METHOD_NAME,
    )
    for label, default in defaults.items():
        made.defaults[label].CopyFrom(make_tensor_proto(default.numpy(), default.dtype))
    return made


def graph_operations(concrete: Any) -> list[Any]:
    """Return the operations of a function but for those that stand for its arguments."""
    own = {tensor.op.id for tensor in concrete.inputs}
    return [op for op in concrete.graph.get_operations() if op.id not in own]
