"""What each thread of this process is doing now."""

from __future__ import annotations

import sys
from types import FrameType

from placewise.core.gc_pause import gc_paused


def current_frames() -> dict[int, FrameType]:
    """Return the innermost frame of each thread, by the thread's identifier.

    Python before 3.11.9 holds its list of threads locked while it makes the frames. A garbage
    collection at that moment may wait for a thread that waits for the list: all threads stop for
    ever (python/cpython#106883). Without collections there is no such moment.
    """
    with gc_paused():
        return sys._current_frames()
