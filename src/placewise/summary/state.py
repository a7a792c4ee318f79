"""Which writer summaries of this thread go to, for which step, and whether they are written."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from placewise.core.runtime import State, runtime


class SummaryState(State, threading.local):
    """One thread's writer, step and condition; None where nothing was set."""

    writer: Any = None
    step: Any = None
    condition: Any = None


state = runtime.state(SummaryState)


@contextmanager
def during(**values: Any) -> Iterator[None]:
    """Set parts of the state for the time of a block."""
    before = {name: getattr(state, name) for name in values}
    for name, value in values.items():
        setattr(state, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(state, name, value)
