"""What the conversion of functions says: `tf.autograph.set_verbosity`, `tf.autograph.trace`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from placewise.core import environment
from placewise.core.runtime import State, runtime


@dataclass(slots=True)
class Verbosity(State):
    """How much is said, where, and the code that was warned of."""

    level: int | None = None  # None: the environment says
    also_stdout: bool = False
    warned: dict[int, Any] = field(default_factory=dict)  # by id; the code is kept


_verbosity = runtime.state(Verbosity)


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Set how much is said about conversions: 0 is nothing but warnings, 10 is everything.

    The environment variable AUTOGRAPH_VERBOSITY has the same meaning. With `alsologtostdout`
    everything is written to standard output as well.
    """
    _verbosity.level = level
    _verbosity.also_stdout = alsologtostdout


def level() -> int:
    """Return how much is to be said."""
    chosen = _verbosity.level
    return int(environment.read("AUTOGRAPH_VERBOSITY") or "0") if chosen is None else chosen


def is_strict() -> bool:
    """Return True if a failed conversion is an error."""
    return environment.read("AUTOGRAPH_STRICT_CONVERSION") == "1"


def trace(*args: Any) -> None:
    """Print the arguments while a function is being traced; when it runs, nothing is printed."""
    sys.stdout.write(" ".join(map(str, args)) + "\n")


def log(wanted: int, message: str) -> None:
    """Say something if the level asks for it."""
    if level() >= wanted:
        logging.getLogger("tensorflow").info(message)
        if _verbosity.also_stdout:
            sys.stdout.write(message + "\n")


def warn(function: Callable[..., Any], problem: Exception) -> None:
    """Say once that a function runs unconverted, and why."""
    code = getattr(function, "__code__", function)
    if id(code) in _verbosity.warned:
        return
    _verbosity.warned[id(code)] = code
    message = (
        f"AutoGraph could not transform {function!r} and will run it as-is.\n"
        f"Cause: {problem}\n"
        "To silence this warning, decorate the function with "
        "@tf.autograph.experimental.do_not_convert"
    )
    logging.getLogger("tensorflow").warning(message)
    if _verbosity.also_stdout:
        sys.stdout.write(message + "\n")
