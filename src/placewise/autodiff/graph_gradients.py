"""`tf.gradients`: derivatives as further operations of the same graph, from the ops' own rules."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.autodiff.backward import input_gradients, total
from placewise.autodiff.block_gradients import block_gradients
from placewise.autodiff.captured import differentiated_outwards, is_around
from placewise.autodiff.composites import composite_gradient, is_differentiable
from placewise.autodiff.unconnected import wants_zeros
from placewise.core import dtypes, nest
from placewise.core.arguments import TensorLike
from placewise.core.scope import current
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.eager.tape import Call
from placewise.graph.order import in_order
from placewise.graph.recorder import constant_value, held_dims
from placewise.graph.tensor import GraphTensor
from placewise.ops.array.creation import fill, ones_like, zeros, zeros_like
from placewise.ops.array.shape import identity
from placewise.ops.convert import convert_to_tensor
from placewise.ops.flow.order import no_op
from placewise.ops.indexed_slices import IndexedSlices
from placewise.ops.linalg.operator_parameters import OperatorParameters
from placewise.ops.name_scopes import in_scope, is_tf1_graph
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.state.resource import read_variable
from placewise.ops.state.variable import is_variable
from placewise.ops.tf1_spelling import shape

if TYPE_CHECKING:
    from placewise.graph.graph import Graph
    from placewise.graph.operation import Operation
    from placewise.graph.subgraphs import Block


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """Return the derivative of the sum of `ys` by each of `xs`; None where there is none.

    `ys`, `xs`: tensors or variables, one or a list.
    `grad_ys`: what to begin with in place of ones, one for each of `ys`.
    `colocate_gradients_with_ops`: ask that each derivative is computed where its op is.
    `gate_gradients`: let all derivatives of an op be computed before any is used.
    `aggregation_method`: how to add up derivatives, one of `tf.AggregationMethod`; a hint.
    `stop_gradients`: tensors to take for constants.
    `unconnected_gradients`: 'zero' gives zeros where `ys` do not depend on one of `xs`.

    Writes new operations into the graph. Raises RuntimeError where ops run at once: use
    `tf.GradientTape`. Raises LookupError if an op on the way has no gradient.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.constant(3.0)
    ...     session.run(tf.compat.v1.gradients(x * x, x))
    [np.float32(6.0)]
    """
    if current.interpreter.graph is None:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
            "instead."
        )
    fills = wants_zeros(unconnected_gradients)
    targets = [
        _as_tensor(part)
        for y in (ys if isinstance(ys, (list, tuple)) else [ys])
        for part in _values_of(y)
    ]
    sources = xs if isinstance(xs, (list, tuple)) else [xs]
    parts = [_parts_of(x) for x in sources]
    followed = [_followed(part) for several in parts for part in several if part is not None]
    graph = _writing(targets[0].graph)
    with graph.name_scope(name) as scope, graph._changed(gradients=scope):
        seeds = _seeds(targets, grad_ys, colocate_gradients_with_ops)
        stopped = (
            {id(_followed(t).op) for t in nest.flatten(stop_gradients)}
            if (stop_gradients is not None)
            else set()
        )

        def walk(
            at: Graph, ends: list[Any], initial_gradients: list[Any], wanted: list[Any]
        ) -> list[Any]:
            walk_back = _Walk(graph, wanted, stopped, colocate_gradients_with_ops)
            walk_back.gates = gate_gradients and is_tf1_graph()
            return walk_back.arriving(ends, initial_gradients)

        several = differentiated_outwards(graph, targets, seeds, followed, walk)
        adding = _Walk(graph, followed, stopped, colocate_gradients_with_ops)
        result = [
            adding.total(item, x) if item else None
            for item, x in zip(several, followed, strict=True)
        ]
        if fills:
            result = [_zeros(x) if g is None else g for x, g in zip(followed, result, strict=True)]
        found = iter(result)
        return [
            _like_source(x, [None if part is None else next(found) for part in several])
            for x, several in zip(sources, parts, strict=True)
        ]


def _writing(graph: Graph) -> Any:
    """Return the graph that derivatives are written into: the current one, if inside of `graph`."""
    interpreter = current.interpreter
    innermost = interpreter.graph
    return innermost if is_around(graph, innermost) else graph


def gradients_v2(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: str = "none",
) -> list[Any]:
    """Return the sum of the derivatives of `ys` by each of `xs`; TensorFlow 2's parameters."""
    return gradients(
        ys,
        xs,
        grad_ys,
        name,
        True,
        gate_gradients,
        aggregation_method,
        stop_gradients,
        unconnected_gradients,
    )


