"""`tf.logging` of TensorFlow 1: messages on Python's logger 'tensorflow'."""

from __future__ import annotations

from dataclasses import dataclass, field
from logging import DEBUG, ERROR, FATAL, INFO, WARN
from typing import Any

from placewise.core.log import get_logger
from placewise.core.runtime import State, runtime


@dataclass(slots=True)
class _MessageCounts(State):
    """How often `log_every_n` and `log_first_n` got each message, by level and text."""

    counts: dict[Any, int] = field(default_factory=dict)


_messages = runtime.state(_MessageCounts)


def _logs(level: int, doc: str) -> Any:
    """Return a function that logs messages at a level, as from where it is called."""

    def message(msg: str, *args: Any, **kwargs: Any) -> None:
        get_logger().log(level, msg, *args, **{"stacklevel": 2, **kwargs})

    message.__doc__ = doc
    return message


debug = _logs(DEBUG, "Log a message for who looks for a fault.")
info = _logs(
    INFO,
    """Log what happens, at level INFO on the logger 'tensorflow'.

    `msg`: the text, with `%s` and its kin for `args`.
    `args`: what to fill in.
    `kwargs`: as Python's loggers take them.

    >>> tf.compat.v1.logging.info("step %d of %d", 1, 10)
    """,
)
warning = warn = _logs(WARN, "Log what may be wrong.")
error = _logs(ERROR, "Log what went wrong.")
fatal = _logs(FATAL, "Log what cannot be gone on from.")
TaskLevelStatusMessage = _logs(ERROR, "Log a message about the task.")


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level."""
    get_logger().log(level, msg, *args, **{"stacklevel": 2, **kwargs})


vlog = log


def log_if(level: int, msg: str, condition: bool, *args: Any) -> None:
    """Log a message if a condition holds."""
    if condition:
        log(level, msg, *args, stacklevel=3)


def _count(level: int, msg: Any) -> int:
    """Return how often this message came before."""
    key = (level, msg)
    count = _messages.counts.get(key, 0)
    _messages.counts[key] = count + 1
    return count


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message the first time and every `n` times after."""
    if not _count(level, msg) % n:
        log(level, msg, *args, stacklevel=3)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message the first `n` times."""
    if _count(level, msg) < n:
        log(level, msg, *args, stacklevel=3)


def get_verbosity() -> int:
    """Return the level from which on messages are logged."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Set the level from which on messages are logged.

    `v`: a level of `tf.compat.v1.logging`, such as `INFO` or `ERROR`.

    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.ERROR
    True
    >>> tf.compat.v1.logging.set_verbosity(0)  # as before: what Python's root logger says
    """
    get_logger().setLevel(v)


def flush() -> None:
    """Write what is still held back."""
    for handler in get_logger().handlers:
        handler.flush()
