"""The search for garbage while many objects are made that stay.

A graph is large and all of it lives: looking through it again and again, as Python does after every
700 new objects, takes a quarter of the time of building it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 20_000
_SEARCHES = 50  # among new objects, before one among those that outlived a search
_lock = threading.Lock()
_entered = 0
_before: tuple[int, int, int] | None = None


@contextmanager
def seldom_searched() -> Iterator[None]:
    """Let Python look for garbage only after many new objects, in the block.

    Not if the program set something else that is as rare, or set it inside of the block.
    """
    global _entered, _before
    with _lock:
        _entered += 1
        if _entered == 1:
            found = gc.get_threshold()
            _before = found if 0 < found[0] < _OBJECTS else None
            if _before is not None:
                gc.set_threshold(_OBJECTS, max(_SEARCHES, _before[1]), _before[2])
    try:
        yield
    finally:
        with _lock:
            _entered -= 1
            if not _entered and _before is not None and gc.get_threshold()[0] == _OBJECTS:
                gc.set_threshold(*_before)


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
