"""A gradient tape over a graph: it need only know which operations were written while it ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.autodiff.graph_gradients import differentiated
from placewise.core.tensor import Tensor
from placewise.eager.tape import Tape

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


class GraphTape(Tape):
    """Follows the operations that a graph got while recording, from what is watched."""

    __slots__ = ("graph", "spans", "started")

    def __init__(self, graph: Any, watch_accessed_variables: bool = True) -> None:
        super().__init__(watch_accessed_variables)
        self.graph = graph
        self.spans: list[tuple[int, int]] = []
        self.started: int | None = None

    def begin(self) -> None:
        """Follow what is written from now on."""
        self.started = self.graph.version

    def end(self) -> None:
        """Follow what was written so far, and no more."""
        if self.started is not None:
            self.spans.append((self.started, self.graph.version))
            self.started = None

    def ran(self, op: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...], attrs: Any) -> None:
        """Write nothing down: the graph is what is written."""

    def _seen(self) -> list[tuple[int, int]]:
        if self.started is None:
            return self.spans
        return [*self.spans, (self.started, self.graph.version)]

    def _inside(self, tensor: Tensor) -> Any:
        inside = getattr(self.graph, "inside", None)
        return tensor if inside is None else inside(tensor)

    def _known(self, spans: list[tuple[int, int]]) -> set[int]:
        """Return the tensors that depend on what is watched."""
        known = {id(self._inside(item)) for item in self.watched}
        operations = self.graph.get_operations()
        for start, end in spans:
            for op in operations[start:end]:
                if any(id(tensor) in known for tensor in op.inputs):
                    known.update(map(id, op.outputs))
        return known

    def differentiate(self, targets: list[Any], sources: list[Any], seeds: list[Any]) -> list[Any]:
        """Return the gradient of targets for each source, as operations of the graph."""
        spans = self._seen()
        inner = [self._inside(source) for source in sources]
        ends = [self._inside(target) for target in targets]
        known = self._known(spans)
        asked = [item for item in inner if item is not None and id(item) in known]

        def seen(op: Operation) -> bool:
            return any(start <= op.id < end for start, end in spans)

        usable = [(t, s) for t, s in zip(ends, seeds, strict=True) if t is not None]
        derivatives = differentiated(
            self.graph, [t for t, _ in usable], asked, [s for _, s in usable], seen
        )
        by_id = dict(zip(map(id, asked), derivatives, strict=True))
        # A target that is a source has a gradient, watched or not.
        own: dict[int, Any] = {}
        for target, end, seed in zip(targets, ends, seeds, strict=True):
            key = id(target if end is None else end)
            own[key] = own[key] + seed if key in own else seed
        keys = [
            id(source if item is None else item)
            for source, item in zip(sources, inner, strict=True)
        ]
        return [by_id.get(key) if key in known else own.get(key) for key in keys]
