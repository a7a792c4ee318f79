"""The errors of a session that is used after it was closed, by its user or by a reset."""

from __future__ import annotations

from placewise.core.errors import AbortedError, CancelledError, hint


def closed_session() -> RuntimeError:
    """Return the error to raise."""
    return RuntimeError(
        hint(
            "Attempted to use a closed Session.",
            "close() or the end of a `with` block closed it: make a new tf.Session, and initialize "
            "or restore its variables",
        )
    )


def reset_session() -> CancelledError:
    """Return the error of a session of this process that `Session.reset` ended."""
    return CancelledError(None, None, hint("Session has been closed.", _AFTER_RESET))


def reset_session_of_a_server() -> AbortedError:
    """Return the error of a session on a server; monitored sessions recover from this class."""
    return AbortedError(None, None, hint("Session is not found.", _AFTER_RESET))


_AFTER_RESET = "tf.Session.reset ended it: make a new tf.Session"
