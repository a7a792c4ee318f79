"""What variables hold, known from reading them: read again, they hold it until something changes.

An optimizer reads its rate and its step anew for every variable it updates; taken as one read, all
that is computed from them is computed once.
"""

from __future__ import annotations

from typing import Any

from placewise.core import dtypes
from placewise.ops.values import Handle
from placewise.planning.plan import Ref

_READS = "ReadVariableOp"
_LOOKS = ("VariableShape", "VarIsInitializedOp", "ResourceGather")


class Reads:
    """The values read so far that their variables still hold; only outside of blocks."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, Any], Ref] = {}  # (handle, device) → what was read

    def again(self, builder: Any, op: Any, device: Any) -> Ref | None:
        """Return what a stateful operation reads, if known; what it may change is then not."""
        if op.type != _READS:
            if op.type not in _LOOKS:
                self.changed(builder, op)
            return None
        handle = _variable(builder, op.inputs[0])
        if handle is None or builder.steps is not builder.plan.steps:
            return None
        known = self._known.get((handle, device))
        if known is None:
            self._known[handle, device] = Ref(builder.next_number())
        return known

    def changed(self, builder: Any, op: Any) -> None:
        """Forget the variables that an operation may change: those it is given, or else all."""
        given = [each for each in op.inputs if each.dtype is dtypes.resource]
        handles = [_variable(builder, each) for each in given]
        if not handles or None in handles or op.blocks:
            self._known.clear()
            return
        for key in [key for key in self._known if key[0] in handles]:
            del self._known[key]


def _variable(builder: Any, tensor: Any) -> Handle | None:
    """Return the variable a function has captured; None for one that may be another's."""
    ref = builder.refs[id(tensor)]
    content = builder.plan.constants[ref] if ref in builder.plan.bound else None
    return content if isinstance(content, Handle) and content.kind == "Var" else None
