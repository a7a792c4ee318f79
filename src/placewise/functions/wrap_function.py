"""`tf.compat.v1.wrap_function`: code written for graphs as a function, and parts of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from placewise.core import nest
from placewise.core.tensor import Tensor
from placewise.functions.concrete import ConcreteFunction
from placewise.functions.func_graph import FuncGraph
from placewise.functions.inline import Inliner
from placewise.functions.parameters import taken_apart
from placewise.functions.trace import Making, trace
from placewise.graph.operation import Operation


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
        feeds_inside = [self._found(feed) for feed in nest.flatten(feeds)]
        wanted = nest.map_structure(self._found, fetches)
        ends = [leaf for leaf in nest.flatten(wanted) if leaf is not None]
        graph = FuncGraph(name or f"pruned_{self.graph.name}", None)
        with graph.as_default():
            inliner = Inliner(graph, "")
            for tensor in feeds_inside:
                argument = graph.argument(tensor.dtype, tensor._dims, tensor.op.name)
                graph.inputs.append(argument)
                inliner.bind(tensor, argument)
            for outer, held in self.graph.captures:
                inliner.bind(held, graph.capture(outer))
            inliner.copy_needed(self.graph, ends, [*feeds_inside, *self.graph.internal_captures])
            outputs = nest.map_structure(
                lambda element: None if isinstance(element, Operation) else inliner.tensor(element),
                wanted,
            )
        graph.accessed = self.graph.accessed
        return WrappedFunction(graph, outputs)

    def _found(self, element: Tensor) -> Any:
        if isinstance(element, str):
            return self.graph.as_graph_element(element)
        return element


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
