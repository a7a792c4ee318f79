"""`tf.compat.v1.wrap_function`: code written for graphs as a function, and parts of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from placewise.core import nest
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.func_graph import FuncGraph, current_graph
from placewise.functions.inline import Inliner, dependencies
from placewise.functions.parameters import taken_apart
from placewise.functions.trace import Making, trace
from placewise.graph.graph import Graph
from placewise.graph.operation import Operation

Binder = Callable[[FuncGraph, Inliner, list[Operation]], None]


class UnliftableError(Exception):
    """A part of a graph cannot be a function: it needs a placeholder that is not fed."""


UnliftableError.__module__ = "tensorflow.python.ops.op_selector"


class WrappedFunction(ConcreteFunction):
    """A function whose graph can be cut: any of its tensors may be fed or fetched."""

    def prune(
        self,
        feeds: Any,
        fetches: Any,
        name: str | None = None,
        input_signature: Any = None,
        are_keyword_args_also_positional: bool = False,
    ) -> WrappedFunction:
        """Return the function of `feeds` that computes `fetches`, both tensors of the graph."""

        def bind(graph: FuncGraph, inliner: Inliner, needed: list[Operation]) -> None:
            for outer, held in self.graph.captures:
                inliner.bind(held, graph.capture(outer))

        title = name or f"pruned_{self.graph.name}"
        graph, outputs = cut(self.graph, feeds, fetches, title, bind, self.graph.internal_captures)
        graph.accessed = self.graph.accessed
        return WrappedFunction(graph, outputs)


def cut(
    source: Graph, feeds: Any, fetches: Any, name: str, bind: Binder, bound: Sequence[Any] = ()
) -> tuple[FuncGraph, Any]:
    """Return the graph of a function of `feeds`, and what it returns: `fetches`.

    `bind` says what tensors of the source, those of `bound` or of operations, are outside of it.
    """
    feeds_inside = [_found(source, feed) for feed in nest.flatten(feeds, True)]
    wanted = nest.map_structure(lambda fetch: _found(source, fetch), fetches)
    ends = [leaf for leaf in nest.flatten(wanted, True) if leaf is not None]
    graph, around = FuncGraph(name, None), current_graph()
    graph.tensor_equality = around is None or around.tensor_equality
    with graph.as_default():
        inliner = Inliner(graph, "")
        for tensor in feeds_inside:
            argument = graph.argument(tensor.dtype, tensor._dims, tensor.op.name)
            graph.inputs.append(argument)
            inliner.bind(tensor, argument)
        given = [*feeds_inside, *bound]
        needed = dependencies(ends, given)
        _check_fed(needed, ends)
        bind(graph, inliner, needed)
        inliner.copy_needed(source, ends, given)
        outputs = [
            None if isinstance(end, Operation) else inliner.tensor(end)
            for end in nest.flatten(wanted, True)
        ]
    return graph, nest.pack_sequence_as(wanted, outputs, True)


def _found(graph: Graph, element: Any) -> Any:
    return graph.as_graph_element(element) if isinstance(element, str) else element


def _check_fed(needed: list[Operation], ends: list[Any]) -> None:
    missing = [op for op in needed if op.type in ("Placeholder", "PlaceholderV2")]
    if missing:
        raise UnliftableError(
            f"Unable to lift tensor {ends[0]!r} because it depends transitively on placeholder "
            f"{missing[0]!r}, which is not among the feeds"
        )


def wrap_function(
    fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None
) -> WrappedFunction:
    """Return `fn`, traced once for the specs of `signature`; its variables live as long as it.

    >>> import placewise as tf
    >>> double = wrap_function(lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])
    >>> float(double(tf.constant(3.0)))
    6.0
    """
    named = [(f"args_{place}", spec) for place, spec in enumerate(signature)]
    called: str = name or str(getattr(fn, "__name__", "wrapped_function"))
    making = Making(True)
    concrete = trace(fn, called, taken_apart(named, len(named)), None, making)
    wrapped_function = WrappedFunction(concrete.graph, concrete.structured_tensors)
    wrapped_function._kept = making.made
    return wrapped_function
