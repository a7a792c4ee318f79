"""Gradients that leave the graph of a function: by tensors of the graphs around it.

A function's graph holds a placeholder for each tensor it uses from outside. A gradient that arrives
at one goes on at the outer tensor, through the operations of that graph, graph by graph; all of it
is written into the graph where the program asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from placewise.core.tensor import Tensor
from placewise.graph.tensor import GraphTensor

if TYPE_CHECKING:
    from placewise.graph.graph import Graph


# (graph, targets, gradients of the targets, sources) → gradients of the sources, each a list.
Walk = Callable[[Any, list[Any], list[Any], list[Any]], list[list[Any]]]


def graphs_from(graph: Any) -> Iterator[Any]:
    """Yield a graph and those around it, from inside to outside."""
    while graph is not None:
        yield graph
        graph = getattr(graph, "outer", None)


def is_around(graph: Graph, inner: Graph) -> bool:
    """Return True if a graph is `inner`, or one around it."""
    return any(item is graph for item in graphs_from(inner))


def differentiated_outwards(
    graph: Graph, targets: list[Any], seeds: list[Any], sources: list[Any], walk: Walk
) -> list[list[Any]]:
    """Return the gradients that arrive at each source, in `graph` or in those around it."""
    result: list[list[Any]] = [[] for _ in sources]
    arriving = list(zip(targets, seeds, strict=True))
    for at in graphs_from(graph):
        here = [pair for pair in arriving if pair[0].op.graph is at]
        if not here:
            continue
        inside = [_inside(at, source) for source in sources]
        crossing = [
            (outer, inner)
            for outer, inner in getattr(at, "captures", ())
            if isinstance(outer, GraphTensor) and _depends(outer, sources)
        ]
        followed = [item for item in inside if item is not None]
        followed += [inner for _, inner in crossing]
        gradients = iter(walk(at, [t for t, _ in here], [s for _, s in here], followed))
        for own, waiting_tensor in zip(result, inside, strict=True):
            # What was captured from a graph around is counted there.
            own += next(gradients) if waiting_tensor is not None else []
        arriving += [
            (outer, one)
            for (outer, _), several in zip(crossing, gradients, strict=True)
            for one in several
        ]
    return result


def _inside(graph: Graph, source: Tensor) -> Any:
    """Return a source as this graph's own; of a value that is known already, what stands for it."""
    if isinstance(source, GraphTensor):
        return source if source.op.graph is graph else None
    inside = getattr(graph, "inside", None)
    return None if inside is None else inside(source)


def _depends(tensor: Tensor, sources: list[Any]) -> bool:
    """Return True if a tensor is computed from one of the sources."""
    wanted = {id(source) for source in sources}
    stands_for: dict[int, Any] = {}
    seen: set[int] = set()
    known: set[int] = set()
    waiting = [tensor]
    while waiting:
        item = waiting.pop()
        if id(item) in wanted:
            return True
        if not isinstance(item, GraphTensor) or id(item.op) in seen:
            continue
        graph = item.op.graph
        if id(graph) not in known:
            known.add(id(graph))
            stands_for.update((id(i), o) for o, i in getattr(graph, "captures", ()))
            stands_for.update((id(i), o) for o, i in getattr(graph, "constants", {}).values())
        if id(item) in stands_for:
            waiting.append(stands_for[id(item)])
        else:
            seen.add(id(item.op))
            waiting.extend(item.op.inputs)
    return False