def differentiated(
    graph: Any,
    targets: list[Any],
    sources: list[Any],
    seeds: list[Any],
    only: Callable[..., Any] | None = None,
) -> list[Any]:
    """Return the gradient of targets for each source, seen through operations `only` admits."""
    with graph.name_scope("gradients") as scope, graph._changed(gradients=scope):
        return _Walk(graph, sources, set(), False, only=only).run(targets, seeds)


def _zeros(source: Tensor) -> Any:
    if source.dtype is not dtypes.resource:
        return zeros_like(source)
    held, dtype = _held(source)
    if held.is_fully_defined():
        return zeros(held, dtype)
    return zeros_like(read_variable(source, dtype=dtype))


def _held(handle: Tensor) -> tuple[TensorShape, Any]:
    """Return the shape and the dtype of what a variable's handle leads to."""
    if not isinstance(handle, GraphTensor):
        return TensorShape(handle._value.shape), handle._value.dtype
    op = handle.op
    return TensorShape(held_dims(op)), getattr(op, "handle_dtype", None) or op.attrs["dtype"]


def _as_tensor(y: Any) -> Any:
    return y if isinstance(y, (GraphTensor, IndexedSlices)) else convert_to_tensor(y)


def _values_of(item: Any) -> list[Any]:
    """Return what is differentiated: the values of a ragged tensor, the tensors of an operator."""
    if isinstance(item, OperatorParameters):
        return [part for part in item._unread_components() if is_differentiable(part)]
    return [item.flat_values if isinstance(item, RaggedTensor) else item]


def _parts_of(source: Any) -> list[Any]:
    """Return the tensors that a source is differentiated by; None where one has no gradients."""
    if not _is_composite(source):
        return [source]
    return [part if is_differentiable(part) else None for part in source._components()]


def _like_source(source: Any, gradients: list[Any]) -> Any:
    """Return the gradient by a source; by one of several tensors as such a value."""
    return composite_gradient(source, gradients) if _is_composite(source) else gradients[0]


def _is_composite(source: Any) -> bool:
    return isinstance(source, nest.Composite) and not isinstance(source, IndexedSlices)


def _followed(x: Any) -> Any:
    """Return the tensor that a source is known by: a variable's handle or reference."""
    if hasattr(x, "_ref"):
        return x._ref()
    return x.handle if is_variable(x) else x


def _seeds(targets: list[Any], grad_ys: TensorLike | None, colocate: bool) -> list[Any]:
    if grad_ys is None:
        initial_gradients: list[Any] = [None] * len(targets)
    else:
        initial_gradients = list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
        if len(initial_gradients) != len(targets):
            raise ValueError(f"Passed {len(initial_gradients)} grad_ys for {len(targets)} ys")
    seeds = []
    for index, (target, seed) in enumerate(zip(targets, initial_gradients, strict=True)):
        if seed is not None:
            seeds.append(
                convert_to_tensor(_values_of(seed)[0], target.dtype, name=f"grad_ys_{index}")
            )
            continue
        op: Any = getattr(target, "op", None)
        is_placed = colocate and op is not None and op.graph is current.interpreter.graph
        with op.graph.colocate_with(op, ignore_existing=True) if is_placed else nullcontext():
            seeds.append(_ones(target, index))
    return seeds


def _ones(target: Any, index: int) -> Any:
    """Return what the derivatives of a target begin with."""
    if target.dtype.is_complex:
        raise TypeError(
            f"Gradients of complex tensors must set grad_ys (y.dtype = {target.dtype!r})"
        )
    if is_tf1_graph():
        sizes = shape(target)
        one = convert_to_tensor(1, target.dtype.base_dtype, name=f"grad_ys_{index}")
        return fill(sizes, one)
    if target.shape.is_fully_defined():  # a constant folds away
        ones = np.ones(target.shape.as_list(), target.dtype.base_dtype.as_numpy_dtype)
        return convert_to_tensor(ones, name=f"grad_ys_{index}")
    return ones_like(target, name=f"grad_ys_{index}")


