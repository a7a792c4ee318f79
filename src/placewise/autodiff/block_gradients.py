"""Gradients of operations that own blocks: a branch backwards is a branch, a loop backwards a loop.

Each block gets a mirror, in which the gradients of its operations are computed. A backward loop
counts down the iterations of its loop; what it reads of them the loop keeps in lists. Gradients
of what a block reads from outside add up over branches and iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import DType
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.graph.control_flow import add_choice, add_loop
from placewise.graph.recorder import held_dims
from placewise.graph.subgraphs import ARGUMENT, Block, exposed, iterations
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import zeros, zeros_like
from placewise.ops.array.shape import identity, shape_of
from placewise.ops.flow.tensor_list_pieces import concatenated
from placewise.ops.flow.tensor_lists import get_item
from placewise.ops.indexed_slices import IndexedSlices, to_dense
from placewise.ops.math.add_n import add_n
from placewise.ops.math.comparison import greater
from placewise.ops.state.resource import read_variable

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


# (block, targets, gradients of the targets, sources) → gradients of the sources.
Differentiate = Callable[[Block, list[Any], list[Any], list[Any]], list[Any]]


def block_gradients(
    op: Operation, dys: list[Any], wanted: list[bool], differentiate: Differentiate
) -> list[Any]:
    """Return the gradients of an operation's inputs, None for those not wanted."""
    dense = [to_dense(dy) if isinstance(dy, IndexedSlices) else dy for dy in dys]
    if op.type.endswith("While"):
        return (
            _Backward(op, dense, wanted, differentiate).run()
            if op.attrs["back_prop"]
            else ([None] * len(wanted))
        )
    return _choice_gradients(op, dense, wanted, differentiate)


_SPECIAL = (dtypes.variant, dtypes.resource)


def _can_differ(tensor: Tensor) -> bool:
    dtype = tensor.dtype.base_dtype
    return dtype.is_floating or dtype.is_complex or dtype in _SPECIAL


def _value_of(tensor: Tensor) -> Any:
    """Return what a captured tensor stands for: of a variable's handle, its content."""
    if tensor.dtype is dtypes.resource:
        op = tensor.op
        value = read_variable(tensor, dtype=getattr(op, "handle_dtype", op.attrs["dtype"]))
        # What loops add up is of this shape: steps of known shapes are what programs are made of.
        value.set_shape(TensorShape(held_dims(op)))
        return value
    return tensor


def _zeros(tensor: Tensor) -> Any:
    dims = tensor._dims
    if tensor.dtype not in _SPECIAL and dims is not None and None not in dims:
        return zeros(list(dims), tensor.dtype.base_dtype)
    return zeros_like(_value_of(tensor))


def _no_rows(tensor: Any) -> Any:
    return _value_of(tensor)[:0]


def _whole(slices: IndexedSlices, like: Any) -> Any:
    """Return slices as a dense tensor of the shape of `like`."""
    if slices.dense_shape is None:
        slices = IndexedSlices(slices.values, slices.indices, shape_of(_value_of(like)))
    return to_dense(slices)


# Branches.


def _choice_gradients(
    op: Operation, dys: list[Any], wanted: list[bool], differentiate: Differentiate
) -> list[Any]:
    graph, captured = op.graph, op.spread[1]
    asked = _asked(captured, wanted[1:])
    mirrors = [Block(graph, mirror=block) for block in op.blocks]
    by_branch: list[list[Any]] = []
    for block, mirror in zip(op.blocks, mirrors, strict=True):
        with mirror.entered():
            targets, seeds = _flowing(op, block, dys)
            by_branch.append(differentiate(block, targets, seeds, asked))
    reached = [k for k in range(len(asked)) if any(item[k] is not None for item in by_branch)]
    if not reached:
        return [None] * len(wanted)
    sparse = {
        k
        for k in reached
        if all(item[k] is None or isinstance(item[k], IndexedSlices) for item in by_branch)
    }
    for mirror, gradients in zip(mirrors, by_branch, strict=True):
        with mirror.entered():
            for k in reached:
                several = [item[k] for item in by_branch]
                mirror.outputs += _parts(gradients[k], asked[k], several if k in sparse else None)
    kind = "If" if op.type.endswith("If") else "Case"
    operation = add_choice(graph, kind, graph.unique_name(kind), op.inputs[0], mirrors)
    outputs = iter(operation.outputs)
    by_tensor: dict[int, Any] = {}
    for k in reached:
        if k in sparse:
            values, indices = next(outputs), next(outputs)
            shape = shape_of(_value_of(asked[k]))
            by_tensor[id(asked[k])] = IndexedSlices(values, indices, shape)
        else:
            by_tensor[id(asked[k])] = next(outputs)
    return [None, *[by_tensor.pop(id(tensor), None) for tensor in captured]]


