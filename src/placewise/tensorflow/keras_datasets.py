"""Datasets of graphs that `fit` and its like read, element by element in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from placewise.core.errors import OutOfRangeError
from placewise.data.dataset import DatasetV2
from placewise.data.iterators_v1 import make_initializable_iterator
from placewise.data.transformations import assert_cardinality
from placewise.graph.tensor import GraphTensor
from placewise.ops.flow.context import eager_scope
from placewise.session.session import Session


def readable(value: Any, session: Callable[[], Session]) -> Any:
    """Return a dataset that can be read eagerly for one of a graph; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(readable(each, session) for each in value)
    variant = getattr(value, "_variant_tensor", None)
    if not isinstance(value, DatasetV2) or not isinstance(variant, GraphTensor):
        return value
    known = getattr(value, "_read_eagerly", None)
    if known is None:
        known = value._read_eagerly = _made_readable(value, session)  # type: ignore[attr-defined]
    return known


def _made_readable(dataset: Any, session: Callable[[], Session]) -> Any:
    graph = dataset._variant_tensor.graph
    free: list[Any] = []  # who reads has an iterator alone: training and validation take turns

    def begun() -> Any:
        if free:
            return free.pop()
        with graph.as_default():
            iterator = make_initializable_iterator(dataset)
            return iterator.initializer, iterator.get_next()

    with graph.as_default():
        size = int(session().run(dataset.cardinality()))
    free.append(begun())

    def elements() -> Iterator[Any]:
        running, (initializer, element) = session(), begun()
        running.run(initializer)
        try:
            while True:
                try:
                    value = running.run(element)
                except OutOfRangeError:
                    return
                yield value
        finally:
            free.append((initializer, element))

    with eager_scope():
        made = DatasetV2.from_generator(elements, output_signature=dataset.element_spec)
        # -1: for ever, -2: unknown
        return made.apply(assert_cardinality(size)) if size >= -1 else made
