"""How often a function was traced, and a warning when that is too often."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from placewise.core.runtime import State, runtime

_MANY = 5  # traces among the last calls are too many
_RECENT = 10  # calls after a trace, beyond which it is forgotten
_WARNINGS = 2  # are enough for one function


class Retracing:
    """Counts calls and traces of one Python function; says what changed when traces do not end.

    Functions made of the same Python function share one, so that a loop which makes them is
    warned of too. Calls in graphs do not count: each is written once.
    """

    def __init__(self) -> None:
        self.found = 0  # calls since the last trace that needed none
        self._calls = 0
        self._per_trace: list[int] = []
        self._warned = 0

    def traced(
        self, function: Callable[..., Any], before: tuple[Any, ...] | None, now: tuple[Any, ...]
    ) -> None:
        """Note a call that made a trace for the arguments `now`, others than `before`."""
        if self._per_trace:
            self._per_trace[-1] += self.found
            self._calls += self.found
        self._calls += 1
        self.found = 0
        self._per_trace.append(1)
        while self._calls - self._per_trace[0] > _RECENT:
            self._calls -= self._per_trace.pop(0)
        if len(self._per_trace) < _MANY or self._warned >= _WARNINGS:
            return
        self._warned += 1
        reason = "the function was made anew" if before is None else _difference(before, now)
        logging.getLogger("tensorflow").warning(
            "%d out of the last %d calls to %s triggered tf.function retracing. Tracing is "
            "expensive: every trace takes as long as running the Python function and planning its "
            "graph. The last of them was made because %s. What helps: make the function once, "
            "outside of the loop that calls it; pass numbers that change as tensors; and for "
            "shapes that change give reduce_retracing=True or an input_signature with None where "
            "they differ.",
            len(self._per_trace),
            self._calls,
            function,
            reason,
        )


@dataclass(slots=True)
class TraceCounts(State):
    """How often each living Python function was traced."""

    by_function: weakref.WeakKeyDictionary[Any, Retracing] = field(
        default_factory=weakref.WeakKeyDictionary
    )


_counts = runtime.state(TraceCounts)


def retracing_of(function: Any) -> Retracing:
    """Return the counts of a Python function; of a method, those of all its objects."""
    while hasattr(function, "__wrapped__"):  # all functions of one decorator share its code
        function = function.__wrapped__
    function = getattr(function, "__func__", function)
    # The code of a function that is defined anew in a loop stays the same object.
    function = getattr(function, "__code__", function)
    try:
        return _counts.by_function.setdefault(function, Retracing())
    except TypeError:  # neither hashable nor to be referred to weakly
        return Retracing()


def _difference(before: tuple[Any, ...], now: tuple[Any, ...]) -> str:
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
