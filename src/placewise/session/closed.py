"""The error of a session that is used after it was closed."""

from __future__ import annotations

from placewise.core.errors import hint


def closed_session() -> RuntimeError:
    """Return the error to raise."""
    return RuntimeError(
        hint(
            "Attempted to use a closed Session.",
            "close() or the end of a `with` block closed it: make a new tf.Session, and initialize "
            "or restore its variables",
        )
    )