def _asked(captured: list[Any], wanted: list[bool]) -> list[Any]:
    """Return the captured tensors whose gradients are wanted, each once.

    A function written out with one tensor for two of its arguments captures that tensor twice. Its
    gradient within a block is the sum over all uses, and is handed over for the first place alone.
    """
    unique = {
        id(tensor): tensor
        for tensor, is_wanted in zip(captured, wanted, strict=False)
        if is_wanted and _can_differ(tensor)
    }
    return list(unique.values())


def _flowing(op: Operation, block: Block, dys: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the tensors of a block that gradients arrive at, and the gradients."""
    regular = len(op.outputs) - len(op.extras)
    pairs = list(zip(block.outputs, dys[:regular], strict=True))
    pairs += [
        (tensor, dy)
        # Differentiating adds outputs for which there is no gradient yet.
        for (home, tensor), dy in zip(op.extras, dys[regular:], strict=False)
        if home is block
    ]
    flowing = [(tensor, dy) for tensor, dy in pairs if dy is not None and _can_differ(tensor)]
    return [tensor for tensor, _ in flowing], [dy for _, dy in flowing]


def _parts(gradient: Any, source: Any, slices: list[Any] | None) -> list[Any]:
    """Return a gradient as the tensors a branch ends with."""
    if slices is not None:
        if gradient is not None:
            return [gradient.values, gradient.indices]
        kind = next(piece.indices.dtype for piece in slices if piece is not None)
        return [_no_rows(source), zeros([0], kind)]
    if gradient is None:
        return [_zeros(source)]
    return [_whole(gradient, source) if isinstance(gradient, IndexedSlices) else gradient]


# Loops.


class _Backward:
    """The making of the loop that goes backwards through another."""

    def __init__(
        self, op: Any, dys: list[Any], wanted: list[bool], differentiate: Differentiate
    ) -> None:
        self.op, self.dys, self.differentiate = op, dys, differentiate
        self.graph = op.graph
        self.loop: Block = op.blocks[1]
        self.first, self.captured, _ = op.spread
        count = len(self.first)
        self.wanted_first = wanted[:count]
        self.sources = _asked(self.captured, wanted[count:])
        self.kept = [  # (tensor of the body, gradients of its history)
            (tensor, dy)
            for (_, tensor), dy in zip(op.extras, dys[count:], strict=True)
            if dy is not None and tensor is not None
        ]
        self.carried = self._carried()

    def _carried(self) -> list[int]:
        """Return the variables through which gradients go from one iteration to that before."""
        body = self.loop
        parameters = body.parameters
        active = {id(source) for source in self.sources}
        active |= {
            id(tensor)
            for tensor, is_wanted in zip(parameters, self.wanted_first, strict=True)
            if is_wanted and _can_differ(tensor)
        }
        while True:
            for op in body.operations:
                if op.declaration.differentiable and any(id(t) in active for t in op.inputs):
                    active |= {id(output) for output in op.outputs if _can_differ(output)}
            more = {
                id(inside)
                for inside, after in zip(parameters, body.outputs, strict=True)
                if id(after) in active and _can_differ(inside)
            }
            if more <= active:
                break
            active |= more
        numbers = {id(tensor): k for k, tensor in enumerate(parameters)}
        reached = {k for k in numbers.values() if self.dys[k] is not None}
        while True:
            ends = [body.outputs[k] for k in reached] + [tensor for tensor, _ in self.kept]
            more_numbers = {
                numbers[id(op.outputs[0])]
                for op in _ancestors(body, ends)
                if op.declaration is ARGUMENT
            }
            if more_numbers <= reached:
                break
            reached |= more_numbers
        return [k for k in sorted(reached) if id(parameters[k]) in active]

    def run(self) -> list[Any]:
        """Add the backward loop, and return the gradients of the loop's inputs."""
        nothing = [None] * len(self.op.inputs)
        if not self.carried and not self.kept:
            return nothing
        graph = self.graph
        count = iterations(self.op)
        test, body = Block(graph, repeats=True), Block(graph, True, self.loop)
        left = test.parameter(dtypes.int32, (), "Merge", count)
        with test.entered():
            test.outputs = [greater(left, 0)]
        inside: Any = body.parameter(dtypes.int32, (), "Identity", count)
        with body.entered():
            body.position = inside - 1
        body.outputs = [body.position]
        begun: list[Any] = [count]
        for k in self.carried:
            output = self.op.outputs[k]
            dy = self.dys[k]
            begun.append(_zeros(output) if dy is None else dy)
            variable = self.loop.parameters[k]
            body.parameter(variable.dtype, variable._dims, "Identity", begun[-1])
        before, of_captured = self._differentiated(body)
        body.outputs += before
        adding = self._accumulated(body, of_captured, begun)
        test.parameters += [None] * (len(begun) - 1)
        operation = add_loop(graph, graph.unique_name("While"), begun, test, body)
        return self._arranged(operation, of_captured, adding)

    def _differentiated(self, body: Block) -> tuple[list[Any], list[Any]]:
        """Return the gradients of the variables an iteration began with, and of the captured."""
        loop = self.loop
        with body.entered():
            targets = [loop.outputs[k] for k in self.carried]
            seeds: list[Any] = list(body.parameters[1:])
            for tensor, entries in self.kept:
                targets.append(tensor)
                kind = tensor.dtype.base_dtype
                seeds.append(get_item(entries, body.position, shape_of(tensor), element_dtype=kind))
            parameters = [loop.parameters[k] for k in self.carried]
            gradients = self.differentiate(loop, targets, seeds, [*parameters, *self.sources])
            before = [
                _zeros(inside)
                if dy is None
                else to_dense(dy)
                if isinstance(dy, IndexedSlices)
                else dy
                for inside, dy in zip(parameters, gradients, strict=False)
            ]
        return before, gradients[len(parameters) :]

    def _accumulated(self, body: Block, gradients: list[Any], begun: list[Any]) -> dict[int, int]:
        """Let gradients of captured tensors add up in variables; return source → variable."""
        variables: dict[int, int] = {}
        for number, (source, dy) in enumerate(zip(self.sources, gradients, strict=True)):
            if dy is None or isinstance(dy, IndexedSlices):
                continue
            variables[number] = len(begun)
            begun.append(_zeros(source))
            so_far = body.parameter(
                begun[-1].dtype.base_dtype, begun[-1]._dims, "Identity", begun[-1]
            )
            with body.entered():
                body.outputs.append(
                    add_n([so_far, dy]) if dy.dtype is dtypes.variant else so_far + dy
                )
        return variables

    def _arranged(
        self, operation: Operation, gradients: list[Any], variables: dict[int, int]
    ) -> list[Any]:
        by_tensor: dict[int, Any] = {}
        for number, (source, dy) in enumerate(zip(self.sources, gradients, strict=True)):
            if number in variables:
                by_tensor[id(source)] = operation.outputs[variables[number]]
            elif dy is not None:
                by_tensor[id(source)] = self._slices(operation, dy, source)
        of_first: list[Any] = [None] * len(self.first)
        for position, k in enumerate(self.carried):
            if self.wanted_first[k]:
                of_first[k] = operation.outputs[1 + position]
        of_captured = [by_tensor.pop(id(tensor), None) for tensor in self.captured]
        rest = len(self.op.inputs) - len(of_first) - len(of_captured)
        return [*of_first, *of_captured, *[None] * rest]

    def _slices(self, operation: Operation, dy: IndexedSlices, source: Tensor) -> IndexedSlices:
        """Return the slices of all iterations together."""
        values, indices = (self._all(operation, item) for item in (dy.values, dy.indices))
        shape = shape_of(_value_of(source))
        return IndexedSlices(
            _joined(values, concat([[-1], shape[1:]], 0), dy.values.dtype),
            _joined(indices, [-1], dy.indices.dtype),
            shape,
        )

    def _all(self, operation: Operation, tensor: Any) -> Any:
        """Return the history of a tensor of the backward loop."""
        body = operation.blocks[1]
        if tensor.op.block is not body:  # the same each time, but kept for each time
            with body.entered():
                tensor = identity(tensor)
        return exposed(tensor)


def _joined(history: Tensor, shape: TensorLike, dtype: DType) -> Any:
    none = np.zeros(0, np.int64)
    return concatenated(history, shape, none, element_dtype=dtype.base_dtype)[0]


def _ancestors(block: Block, tensors: list[Any]) -> list[Any]:
    gradients: dict[int, Any] = {}
    waiting = [tensor.op for tensor in tensors if tensor.op.block is block]
    while waiting:
        op = waiting.pop()
        if op.id not in gradients and (op.declaration.differentiable or op.declaration is ARGUMENT):
            gradients[op.id] = op
            waiting.extend(source.op for source in op.inputs if source.op.block is block)
    return list(gradients.values())
