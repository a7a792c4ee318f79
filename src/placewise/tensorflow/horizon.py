"""The date until which producers must stay readable, as `tf.compat` asks it.

Nothing in placewise depends on it; programs written for nightly builds ask it to choose between
two ways of doing the same thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, timedelta

from placewise.core import environment

# The horizon of the TensorFlow release whose namespace placewise offers.
_RELEASE = date(2026, 1, 16)
_chosen: ContextVar[int | None] = ContextVar("forward_compatibility_horizon", default=None)


def _number(year: int, month: int, day: int) -> int:
    # A date as TensorFlow compares it: no calendar check, so month 13 is later than month 12.
    return (year << 9) | (month << 5) | day


def _horizon() -> int:
    if (chosen := _chosen.get()) is not None:
        return chosen
    days = environment.read("TF_FORWARD_COMPATIBILITY_DELTA_DAYS")
    last = _RELEASE + timedelta(days=0 if days is None else int(days))
    return _number(last.year, last.month, last.day)


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Return whether the forward compatibility window of that date has passed.

    >>> forward_compatible(2020, 1, 1), forward_compatible(2099, 1, 1)
    (True, False)
    """
    return _horizon() > _number(year, month, day)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Act inside the block as if the horizon were that date."""
    token = _chosen.set(_number(year, month, day))
    try:
        yield
    finally:
        _chosen.reset(token)
