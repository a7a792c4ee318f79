"""Names: unique numbers for variables, and the prefix that `tf.name_scope` gives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from placewise.core.runtime import State, runtime
from placewise.core.scope import current


@dataclass(slots=True)
class Numbers(State):
    """Counters, by what they count: no two objects of a process get the same number."""

    counters: dict[str, Iterator[int]] = field(default_factory=dict)


_numbers = runtime.state(Numbers, lasting=True)


def uid() -> int:
    """Return a number no one else got."""
    return next_number("uid") + 1


def next_number(what: str) -> int:
    """Return how many objects of a kind asked for a number before."""
    # One call, so that two threads never make two counters.
    return next(_numbers.counters.setdefault(what, itertools.count()))


class name_scope:  # noqa: N801 - TensorFlow's own name
    """Prefix the names of what is made in a `with` block.

    `name`: the prefix; a scope of the same name inside the same one gets a number in graphs. A name
        that ends in '/' is taken as it is.

    The value of `as` is the whole prefix. Raises ValueError for a name with characters that node
    names cannot have, or that is no string.

    >>> with tf.name_scope("layer") as scope:
    ...     v = tf.Variable(1.0, name="w")
    >>> scope, v.name
    ('layer/', 'layer/w:0')
    """

    __slots__ = ("_before", "_graphs", "_name")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")
        self._name = name
        self._before: list[str] = []
        self._graphs: list[Any] = []

    @property
    def name(self) -> str:
        """The name as given."""
        return self._name

    def __enter__(self) -> str:
        graph = current.interpreter.graph
        if graph is not None:
            scope: Any = graph.name_scope(self._name)
            self._graphs.append(scope)
            inside: str = scope.__enter__()
            return inside
        outer = current.name_scope
        self._before.append(outer)
        if not self._name:
            prefix = ""
        elif self._name.endswith("/"):
            prefix = self._name
        else:
            prefix = f"{outer}{self._name}/"
        current.name_scope = prefix
        return prefix

    def __exit__(self, *exception: Any) -> None:
        if self._graphs:
            self._graphs.pop().__exit__(*exception)
            return
        current.name_scope = self._before.pop()
