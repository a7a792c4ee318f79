"""The logger named 'tensorflow': what placewise has to say goes there, and is seen."""

from __future__ import annotations

import logging
import sys
from typing import Any

from placewise.core.runtime import State, runtime


class _Console(logging.StreamHandler[Any]):
    """Writes to the console as TensorFlow does, unless the program has handlers of its own.

    Who called `logging.basicConfig` sees each message once, not twice as with TensorFlow.
    """

    def __init__(self, interactive: bool) -> None:
        super().__init__()
        self.interactive = interactive
        self.setFormatter(logging.Formatter(logging.BASIC_FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message to where the console's stream is now."""
        if logging.getLogger().handlers and logging.getLogger("tensorflow").propagate:
            return
        self.stream = sys.stdout if self.interactive else sys.stderr
        super().emit(record)


class Said(State):
    """What was said, of all that is said only once."""

    keys: set[Any]

    def __init__(self) -> None:
        self.keys = set()


_said = runtime.state(Said)


def is_first(*key: Any) -> bool:
    """Return True if nobody asked for this key before: what is said once is said then."""
    if key in _said.keys:
        return False
    _said.keys.add(key)
    return True


def get_logger() -> logging.Logger:
    """Return the logger named 'tensorflow', which writes to the console by itself."""
    return _logger


def _made() -> logging.Logger:
    logger = logging.getLogger("tensorflow")
    if not logger.handlers:
        interactive = bool(getattr(sys, "ps1", None) or sys.flags.interactive)
        logger.addHandler(_Console(interactive))
        if interactive and logger.level == logging.NOTSET:
            logger.setLevel(logging.INFO)
    return logger


_logger = _made()