class _Walk:
    """One backward walk over the operations between sources and targets."""

    def __init__(
        self,
        graph: Any,
        sources: list[Any],
        stopped: set[int],
        colocate: bool,
        block: Any = None,
        only: Any = None,
    ) -> None:
        self.only = only  # tells which operations a tape has seen
        self.graph, self.sources = graph, sources
        self.block = block  # go no further than this block of a loop or branch
        self.stopped = stopped  # operations that gradients arrive at, but do not go through
        self.colocate = colocate
        self.gradients: dict[int, list[Any]] = {}
        self.gates = False  # are the gradients of one operation passed on together?
        self.is_tf1 = is_tf1_graph()

    def run(self, targets: list[Any], seeds: list[Any]) -> list[Any]:
        """Return the gradient of each source, None where there is none."""
        arriving = self.arriving(targets, seeds)
        return [
            self.total(several, source) if several else None
            for several, source in zip(arriving, self.sources, strict=True)
        ]

    def total(self, several: list[Any], tensor: Any) -> Any:
        """Return the sum of a tensor's gradients: first on each device, then of these sums.

        As in TensorFlow, each sum is where the first gradient of its device is.
        """
        if len(several) == 1 or not all(isinstance(one, GraphTensor) for one in several):
            return total(several)
        by_device: dict[str, list[Any]] = {}
        for gradient in several:
            by_device.setdefault(gradient.device, []).append(gradient)
        with self._place(getattr(tensor, "op", None)):
            sums = []
            for parts in by_device.values():
                with self._beside(parts[0]):
                    sums.append(total(parts))
            return total(sums)

    def _beside(self, gradient: Any) -> Any:
        if gradient.op.graph is not self.graph:
            return nullcontext()
        return self.graph.colocate_with(gradient.op, ignore_existing=True)

    def _place(self, op: Any) -> Any:
        """Return a scope in which ops are where `op` is, if gradients are to be."""
        if op is None or not self.colocate or op.graph is not self.graph:
            return nullcontext()
        return self.graph.colocate_with(op, ignore_existing=True)

    def arriving(self, targets: list[Any], seeds: list[Any]) -> list[list[Any]]:
        """Return the gradients of each source, not added up yet."""
        for target, seed in zip(targets, seeds, strict=True):
            self.gradients.setdefault(id(target), []).append(seed)
        kept = {id(source) for source in self.sources}
        needed = self._reached(targets)
        for op in self._between(targets, needed):
            waiting = [id(output) in self.gradients for output in op.outputs]
            if (
                id(op) in self.stopped
                or not any(waiting)
                or not (op.declaration.differentiable or op.gradient_override)
            ):
                continue
            dys = [
                self.total(
                    self.gradients[id(output)]
                    if id(output) in kept
                    else self.gradients.pop(id(output)),
                    output,
                )
                if has
                else None
                for output, has in zip(op.outputs, waiting, strict=True)
            ]
            self._spread(op, dys, needed)
        return [self.gradients.get(id(source), []) for source in self.sources]

    def _reached(self, targets: list[Any]) -> set[int]:
        """Return the tensors that depend on a source and are not cut off."""
        needed = {id(source) for source in self.sources}
        for op in self._ancestors(targets):
            if id(op) not in self.stopped and any(id(t) in needed for t in op.inputs):
                needed.update(id(output) for output in op.outputs)
        return needed

    def _ancestors(self, targets: list[Any]) -> list[Any]:
        """Return the operations that targets depend on, each after those it depends on."""
        derivatives: dict[int, Any] = {}
        block = self.block
        is_ordered = True
        waiting = [target.op for target in targets if block is None or target.op.block is block]
        while waiting:
            op = waiting.pop()
            if op.id not in derivatives and (self.only is None or self.only(op)):
                derivatives[op.id] = op
                for tensor in op.inputs:
                    before = tensor.op
                    if block is None or before.block is block:
                        waiting.append(before)
                        is_ordered = is_ordered and before.id < op.id
        ordered = [derivatives[number] for number in sorted(derivatives)]
        if is_ordered:
            return ordered
        return in_order(ordered, lambda op: (t.op for t in op.inputs if t.op.id in derivatives))

    def _between(self, targets: list[Any], needed: set[int]) -> list[Any]:
        """Return the operations to go back through, each after all that use its outputs.

        They come breadth first, the first input of an operation first, as in TensorFlow: this is
        the order in which gradients of one tensor are added up, and sums of floats depend on it.
        """
        connected = {
            id(op): op
            for op in self._ancestors(targets)
            if any(id(output) in needed for output in op.outputs)
        }
        ends = {id(t.op): t.op for t in targets if id(t.op) in connected}
        uses = dict.fromkeys(ends, 0)
        waiting = list(ends.values())
        for op in waiting:  # grows while it is walked
            for tensor in op.inputs:
                key = id(tensor.op)
                if key not in uses and key in connected:
                    waiting.append(tensor.op)
                    uses[key] = 0
                if key in uses:
                    uses[key] += 1
        order = [op for key, op in ends.items() if uses[key] == 0]
        for op in order:
            for tensor in op.inputs:
                key = id(tensor.op)
                if key in uses:
                    uses[key] -= 1
                    if uses[key] == 0:
                        order.append(tensor.op)
        return order

    def _spread(self, op: Operation, dys: list[Any], needed: set[int]) -> None:
        wanted = tuple(
            any(id(t) in needed for t in (item if type(item) is list else [item]))
            for item in op.spread
        )
        if not any(wanted):
            return
        if op.blocks:
            self._spread_blocks(op, dys, wanted, needed)
            return
        inputs = tuple(
            _host(item) if arg.name in op.declaration.host else item
            for arg, item in zip(op.declaration.inputs, op.spread, strict=True)
        )
        asked = wanted
        if self.is_tf1 and op.gradient_override is None and op.declaration.gradient_rule:
            # TensorFlow 1 writes all of them down; what nobody reads is never computed.
            asked = (True,) * len(wanted)
        call = Call(op.declaration, inputs, tuple(op.outputs), op.attrs, asked)
        with self._scope(op):
            if op.gradient_override is not None:
                derivatives = op.gradient_override(call, *dys)
            else:
                derivatives = input_gradients(call, dys)
            if self.gates and isinstance(derivatives, (list, tuple)):
                derivatives = _gated(derivatives)
        self._collect(op, wanted, derivatives)

    def _spread_blocks(
        self, op: Operation, dys: list[Any], wanted: tuple[bool, ...], needed: set[int]
    ) -> None:
        if op.graph is not self.graph:
            raise NotImplementedError(
                f"The gradient of '{op.name}' ({op.type}), which stands in a graph around this "
                "function, cannot be computed inside the function. Call tf.gradients where that "
                "conditional or loop was made, or give the function its result as an argument."
            )
        which = [id(t) in needed for t in op.inputs]
        with self._scope(op):
            derivatives = iter(block_gradients(op, dys, which, self._inside))
        arranged = [
            [next(derivatives) for _ in item] if type(item) is list else next(derivatives)
            for item in op.spread
        ]
        self._collect(op, wanted, arranged)

    def _inside(
        self, block: Block, targets: list[Any], seeds: list[Any], sources: list[Any]
    ) -> list[Any]:
        """Return gradients within a block of a loop or branch."""
        return _Walk(self.graph, sources, set(), self.colocate, block).run(targets, seeds)

    def _scope(self, op: Operation) -> Any:
        stack = ExitStack()
        stack.enter_context(self.graph.name_scope(f"{op.name}_grad"))
        stack.enter_context(self._place(op))
        return stack

    def _collect(self, op: Any, wanted: tuple[bool, ...], derivatives: Any) -> None:
        if (len(op.spread) == 1 and not isinstance(derivatives, (list, tuple))) or (
            len(op.spread) == 1
            and type(op.spread[0]) is list
            and (len(derivatives) != 1 or not isinstance(derivatives[0], (list, tuple)))
        ):
            derivatives = (derivatives,)
        for item, is_wanted, gradient in zip(op.spread, wanted, derivatives, strict=True):
            if not is_wanted or gradient is None:
                continue
            pairs = zip(item, gradient, strict=True) if type(item) is list else [(item, gradient)]
            for tensor, one in pairs:
                if one is not None:
                    _same_shape(one, tensor)
                    self.gradients.setdefault(id(tensor), []).append(one)


