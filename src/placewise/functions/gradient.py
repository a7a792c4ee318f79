"""The gradient of a traced function: what it computed on the way is kept, and used backwards.

The function is written once more into a graph of its own, followed by its gradient. The first part
returns its results and whatever the second part reads; that second part is a function itself, so
that gradients of gradients need nothing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.autodiff.graph_gradients import differentiated
from placewise.core import dtypes
from placewise.core.scope import current
from placewise.core.tensor import Tensor
from placewise.eager.tape import Call
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.execution import Executor
from placewise.functions.func_graph import FuncGraph
from placewise.functions.inline import _OWN, Inliner, dependencies
from placewise.graph.effects import acting
from placewise.graph.tensor import GraphTensor
from placewise.ops import graph_only
from placewise.ops.array.creation import zeros_like
from placewise.ops.declare import Arg, Op
from placewise.ops.indexed_slices import IndexedSlices, to_dense
from placewise.ops.work import view_work

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


_CONSTANT = graph_only.const.op


def _can_differ(tensor: Tensor) -> bool:
    dtype = tensor.dtype.base_dtype
    return bool(dtype.is_floating or dtype.is_complex or dtype is dtypes.variant)


class Differentiable:
    """A function whose calls gradient tapes can follow.

    `constants` are pairs of a tensor outside and the constant it became inside: further inputs. A
    tape around a tape also asks for gradients of what was kept; `deeper` returns those, and keeps
    what that takes.
    """

    def __init__(
        self, concrete: Any, constants: list[Any] | None = None, with_effects: bool = True
    ) -> None:
        self.concrete = concrete
        self.graph = FuncGraph(f"forward_{concrete.graph.name}", None)
        held = [*concrete.inputs, *[inner for _, inner in constants or ()]]
        self.inputs, self.results, effects = _written_again(concrete, self.graph, held)
        self._length = self.graph.version
        self._effects = effects if with_effects else []
        self._deeper: Any = None
        self._differentiate()
        self.op = Op(
            "PartitionedCall",
            (Arg("args", None, "Tin", None, True),),
            (Arg("output", None, "Tout", None, True),),
            (),
            {},
            placement="ignores_handles",
            work=view_work,
        )
        self.op.gradient_rule = _TakesNone(self._rule)

    def _differentiate(self) -> None:
        graph = self.graph
        sources = [source for source in self.inputs if _is_source(source)]
        seeds: list[GraphTensor] = []
        targets = [result for result in self.results if _can_differ(result)]
        with graph.as_default():
            seeds = [graph.argument(t.dtype, t._dims, "gradient") for t in targets]
            derivatives = differentiated(graph, targets, sources, seeds) if targets else []
        self._seeds = dict(zip(map(id, targets), seeds, strict=True))
        gradients = dict(zip(map(id, sources), derivatives, strict=False))
        self._gradients = [gradients.get(id(source)) for source in self.inputs]
        flat = [part for gradient in self._gradients for part in _parts(gradient)]
        later = dependencies(flat, seeds) if flat else []
        self.kept = self._read_backwards(later, flat)
        self.forward = Executor(
            graph,
            self.inputs,
            [*self.results, *self.kept],
            self._effects,
            self.concrete.executor.compile_with,
            returned=len(self.results),
        )
        self.backward = self._backward(later, seeds, flat)

    def _read_backwards(self, later: list[Any], flat: list[Any]) -> list[GraphTensor]:
        """Return the tensors of the function that its gradient reads."""
        known = {id(source) for source in self.inputs}
        derivatives: dict[int, GraphTensor] = {}

        def note(tensor: GraphTensor) -> None:
            op = tensor.op
            if (
                op.id < self._length
                and op.block is None
                and id(tensor) not in known
                and op.declaration is not _CONSTANT
            ):
                derivatives[id(tensor)] = tensor

        for op in later:
            if op.id >= self._length:
                for tensor in op.inputs:
                    note(tensor)
        for tensor in flat:
            note(tensor)
        return list(derivatives.values())

    def _backward(self, later: list[Any], seeds: list[Any], flat: list[Any]) -> Any:
        """Return the gradient as a function of seeds, kept tensors and the function's inputs."""
        graph = FuncGraph(f"backward_{self.concrete.graph.name}", None)
        inner = [*seeds, *self.kept, *self.inputs]
        with graph.as_default():
            inliner = Inliner(graph, "")
            for tensor in inner:
                argument = graph.argument(
                    tensor.dtype, tensor._dims, tensor.op.name.replace("/", "_")
                )
                _describe(argument.op, tensor.op)
                graph.inputs.append(argument)
                inliner.bind(tensor, argument)
            for outer, held in self.graph.captures:
                inliner.bind(held, graph.capture(outer))
            inliner.copy(dependencies(flat, inner) if flat else [])
            outputs = [inliner.tensor(leaf) for leaf in flat]
        return ConcreteFunction(graph, outputs)

    def call(self, every: list[Any], order: int = 1) -> list[Any]:
        """Run on arguments and captured tensors; notify the tapes, `order` of them."""
        deepest = self
        for _ in range(order - 1):
            deepest = deepest.deeper()
        argument = deepest.forward.run(every)
        for tape in current.tapes:
            tape.ran(self.op, (every,), tuple(argument), {})
        return argument[: len(self.results)]

    def _rule(self, call: Call, *dys: Any) -> Any:
        inputs, outputs = call.inputs[0], call.outputs
        asked = max((place for place, dy in enumerate(dys) if dy is not None), default=-1)
        level = self
        while asked >= len(level.results):
            level = level.deeper()
        if len(outputs) < len(level.results) + len(level.kept):
            # More gradients than there were tapes: the function is run again for what they read.
            again = level.call_again(inputs)
            outputs = (*outputs, *again[len(outputs) :])
        return [level.gradients(inputs, outputs, list(dys))]

    def call_again(self, inputs: list[Any]) -> list[Any]:
        """Run once more without effects; returns results and all that is kept."""
        again = Differentiable(self.concrete, with_effects=False) if self._effects else self
        result = again.forward.run(inputs)
        for tape in current.tapes:
            tape.ran(again.op, (inputs,), tuple(result), {})
        return result

    def gradients(self, inputs: Any, outputs: Any, dys: list[Any]) -> list[Any]:
        """Return the gradient of each input."""
        count = len(self.results)
        seeds = []
        for place, inner in enumerate(self.results):
            if id(inner) in self._seeds:
                dy = dys[place] if place < len(dys) else None
                if isinstance(dy, IndexedSlices):
                    dy = to_dense(dy)
                if dy is None:
                    dy = zeros_like(outputs[place])
                seeds.append(dy)
        kept = outputs[count : count + len(self.kept)]
        derivatives = iter(self.backward.run_flat([*seeds, *kept, *inputs]))
        return [_put_together(gradient, derivatives) for gradient in self._gradients]

    def deeper(self) -> Differentiable:
        """Return the function that also returns what this one keeps."""
        if self._deeper is None:
            graph = FuncGraph(self.concrete.graph.name, None)
            with graph.as_default():
                inliner = Inliner(graph, "")
                for tensor in self.inputs:
                    argument = graph.argument(tensor.dtype, tensor._dims, tensor.op.name)
                    argument.op.__dict__.update(tensor.op.__dict__)
                    graph.inputs.append(argument)
                    inliner.bind(tensor, argument)
                for outer, held in self.graph.captures:
                    inliner.bind(held, graph.capture(outer))
                wanted = [*self.results, *self.kept]
                inliner.copy_needed(self.graph, [*wanted, *self._effects], self.inputs)
                outputs = [inliner.tensor(item) for item in wanted]
            concrete = ConcreteFunction(graph, outputs, self.concrete.executor.compile_with)
            self._deeper = Differentiable(concrete, with_effects=bool(self._effects))
        result: Differentiable = self._deeper
        return result


