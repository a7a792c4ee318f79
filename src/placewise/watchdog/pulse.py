"""Whether a program moves: steps it counts, and a probe that the next op or run sets off.

Counting every op would slow down small ones. The probe uses the switch that all fast paths look at
anyway (`watch.on`): it is turned on for one op, or one run of a session or function, at a time.
"""

from __future__ import annotations

from typing import Any

from placewise.core.activity import activity
from placewise.core.scope import Unit, watch


class Pulse:
    """Says whether anything ran since it was asked last."""

    def __init__(self) -> None:
        self._steps = activity.steps
        self._fired = True

    def has_moved(self) -> bool:
        """Return whether a step was counted, or an op ran, since the last call."""
        moved = self._fired or activity.steps != self._steps
        self._steps = activity.steps
        if self._fired or self._op not in watch.after_op:
            self._arm()
        return moved

    def _arm(self) -> None:
        self._fired = False
        if self._op not in watch.after_op:
            watch.after_op.append(self._op)
        if watch.unit is None:
            watch.unit = self._unit
        # Set and not worked out: turning it off is left to the program's own threads, so that
        # nothing they turn on at this moment is lost.
        watch.on = True

    def _op(self, op: Any, inputs: Any, outputs: Any) -> None:
        self.stop()

    def _unit(self, unit: Unit) -> None:
        self.stop()

    def stop(self) -> None:
        """Note that something ran, and let the fast paths be taken again."""
        self._fired = True
        if watch.unit == self._unit:
            watch.unit = None
        # Another observer after this one would be skipped if it were removed while the list is
        # gone through; then the general path is taken anyhow.
        if watch.after_op and watch.after_op[-1] == self._op:
            watch.after_op.pop()
        watch.refresh()
