"""How long a program may stand still before somebody says so."""

from __future__ import annotations

from placewise.core import environment

STRATEGY_SECONDS = 120.0  # in runs of several replicas or workers, unless it is set
ASKED_SECONDS = 30.0  # with `placewise run --watch`


def watch_seconds() -> float:
    """Return the time of PLACEWISE_WATCH_SECONDS, 0 for never; raise ValueError if it is none."""
    text = environment.read("PLACEWISE_WATCH_SECONDS")
    if text is None or not text.strip():
        return STRATEGY_SECONDS
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(
            f"PLACEWISE_WATCH_SECONDS is {text!r}: write a number of seconds, or 0 to turn it off"
        )
    return seconds
