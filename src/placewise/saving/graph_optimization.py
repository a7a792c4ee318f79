"""`tensorflow.python.grappler.tf_optimizer`: a meta graph's GraphDef, made smaller.

Two rewrites change anything here: constants are folded, and nodes that nothing needs are removed.
Plans do the rest when a graph runs, so the other names in `rewrite_options` are accepted and
leave the graph as it is. Results never change.
"""

from __future__ import annotations

from typing import Any

from placewise import messages
from placewise.core.scope import current
from placewise.graph.graph import Graph
from placewise.graph.graph_def import import_graph_def
from placewise.graph.operation import Operation
from placewise.ops.flow.context import eager_scope
from placewise.ops.io.tensor_proto import make_tensor_proto
from placewise.saving.frozen_graphs import extract_sub_graph

# A folded constant may have this many bytes, as in Grappler.
_LARGEST_BYTES = 10 * 1024 * 1024
_FOLDING = ("constfold", "constant_folding")
_KEPT_TYPES = frozenset({"Placeholder", "PlaceholderWithDefault", "Const", "_Arg"})


def OptimizeGraph(  # noqa: N802 - TensorFlow's name
    config_proto: Any,
    metagraph: Any,
    verbose: bool = True,
    graph_id: bytes = b"graph_to_optimize",
    cluster: Any = None,
    strip_default_attributes: bool = False,
) -> Any:
    """Return the GraphDef of a meta graph with constants folded.

    `config_proto`: its `graph_options.rewrite_options` names the rewrites; none means all.
    `metagraph`: its collection `train_op` and its signatures name what must stay.
    `verbose`, `graph_id`, `cluster`, `strip_default_attributes`: accepted; nothing depends on them.
    """
    if not isinstance(config_proto, messages.ConfigProto):
        raise TypeError(
            "Argument `config_proto` should be a tf.ConfigProto, received type: "
            f"{type(config_proto).__name__}"
        )
    options = config_proto.graph_options.rewrite_options
    wanted = list(options.optimizers)
    kept = _kept(metagraph)
    graph_def = metagraph.graph_def
    if options.disable_meta_optimizer:
        return graph_def
    if not wanted or any(name in wanted for name in _FOLDING):
        graph_def = _folded(graph_def, kept)
    if kept and (not wanted or "pruning" in wanted):
        graph_def = extract_sub_graph(graph_def, sorted(kept))
    return graph_def


def _kept(metagraph: Any) -> set[str]:
    """Return the nodes that a program fetches or feeds by name."""
    names = list(metagraph.collection_def["train_op"].node_list.value)
    for signature in metagraph.signature_def.values():
        names += [info.name for info in (*signature.inputs.values(), *signature.outputs.values())]
    present = {node.name for node in metagraph.graph_def.node}
    return {name.removeprefix("^").partition(":")[0] for name in names} & present


def _folded(graph_def: Any, kept: set[str]) -> Any:
    graph = Graph()
    with graph.as_default():
        import_graph_def(graph_def, name="")
    constants = _constants(graph, kept)
    folded = messages.GraphDef()
    folded.CopyFrom(graph_def)
    read = {text.removeprefix("^").partition(":")[0] for node in folded.node for text in node.input}
    ends = {node.name for node in folded.node if node.name not in read} | kept
    for node in folded.node:
        if node.op != "Const" and node.name in constants:
            _make_constant(node, constants[node.name])
    return extract_sub_graph(folded, sorted(ends))


def _constants(graph: Graph, kept: set[str]) -> dict[str, Any]:
    """Return the arrays that operations with one output always give, by the operation's name."""
    known: dict[int, Any] = {}
    found: dict[str, Any] = {}
    for op in graph.get_operations():
        if op.type != "Const" and not _can_fold(op, known, kept):
            continue
        with eager_scope():
            inputs = [_spread(item, known) for item in op.spread]
            outputs = current.interpreter.run(op.declaration, tuple(inputs), dict(op.attrs), None)
        results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        known.update((id(out), value) for out, value in zip(op.outputs, results, strict=True))
        if len(results) == 1 and op.name not in kept:
            found[op.name] = results[0].numpy()
    return found


def _can_fold(op: Operation, known: dict[int, Any], kept: set[str]) -> bool:
    return (
        bool(op.inputs)
        and op.type not in _KEPT_TYPES
        and op.name not in kept
        and not op.declaration.stateful
        and not op.blocks
        and not op.control_inputs
        and all(id(tensor) in known for tensor in op.inputs)
        and all(_is_small(tensor) for tensor in op.outputs)
    )


def _is_small(tensor: Any) -> bool:
    count = tensor.shape.num_elements()
    known = tensor.dtype.is_numpy_compatible and tensor.dtype.name != "string"
    return known and count is not None and count * tensor.dtype.size <= _LARGEST_BYTES


def _spread(item: Any, known: dict[int, Any]) -> Any:
    return [known[id(each)] for each in item] if type(item) is list else known[id(item)]


def _make_constant(node: Any, value: Any) -> None:
    made = messages.NodeDef(op="Const", name=node.name, device=node.device)
    proto = make_tensor_proto(value)
    made.attr["dtype"].type = proto.dtype
    made.attr["value"].tensor.CopyFrom(proto)
    if "_output_shapes" in node.attr:
        made.attr["_output_shapes"].CopyFrom(node.attr["_output_shapes"])
    node.CopyFrom(made)
