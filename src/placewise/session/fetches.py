"""Fetches of any structure: which elements to compute, and how to arrange the results."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, MappingView
from typing import Any

from placewise.core import nest
from placewise.core.errors import InaccessibleTensorError, hint
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor


class Fetches:
    """The elements a `run` call asks for, each once, and the structure they came in."""

    def __init__(self, graph: Any, fetches: Any) -> None:
        self.graph = graph
        self.structure = fetches
        self.elements: list[Any] = []
        self._index: dict[int, int] = {}
        self.plan = self._walk(fetches)
        self.tensors = [element for element in self.elements if isinstance(element, GraphTensor)]

    def _walk(self, fetch: Any) -> Any:
        """Return the structure with each leaf replaced by a function of the results."""
        if fetch is None:
            raise TypeError(f"Fetch argument {fetch!r} has invalid type {type(fetch)}")
        if isinstance(fetch, Mapping):
            return _Mapping(fetch, {key: self._walk(part) for key, part in fetch.items()})
        parts = nest.children(fetch)
        if parts is not None and not _is_element(fetch):
            return nest.rebuild(fetch, [_Leaf(self._walk(part)) for _, part in parts])
        if isinstance(fetch, nest.Composite):
            inner = [self._walk(part) for part in fetch._components()]
            return _Composite(fetch, inner)
        return self._add(fetch)

    def _add(self, fetch: Any) -> int:
        try:
            element = self.graph.as_graph_element(fetch)
        except TypeError as problem:
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be a string or "
                f"Tensor. ({problem})"
            ) from None
        except (ValueError, KeyError) as problem:
            raise ValueError(
                hint(
                    f"Fetch argument {fetch!r} cannot be interpreted as a Tensor. ({problem})",
                    "fetch tensors and operations of this session's graph; [op.name for op in "
                    "graph.get_operations()] lists names",
                )
            ) from None
        if not self.graph.is_fetchable(element):
            name = getattr(element, "op", element).name
            raise InaccessibleTensorError(
                f"Operation '{name}' has been marked as not fetchable. Typically this happens when "
                "it is defined in another function or code block. Use return values,explicit "
                "Python locals or TensorFlow collections to access it."
            )
        index = self._index.get(id(element))
        if index is None:
            index = self._index[id(element)] = len(self.elements)
            self.elements.append(element)
        return index

    def arranged(self, values: dict[int, Any]) -> Any:
        """Return the results in the structure the fetches came in."""
        by_index = [
            None if isinstance(element, Operation) else values[id(element)]
            for element in self.elements
        ]
        return _fill(self.plan, by_index)


class _Leaf:
    """Keeps a walked part out of the structure's own type rules."""

    __slots__ = ("part",)

    def __init__(self, part: Any) -> None:
        self.part = part


class _Mapping:
    """Fetches by key, whatever the keys are; given back in their order."""

    __slots__ = ("like", "parts")

    def __init__(self, like: Any, parts: dict[Any, Any]) -> None:
        self.like, self.parts = like, parts

    def filled(self, values: dict[Any, Any]) -> Any:
        """Return the values in a mapping of the same type."""
        if isinstance(self.like, defaultdict):
            return defaultdict(self.like.default_factory, values)
        return values if type(self.like) is dict else type(self.like)(values)


class _Composite:
    """A sparse or ragged fetch: its parts, to be put together from arrays."""

    __slots__ = ("like", "parts")

    def __init__(self, like: Any, parts: list[Any]) -> None:
        self.like, self.parts = like, parts


def _is_element(fetch: Any) -> bool:
    # Views, ranges and deques have parts elsewhere, but none that a run fetches.
    others = (MappingView, range, deque)
    return isinstance(fetch, (GraphTensor, Operation, str, bytes, *others))


def _fill(part: Any, values: list[Any]) -> Any:
    if isinstance(part, _Leaf):
        return _fill(part.part, values)
    if isinstance(part, int):
        return values[part]
    if isinstance(part, _Mapping):
        return part.filled({key: _fill(inner, values) for key, inner in part.parts.items()})
    if isinstance(part, _Composite):
        return part.like._value_from_arrays([_fill(inner, values) for inner in part.parts])
    parts = nest.children(part)
    return nest.rebuild(part, [_fill(inner, values) for _, inner in parts or ()])
