"""How often a function was traced, and a warning when that is too often."""

from __future__ import annotations

import logging
from typing import Any

_RECENT = 5  # of the calls that are looked at, this many traces are too many


class Retracing:
    """Counts the traces of one function; says what changed when they do not end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self._last: Any = None
        self._reasons: list[str] = []
        self._warned = False

    def begins(self, arguments: Any, shapes: Any) -> None:
        """Note that a trace begins for arguments of these shapes."""
        self.count += 1
        now = (arguments.form, shapes, [leaf.name for leaf in arguments.leaves])
        if self._last is not None:
            self._reasons.append(_difference(self._last, now))
        self._last = now
        if self.count >= _RECENT and not self._warned:
            self._warned = True
            logging.getLogger("tensorflow").warning(
                "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is "
                "expensive and the excessive number of tracings could be due to (1) creating "
                "@tf.function repeatedly in a loop, (2) passing tensors with different shapes, "
                "(3) passing Python objects instead of tensors. For (1), please define your "
                "@tf.function outside of the loop. For (2), @tf.function has "
                "reduce_retracing=True option that can avoid unnecessary retracing. For (3), "
                "please refer to https://www.tensorflow.org/guide/function#controlling_retracing "
                "and https://www.tensorflow.org/api_docs/python/tf/function for  more details. "
                "The last trace was made because %s.",
                self.count, self.count, self.name, self._reasons[-1],
            )  # fmt: skip


def _difference(before: Any, now: Any) -> str:
    """Return in words why a trace for `now` differs from the one before it."""
    old_form, old_shapes, _ = before
    form, shapes, names = now
    if old_form != form:
        for (name, mine), (_, theirs) in zip(form, old_form, strict=False):
            if mine != theirs:
                return f"the argument '{name}' changed from {_told(theirs)} to {_told(mine)}"
        return "the arguments changed"
    for name, mine, theirs in zip(names, shapes, old_shapes, strict=False):
        if mine[0] is not theirs[0]:
            return f"the dtype of '{name}' changed from {theirs[0].name} to {mine[0].name}"
        if mine[1] != theirs[1]:
            return f"the shape of '{name}' changed from {theirs[1]} to {mine[1]}"
    return "it is called from another place"


def _told(form: Any) -> str:
    text = "a tensor" if isinstance(form, type) else repr(form)
    return text if len(text) < 60 else text[:57] + "..."
