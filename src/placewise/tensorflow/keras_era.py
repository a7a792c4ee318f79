"""Whether the program is one of TensorFlow 1, for what Keras does differently there.

What is replaced in Keras stays for the process, and one process may run tests of both kinds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from placewise.core.runtime import State, runtime
from placewise.core.scope import era
from placewise.ops.flow.context import eager_scope


@dataclass(slots=True)
class EagerWorlds(State):
    """How many blocks of a program of TensorFlow 1 run as TensorFlow 2 now."""

    of_tensorflow_1: int = 0


_worlds = runtime.state(EagerWorlds)


def is_tensorflow_1() -> bool:
    """Return True if the program is one of TensorFlow 1, also where its models run eagerly."""
    return era.base is not None or _worlds.of_tensorflow_1 > 0


@contextmanager
def eager_world() -> Iterator[None]:
    """Run a block as a program of TensorFlow 2."""
    before = era.base, era.dimensions_are_objects
    counted = int(is_tensorflow_1())
    era.base, era.dimensions_are_objects = None, False
    _worlds.of_tensorflow_1 += counted
    try:
        with eager_scope():
            yield
    finally:
        _worlds.of_tensorflow_1 -= counted
        era.base, era.dimensions_are_objects = before


def in_tensorflow_1(plain: Callable[..., Any], changed: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is `changed` in programs of TensorFlow 1, else `plain`."""

    @functools.wraps(plain)
    def call(*args: Any, **kwargs: Any) -> Any:
        return (changed if is_tensorflow_1() else plain)(*args, **kwargs)

    return call
