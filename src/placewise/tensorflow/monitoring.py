"""`tensorflow.python.eager.monitoring`: counters and gauges that libraries keep of their use.

A metric has a cell for each combination of label values. The numbers stay in the process; nothing
is sent anywhere.
"""

from __future__ import annotations

import threading
from typing import Any


class _Cell:
    """One number or text of a metric."""

    def __init__(self, value: Any) -> None:
        self._value = value
        self._lock = threading.Lock()

    def value(self) -> Any:
        """Return what the cell holds now."""
        return self._value

    def set(self, value: Any) -> None:
        """Hold another value."""
        self._value = value

    def increase_by(self, value: int) -> None:
        """Add to the value."""
        with self._lock:
            self._value += value


class Metric:
    """Cells by the values of labels; a label is named when the metric is made."""

    _initial: Any = 0

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self.name, self.description, self._labels = name, description, labels
        self._cells: dict[tuple[str, ...], _Cell] = {}

    def get_cell(self, *labels: str) -> _Cell:
        """Return the cell of some values of the labels, one value for each."""
        if len(labels) != len(self._labels):
            raise ValueError(
                f"The {type(self).__name__} {self.name!r} has {len(self._labels)} label(s) "
                f"{self._labels}, but got {len(labels)}: {labels}"
            )
        return self._cells.setdefault(labels, _Cell(self._initial))


class Counter(Metric):
    """A number that only grows."""


class IntGauge(Metric):
    """A whole number."""


class StringGauge(Metric):
    """A text."""

    _initial = ""


class BoolGauge(Metric):
    """True or False."""

    _initial = False
