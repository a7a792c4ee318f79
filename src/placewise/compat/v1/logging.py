"""tf.logging of TensorFlow 1: messages on Python's logger 'tensorflow'."""

from __future__ import annotations

from logging import DEBUG as DEBUG
from logging import ERROR as ERROR
from logging import FATAL as FATAL
from logging import INFO as INFO
from logging import WARN as WARN
from typing import Any

from placewise.ops.flow.surroundings import get_logger

_counts: dict[Any, int] = {}


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level."""
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message for who looks for a fault."""
    get_logger().debug(msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log what happens."""
    get_logger().info(msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log what may be wrong."""
    get_logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log what went wrong."""
    get_logger().error(msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log what cannot be gone on from."""
    get_logger().fatal(msg, *args, **kwargs)


def vlog(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Log a message at a level."""
    get_logger().log(level, msg, *args, **kwargs)


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Log a message if a condition holds."""
    if condition:
        vlog(level, msg, *args)


def _count(level: int, msg: Any) -> int:
    """Return how often this message came before."""
    key = (level, msg)
    count = _counts.get(key, 0)
    _counts[key] = count + 1
    return count


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a message the first time and every `n` times after."""
    log_if(level, msg, not _count(level, msg) % n, *args)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Log a message the first `n` times."""
    log_if(level, msg, _count(level, msg) < n, *args)


def get_verbosity() -> int:
    """Return the level from which on messages are logged."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Set the level from which on messages are logged."""
    get_logger().setLevel(v)


def flush() -> None:
    """Write what is still held back."""
    for handler in get_logger().handlers:
        handler.flush()


def TaskLevelStatusMessage(msg: Any) -> None:  # noqa: N802 - TensorFlow's own name
    """Log a message about the task."""
    error(msg)
