"""`tf.while_loop` in graphs: test and body are traced once and run as often as the test holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.core import nest
from placewise.core.arguments import TensorLike
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.control_flow import add_loop, as_predicate
from placewise.graph.defaults import get_default_graph
from placewise.graph.operation import Operation
from placewise.graph.subgraphs import Block
from placewise.graph.tensor import GraphTensor
from placewise.graph.tensor_array import GraphTensorArray
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.name_scopes import is_tf1_graph


def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: list[Any] | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: TensorLike | None = None,
    return_same_structure: bool = False,
) -> Any:
    """Return the loop variables after `body` was repeated while `cond` holds.

    One variable comes back by itself, unless `return_same_structure`.
    """
    if not callable(cond):
        raise TypeError("cond must be callable.")
    if not callable(body):
        raise TypeError("body must be callable.")
    if parallel_iterations < 1:
        raise TypeError("parallel_iterations must be a positive integer.")
    graph = get_default_graph()
    with graph.name_scope(name or "while") as scope:
        if not loop_vars:
            raise ValueError("No loop variables provided")
        packs = len(loop_vars) == 1 and not return_same_structure
        limit = _limit(maximum_iterations)
        building = _Loop(graph, loop_vars, shape_invariants)
        is_strict = limit is not None and not packs and not graph.building_function
        result = building.trace(cond, body, is_strict)
        owner = add_loop(
            graph, scope[:-1], building.first, building.test, building.body, limit, back_prop
        )
        exits: list[Any] = [identity(output, name="Exit") for output in owner.outputs]
        arranged_values = building.arranged(result, exits)
        if not is_tf1_graph():
            arranged_values = nest.pack_sequence_as(
                building.variables, nest.flatten(arranged_values)
            )
    is_bare = (packs and limit is not None) or (len(exits) == 1 and not return_same_structure)
    return arranged_values[0] if is_bare else arranged_values


def _limit(maximum: TensorLike | None) -> Any:
    if maximum is None:
        return None
    limit = convert_to_tensor(maximum, name="maximum_iterations")
    if limit.shape.rank not in (0, None):
        raise ValueError(f"maximum_iterations must be a scalar, saw shape: {limit.shape}")
    return limit


class _Loop:
    """The making of one loop: its variables outside, in its test and in its body."""

    def __init__(self, graph: Any, loop_vars: Any, invariants: Any) -> None:
        self.graph = graph
        self.variables = nest.map_structure(_as_variable, loop_vars)
        self.first = [_tensor_of(leaf) for leaf in nest.flatten(self.variables, True)]
        self.dims = [item._dims for item in self.first]
        if invariants is not None:
            self._set_invariants(invariants)
        self.test, self.body = Block(graph, repeats=True), Block(graph, repeats=True)

    def _set_invariants(self, invariants: list[Any]) -> None:
        nest.assert_same_structure(self.variables, invariants)
        shapes: list[Any] = []
        leaves = zip(nest.flatten(self.variables), nest.flatten(invariants), strict=True)
        for variable, shape in leaves:
            shapes += _component_shapes(variable, shape)
        for tensor, shape in zip(self.first, shapes, strict=True):
            if not _covers(shape._dims, tensor._dims):
                raise ValueError(
                    f"The shape invariant specified for {tensor.name} is not compatible with the "
                    f"initial shape of the loop variable. It enters the loop with shape "
                    f"{tensor.shape}, but the specified shape invariant is {shape}."
                )
        self.dims = [shape._dims for shape in shapes]

    def _inside(self, block: Block, name: str) -> Any:
        """Return the loop variables as a block sees them, in their structure."""
        parameters = [
            block.parameter(tensor.dtype.base_dtype, dims, name, tensor)
            for tensor, dims in zip(self.first, self.dims, strict=True)
        ]
        return self.arranged(self.variables, parameters)

    def arranged(self, structure: TensorLike, tensors: list[GraphTensor]) -> Any:
        """Return tensors in a structure, arrays made anew around their flow."""
        leaves = nest.flatten(structure, True)
        arranged_values = [
            leaf._with_flow(tensor) if isinstance(leaf, GraphTensorArray) else tensor
            for leaf, tensor in zip(leaves, tensors, strict=True)
        ]
        return nest.pack_sequence_as(structure, arranged_values, True)

    def trace(self, cond: Callable[..., Any], body: Callable[..., Any], strictly: bool) -> Any:
        """Fill the blocks, and return what the body returned."""
        inside = self._inside(self.test, "Merge")
        with self.test.entered():
            held = as_predicate(cond(*inside), self.graph, "LoopCond", "input")
            self.test.outputs = [held]
        inside = self._inside(self.body, "Identity")
        with self.body.entered():
            result = body(*inside)
            if strictly:
                # With a limit, TensorFlow counts in a variable beside the structure given.
                # What it is says nothing here: the structures differ beside it or not at all.
                nest.assert_same_structure([0, inside], [0, result])
            if not (nest.is_nested(result) or isinstance(result, nest.Composite)):
                result = [result]
            nest.assert_same_structure(list(inside), list(result), expand_composites=True)
            result = nest.map_structure(_as_value, result)
            self.body.outputs = [_tensor_of(leaf) for leaf in nest.flatten(result, True)]
        self._check()
        return result

    def _check(self) -> None:
        for first, inside, after in zip(
            self.first, self.body.parameters, self.body.outputs, strict=True
        ):
            if inside is None:
                continue
            if after.dtype.base_dtype is not inside.dtype:
                raise TypeError(
                    f"Input tensor '{first.name}' enters the loop with type {inside.dtype.name}, "
                    f"but has type {after.dtype.base_dtype.name} after one iteration."
                )
            if not _covers(inside._dims, after._dims):
                raise ValueError(
                    f"Input tensor '{first.name}' enters the loop with shape {first.shape}, but "
                    f"has shape {after.shape} after one iteration. To allow the shape to vary "
                    "across iterations, use the `shape_invariants` argument of tf.while_loop to "
                    "specify a less-specific shape."
                )


def _as_variable(leaf: Any) -> Any:
    if isinstance(leaf, (GraphTensorArray, nest.Composite)):
        return leaf
    return convert_to_tensor(leaf)


def _as_value(leaf: Any) -> Any:
    if isinstance(leaf, Operation):
        raise TypeError(
            f"Can't convert Operation '{leaf.name}' to Tensor (target dtype=None, name=None, "
            "as_ref=False)"
        )
    return _as_variable(leaf)


def _tensor_of(leaf: Any) -> GraphTensor:
    result: GraphTensor = leaf.flow if isinstance(leaf, GraphTensorArray) else leaf
    return result


def _component_shapes(variable: Tensor, shape: TensorShape) -> list[TensorShape]:
    """Return the shapes of the tensors of one loop variable, from its invariant."""
    if isinstance(variable, GraphTensorArray):
        return [TensorShape([])]
    kind = type(variable).__name__
    if not isinstance(variable, nest.Composite):
        return [_as_shape(shape)]
    if kind == "SparseTensor":
        rank = _as_shape(shape).rank
        return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]
    if kind == "IndexedSlices":
        whole = _as_shape(shape)
        rest = [TensorShape([None])]
        if len(variable._components()) == 3:
            rest.append(TensorShape([whole.rank]))
        values = (
            TensorShape(None) if whole.rank is None else TensorShape([None]).concatenate(whole[1:])
        )
        return [values, *rest]
    return [leaf.shape for leaf in nest.flatten(variable, True)]


def _as_shape(shape: TensorShape) -> TensorShape:
    return shape if isinstance(shape, TensorShape) else TensorShape(getattr(shape, "shape", shape))


def _covers(wide: Any, narrow: Any) -> bool:
    """Return True if every shape that `narrow` may be is one that `wide` may be."""
    if wide is None:
        return True
    if narrow is None or len(wide) != len(narrow):
        return False
    return all(w is None or w == n for w, n in zip(wide, narrow, strict=True))