def _describe(argument: Operation, op: Operation) -> None:
    """Copy the known facts about an operation to its placeholder, except its blocks."""
    argument.__dict__.update({k: v for k, v in op.__dict__.items() if k not in _OWN})


def _written_again(concrete: Any, graph: FuncGraph, held: list[Any]) -> tuple[Any, Any, Any]:
    """Write a function into a graph; returns what stands for `held`, its results and effects."""
    inputs: list[Any] = []
    with graph.as_default():
        inliner = Inliner(graph, "")
        for tensor in held:
            argument = graph.argument(tensor.dtype, tensor._dims, tensor.op.name)
            _describe(argument.op, tensor.op)
            inputs.append(argument)
            inliner.bind(tensor, argument)
        ends = [*concrete.outputs, *concrete.effects]
        inliner.copy_needed(concrete.graph, ends, held)
        results = [inliner.tensor(output) for output in concrete.outputs]
    return inputs, results, acting(graph.get_operations())


def _is_source(tensor: Tensor) -> bool:
    if tensor.dtype is dtypes.resource:
        kind = getattr(tensor.op, "handle_dtype", None)
        return kind is None or bool(kind.is_floating or kind.is_complex)
    return _can_differ(tensor)


def _parts(gradient: Any) -> list[Any]:
    if gradient is None:
        return []
    if isinstance(gradient, IndexedSlices):
        shape = [] if gradient.dense_shape is None else [gradient.dense_shape]
        return [gradient.values, gradient.indices, *shape]
    return [gradient]


def _put_together(gradient: Tensor | None, derivatives: Any) -> Any:
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        values, indices = next(derivatives), next(derivatives)
        return IndexedSlices(
            values, indices, None if gradient.dense_shape is None else next(derivatives)
        )
    return next(derivatives)


class _TakesNone:
    """A gradient rule that gets None for results that nothing depends on."""

    takes_none = True

    def __init__(self, rule: Any) -> None:
        self._rule = rule

    def __call__(self, call: Call, *dys: Any) -> Any:
        return self._rule(call, *dys)
