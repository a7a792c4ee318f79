"""Datasets that sort elements by a key: windows of one key, and reductions per key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from placewise.core.errors import OpError, invalid
from placewise.data.engine.batches import Window
from placewise.data.engine.source import (
    INFINITE,
    UNKNOWN,
    Element,
    Failure,
    Source,
    Unary,
    dataset_op,
)
from placewise.ops.values import Variant


@dataset_op(
    "GroupByWindowDataset(input_dataset: variant, key_func_other_arguments: [Tkey_arguments],"
    " reduce_func_other_arguments: [Treduce_arguments],"
    " window_size_func_other_arguments: [Twindow_arguments];"
    " key_func: func, reduce_func: func, window_size_func: func"
)
class GroupByWindow(Unary):
    """What a function makes of windows of elements that have the same key."""

    def __init__(
        self,
        structure: Any,
        source: Source,
        for_key: list[Any],
        for_reduce: list[Any],
        for_size: list[Any],
        *,
        key_func: Any,
        reduce_func: Any,
        window_size_func: Any,
    ) -> None:
        super().__init__(structure, source)
        self._key, self._for_key = key_func.run, for_key
        self._reduce, self._for_reduce = reduce_func.run, for_reduce
        self._size, self._for_size = window_size_func.run, for_size

    def iterate(self) -> Iterator[Element]:
        """Return the elements of what each full window becomes; at the end, of the others."""
        groups: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        inner = self.source.structure
        for element in self.source.iterate():
            if element.__class__ is Failure:
                yield element
                continue
            try:
                key = int(self._key(inner.contents(element), self._for_key)[0])
            except OpError as error:
                yield Failure.of(error)
                continue
            if key not in groups:
                size = int(self._size([torch.tensor(key, dtype=torch.int64)], self._for_size)[0])
                if size <= 0:
                    raise invalid(
                        "Window size must be greater than zero, but got " + str(size) + "."
                    )
                groups[key], sizes[key] = [], size
            group = groups[key]
            group.append(element)
            if len(group) == sizes[key]:
                del groups[key]
                yield from self._made(key, group)
        for key in sorted(groups):
            yield from self._made(key, groups[key])

    def _made(self, key: int, elements: list[Element]) -> Iterator[Element]:
        window = Variant(Window(self.source.structure, elements))
        given = [torch.tensor(key, dtype=torch.int64), window]
        made: Source = self._reduce(given, self._for_reduce)[0].value
        return made.iterate()

    def count(self) -> int:
        """Return -1 for an input without end, else -2: unknown."""
        return INFINITE if self.source.count() == INFINITE else UNKNOWN


@dataset_op(
    "GroupByReducerDataset(input_dataset: variant, captured: [Targuments];"
    " functions: func, counts: list(int)"
)
class GroupByReducer(Unary):
    """One element for each key: a state begun, reduced over its elements, and finalized."""

    def __init__(
        self, structure: Any, source: Source, captured: list[Any], *, functions: Any, counts: Any
    ) -> None:
        super().__init__(structure, source)
        self._calls = []
        position = 0
        for function, count in zip(functions, counts, strict=True):
            self._calls.append((function.run, captured[position : position + count]))
            position += count

    def iterate(self) -> Iterator[Element]:
        """Return the finalized states, by key."""
        key_of, init, reduce, finalize = [_caller(*each) for each in self._calls]
        states: dict[int, list[Any]] = {}
        for element in self.source.read():
            contents = self.source.structure.contents(element)
            key = int(key_of(contents)[0])
            if key not in states:
                states[key] = init([torch.tensor(key, dtype=torch.int64)])
            states[key] = reduce([*states[key], *contents])
        for key in sorted(states):
            yield self.structure.element(finalize(states[key]))

    def count(self) -> int:
        """Return -2: unknown."""
        return UNKNOWN


def _caller(run: Callable[..., Any], captured: list[Any]) -> Callable[[list[Any]], list[Any]]:
    return lambda contents: list(run(contents, captured))
