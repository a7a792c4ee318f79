"""Gradient rules that a program wrote inside a function, used where the function was copied to.

Such a rule holds tensors of the graph it was written in. Whoever copies an operation with a rule of
its own wraps the rule, so that those tensors are found where they are now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placewise.core.scope import current
from placewise.graph.tensor import GraphTensor

if TYPE_CHECKING:
    from placewise.graph.graph import Graph


class Relocated:
    """A gradient rule of an operation that was copied; `tensors` are the copies, by id."""

    takes_none = True

    def __init__(self, rule: Any, tensors: dict[int, Any], source: Any) -> None:
        self._rule, self._tensors = rule, tensors
        self._source = source  # kept, so that the ids stay those of its tensors

    def __call__(self, call: Any, *dys: Any) -> Any:
        before = current.relocations
        current.relocations = (*before, self._tensors)
        try:
            return self._rule(call, *dys)
        finally:
            current.relocations = before


def relocated(tensor: GraphTensor, graph: Graph) -> GraphTensor | None:
    """Return where a tensor of another graph is now in `graph`; None if it is not there."""
    for tensors in reversed(current.relocations):
        moved = tensors.get(id(tensor))
        if moved is not None:
            tensor = moved
            if tensor.op.graph is graph:
                return tensor
    return None
