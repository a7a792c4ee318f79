"""`tf.cond`, `tf.case` and `tf.switch_case` in graphs: both sides are traced, one runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import int64
from placewise.core.tensor import Tensor
from placewise.graph import static_values
from placewise.graph.control_flow import add_choice, as_predicate, traced
from placewise.graph.defaults import get_default_graph
from placewise.graph.operation import Operation
from placewise.graph.subgraphs import Block, captures_of
from placewise.graph.tensor import GraphTensor
from placewise.graph.tensor_array import GraphTensorArray
from placewise.ops.array.concat import stack
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.assert_print import assert_op
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.math.cast import cast
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.values import EagerTensor

if TYPE_CHECKING:
    from placewise.graph.graph import Graph


Branch = Callable[[], Any]


def cond(
    pred: Any,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    strict: bool = False,
    name: str | None = None,
) -> Any:
    """Return tensors that are what `true_fn` made if `pred` holds, else what `false_fn` made."""
    for branch, argument in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(branch):
            raise TypeError(f"{argument} must be callable.")
    graph = get_default_graph()
    with graph.name_scope(name or "cond") as scope:
        if isinstance(pred, bool):
            raise TypeError("pred must not be a Python bool")
        pred = as_predicate(pred, graph, "Switch", "pred", 2)
        # In TensorFlow 1 there are `Switch`, `switch_t`, `switch_f` and `pred_id` now, one more
        # `Switch` for each tensor a side takes from outside, and no `If`.
        graph.further_ops += 4
        sides = []
        for function in (true_fn, false_fn):
            sides.append(_side(graph, function, pred, strict))
            graph.further_ops += len(captures_of([sides[-1][0]])[0])
        graph.further_ops -= 1
        blocks = [block for block, _ in sides]
        results = [result for _, result in sides]
        if graph.runs_effects and all(result is None for result in results):
            add_choice(graph, "If", scope[:-1], pred, blocks)  # for what they do
            return None
        for result, branch_name in zip(results, ("true_fn", "false_fn"), strict=True):
            if result is None:
                raise ValueError(f"{branch_name} must have a return value.")
        _match_indices(results, blocks)
        _check_same(results, blocks)
        owner = add_choice(graph, "If", scope[:-1], pred, blocks)
        return _merged(owner, results, "Merge")


def _side(graph: Graph, function: Branch, pred: TensorLike, strict: bool) -> tuple[Block, Any]:
    """Return the block of one side, its outputs set, and the structure it returned."""

    def call() -> Any:
        result = function()
        if result is None:
            return None
        if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
            result = result[0]
        return nest.map_structure(lambda leaf: _as_value(leaf, pred, graph), result)

    block, result = traced(graph, call)
    if result is not None:
        block.outputs = [_tensor_of(leaf) for leaf in nest.flatten(result, True)]
    return block, result


def _as_value(leaf: Any, pred: TensorLike, graph: Graph) -> Any:
    """Return a leaf of a result as a tensor; an operation as one that is there once it ran."""
    if isinstance(leaf, Operation):
        with graph.control_dependencies([leaf]):
            return identity(pred, name="control_dependency")
    if isinstance(leaf, nest.Composite):
        parts = leaf._components()
        if any(isinstance(part, EagerTensor) for part in parts):
            # Made outside: its tensors are captured one by one.
            parts = [None if part is None else identity(part) for part in parts]
            return leaf._from_components(parts)
        return leaf
    return leaf if isinstance(leaf, GraphTensorArray) else convert_to_tensor(leaf)


def _tensor_of(leaf: Any) -> GraphTensor:
    result: GraphTensor = leaf.flow if isinstance(leaf, GraphTensorArray) else leaf
    return result


def _match_indices(results: list[Any], blocks: list[Block]) -> None:
    """Let slices of all sides have indices of one dtype: the wider, where they differ."""
    columns = [nest.flatten(result) for result in results]
    if len({len(column) for column in columns}) != 1:
        return
    for position, leaves in enumerate(zip(*columns, strict=True)):
        if not all(isinstance(leaf, IndexedSlices) for leaf in leaves):
            continue
        if len({leaf.indices.dtype for leaf in leaves}) == 1:
            continue
        for side, (block, leaf) in enumerate(zip(blocks, leaves, strict=True)):
            with block.entered():
                wide = IndexedSlices(leaf.values, cast(leaf.indices, int64), leaf.dense_shape)
            columns[side][position] = wide
            results[side] = nest.pack_sequence_as([results[side]], columns[side])[0]
            block.outputs = [_tensor_of(item) for item in nest.flatten(results[side], True)]


def _check_same(results: list[Any], blocks: list[Block]) -> None:
    for other in results[1:]:
        nest.assert_same_structure(results[0], other, expand_composites=True)
    for several in zip(*[block.outputs for block in blocks], strict=True):
        kinds = [tensor.dtype.base_dtype for tensor in several]
        if any(kind is not kinds[0] for kind in kinds):
            first, second = kinds[0], next(kind for kind in kinds if kind is not kinds[0])
            raise ValueError(
                "Outputs of true_fn and false_fn must have the same type: "
                f"{first.name}, {second.name}"
            )


def _merged(owner: Operation, results: list[Any], name: str) -> Any:
    """Return the outputs of a choice, arranged as its sides return them."""
    structure = results[0]
    leaves = nest.flatten(structure, True)
    tensors = [identity(output, name=name) for output in owner.outputs]
    outputs = [
        leaf._with_flow(tensor) if isinstance(leaf, GraphTensorArray) else tensor
        for leaf, tensor in zip(leaves, tensors, strict=True)
    ]
    merged = nest.pack_sequence_as(structure, outputs, True)
    _keep_sparse_shapes(merged, results)
    return merged


def _keep_sparse_shapes(merged: Any, results: list[Any]) -> None:
    """Let sparse results have the shape that all sides agree on: it is no tensor that is merged."""
    columns = [nest.flatten(result) for result in results]
    if len({len(column) for column in columns}) != 1:
        return
    for leaf, *sides in zip(nest.flatten(merged), *columns, strict=True):
        if isinstance(leaf, SparseTensor):
            first, *others = [side.shape for side in sides]
            for other in others:
                first = first.most_specific_compatible_shape(other)
            leaf.set_shape(first)


def case(
    pairs: list[tuple[Any, Branch]],
    default: Callable[..., Any] | None,
    exclusive: bool,
    strict: bool,
    name: str | None,
) -> Any:
    """Return what the function of the first predicate that holds made, or `default`."""
    graph = get_default_graph()
    every = [predicate for predicate, _ in pairs]
    with graph.name_scope(name or "case"):
        if default is None:
            last = pairs[-1][1]
            pairs = pairs[:-1]

            def default() -> Any:
                with graph.control_dependencies([_some(every)]):
                    return last()

        elif not callable(default):
            raise TypeError("false_fn must be callable.")
        build = default
        for predicate, action in reversed(pairs):
            build = _either(predicate, action, build, strict)
        awaited = [_at_most_one(every, name)] if exclusive else []
        with graph.control_dependencies(awaited):
            return build()


def _either(predicate: Tensor, action: Branch, other: Branch, strict: bool) -> Branch:
    return lambda: cond(predicate, action, other, strict=strict)


def _some(predicates: list[Any]) -> Any:
    """Add an operation that fails unless the last predicate holds, when no other does."""
    together = stack(predicates, name="preds_c")
    message = "Input error: None of conditions evaluated as True:"
    return assert_op(predicates[-1], [message, together], summarize=len(predicates))


def _at_most_one(predicates: list[Any], name: Any) -> Any:
    together = stack(predicates, name="preds_c")
    true = reduce_sum(cast(together, "int32"), name="num_true_conds")
    names = ", ".join(predicate.name for predicate in predicates)
    message = f"Input error: exclusive=True: more than 1 conditions ({names}) evaluated as True:"
    return assert_op(true <= 1, [message, together], summarize=len(predicates))


def smart_cond(pred: TensorLike, true_fn: Branch, false_fn: Branch, name: str | None = None) -> Any:
    """Call one function at once if `pred` is known now; else be `cond`."""
    if isinstance(pred, (bool, int)) and pred in (0, 1):
        known: Any = pred
    else:
        known = static_values.content(pred) if isinstance(pred, GraphTensor) else bool(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def switch_case(branch_index: Tensor, branches: list[Branch], name: str | None = None) -> Any:
    """Return what the branch of that number made; the last for any other number."""
    graph = get_default_graph()
    with graph.name_scope(name or "switch_case"), graph.name_scope("indexed_case") as scope:
        if branch_index._dims:
            raise ValueError(
                f"Shape must be rank 0 but is rank {len(branch_index._dims)} for '{scope[:-1]}' "
                f"(op: 'Case') with input shapes: {list(branch_index._dims)}."
            )
        sides = [_side(graph, branch, True, True) for branch in branches]
        blocks, results = [list(item) for item in zip(*sides, strict=True)]
        if all(result is None for result in results):
            add_choice(graph, "Case", scope[:-1], branch_index, blocks)
            return None
        _check_same(results, blocks)
        owner = add_choice(graph, "Case", scope[:-1], branch_index, blocks)
        return _merged(owner, results, "Identity")