def _gated(derivatives: Any) -> Any:
    """Return the gradients of one operation's inputs by the names they have behind a gate.

    Nothing waits there: the gradients that nobody needs would be computed.
    """
    if sum(isinstance(item, (GraphTensor, IndexedSlices)) for item in derivatives) < 2:
        return derivatives
    with in_scope(None, "tuple"):
        no_op("group_deps")
        return [_passed(item) for item in derivatives]


def _passed(gradient: Any) -> Any:
    if isinstance(gradient, IndexedSlices):
        values = identity(gradient.values, "control_dependency")
        return IndexedSlices(values, gradient.indices, gradient.dense_shape)
    is_tensor = isinstance(gradient, GraphTensor)
    return identity(gradient, "control_dependency") if is_tensor else gradient


def _host(item: Any) -> Any:
    """Return a host input as the array it is known to be, else as the tensor."""
    if type(item) is list:
        return [_host(one) for one in item]
    value = constant_value(item)
    return item if value is None else np.asarray(value)


def _same_shape(gradient: TensorLike, tensor: Tensor) -> None:
    """Let a gradient of unknown shape have that of what it is the gradient of."""
    if not isinstance(gradient, GraphTensor) or gradient._dims is not None:
        return
    if tensor.dtype is dtypes.resource:  # a variable
        gradient._dims = _held(tensor)[0]._dims
    elif tensor.dtype.base_dtype is gradient.dtype.base_dtype:
        gradient._dims = tensor._dims
