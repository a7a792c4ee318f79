"""What saving reads of the objects in a graph, made once: further saves add no operation to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.graph.defaults import get_default_graph
from placewise.saving.object_graph import saveables_by_name, state_of
from placewise.saving.python_state import PY_STATE, PythonState


class GraphReads:
    """Tensors of the objects of one checkpoint, and the operations that count its saves."""

    def __init__(self) -> None:
        self._begin(None)

    def _begin(self, graph: Any) -> None:
        self._graph = graph
        self._states: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._saveables: dict[tuple[int, str], tuple[Any, dict[str, Any]]] = {}
        self._counting: tuple[Any, Any] | None = None

    def _check_graph(self) -> None:
        graph = get_default_graph()
        if graph is not self._graph:
            self._begin(graph)

    def state(self, obj: Any) -> dict[str, Any]:
        """Return the tensors that are an object's own state, by name; of PythonState an array."""
        if isinstance(obj, PythonState):  # what it serializes is another string each time
            return {PY_STATE: np.asarray(obj.serialize(), object)}
        self._check_graph()
        if id(obj) not in self._states:  # the object is kept, so that its id stays its own
            self._states[id(obj)] = obj, state_of(obj)
        return self._states[id(obj)][1]

    def saveables(self, obj: Any, prefix: str) -> dict[str, Any]:
        """Return what makes the saveable objects of an object, by attribute; each makes one."""
        self._check_graph()
        key = id(obj), prefix
        if key not in self._saveables:
            made = {name: _Once(make) for name, make in saveables_by_name(obj).items()}
            self._saveables[key] = obj, made
        return self._saveables[key][1]

    def counting(self, counter: Any) -> tuple[Any, Any]:
        """Return what says if a counter is initialized, and what adds one to it."""
        self._check_graph()
        if self._counting is None:
            self._counting = counter.is_initialized(), counter.assign_add(1)
        return self._counting


class _Once:
    """Makes one saveable object, and returns it each time."""

    def __init__(self, make: Any) -> None:
        self._make, self._made = make, None

    def __call__(self, name: str) -> Any:
        if self._made is None:
            self._made = self._make(name=name)
        return self._made
