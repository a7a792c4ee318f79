"""What variables are known to hold: a second read is the first one until something may change them.

An optimizer reads its rate and its step anew for every variable it updates; taken as one read, all
that is computed from them is computed once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from placewise.core import dtypes
from placewise.core.tensor import Tensor
from placewise.ops.values import Handle
from placewise.planning.plan import Ref

_READ, _MAKER = "ReadVariableOp", "VarHandleOp"


class _Name(NamedTuple):
    """What distinguishes the variables of a session."""

    container: str
    name: str


class VariableReads:
    """The values read so far that their variables still hold; only outside of blocks.

    A read inside a branch may not have run, and a loop may assign between two reads.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Any, Any], Ref] = {}  # (handle, device) → what was read

    def again(self, draft: Any, op: Any, device: Any) -> Ref | None:
        """Return what a read would return, if known; None for it to become a step.

        Called for each stateful operation: one that is no read makes what it may change unknown.
        """
        if op.type != _READ:
            if op.declaration.effects != "reads":
                self.forget_changed(draft, op)
            return None
        handle = _variable(draft, op.inputs[0])
        if handle is None or draft.steps is not draft.plan.steps:
            return None
        known = self._known.get((handle, device))
        if known is None:
            # The caller makes the step of this read next, with this number.
            self._known[handle, device] = Ref(draft.next_number())
        return known

    def forget_changed(self, draft: Any, op: Any) -> None:
        """Forget the variables that an operation may change: those it is given, or else all."""
        resources = [tensor for tensor in op.inputs if tensor.dtype is dtypes.resource]
        handles = [_variable(draft, tensor) for tensor in resources]
        # A py_function or a call has no resource among its inputs and may assign anything.
        if not handles or None in handles or op.blocks:
            self._known.clear()
            return
        kinds = set(map(type, handles))
        for key in [key for key in self._known if key[0] in handles or type(key[0]) not in kinds]:
            del self._known[key]


def _variable(draft: Any, tensor: Tensor) -> Handle | _Name | None:
    """Return what distinguishes a variable; None for one that may be the same as another.

    Captured variables are distinguished by their handles, and those that a session fills in by
    their names, as sessions do. One of a kind may be one of the other. Handles of arguments are not
    known yet: two of them may be one variable.
    """
    ref = draft.refs[id(tensor)]
    maker = draft.plan.handles.get(ref)
    if maker is not None:
        name = maker.attrs.get("shared_name") or maker.name
        return _Name(maker.attrs["container"], name) if maker.type == _MAKER else None
    content = draft.plan.constants[ref] if ref in draft.plan.bound else None
    return content if isinstance(content, Handle) and content.kind == "Var" else None
