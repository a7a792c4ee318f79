"""The search for garbage while many objects are made that stay.

A graph is large and all of it lives: looking through it again and again, as Python does after every
700 new objects, takes a quarter of the time of building it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from placewise.core.runtime import State, runtime

_OBJECTS = 20_000
_SEARCHES = 50  # among new objects, before one among those that outlived a search
_lock = threading.Lock()


@dataclass(slots=True)
class SeldomSearched(State):
    """How many blocks let Python search seldom, and the thresholds that held before them."""

    blocks: int = 0
    before: tuple[int, int, int] | None = None


# What it counts is open blocks of all threads: a test that begins anew leaves them open.
_state = runtime.state(SeldomSearched, lasting=True)


@contextmanager
def seldom_searched() -> Iterator[None]:
    """Let Python look for garbage only after many new objects, in the block.

    Not if the program set something else that is as rare, or set it inside of the block.
    """
    with _lock:
        _state.blocks += 1
        if _state.blocks == 1:
            threshold = gc.get_threshold()
            _state.before = threshold if 0 < threshold[0] < _OBJECTS else None
            if _state.before is not None:
                gc.set_threshold(_OBJECTS, max(_SEARCHES, _state.before[1]), _state.before[2])
    try:
        yield
    finally:
        with _lock:
            _state.blocks -= 1
            before = None if _state.blocks else _state.before
            if before is not None and gc.get_threshold()[0] == _OBJECTS:
                gc.set_threshold(*before)


@contextmanager
def gc_paused() -> Iterator[None]:
    """Let Python not look for garbage in the block, which makes many objects and no garbage."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
