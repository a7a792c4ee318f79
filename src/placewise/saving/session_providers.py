"""Who is asked for a session where a checkpoint of a graph has none: Keras 2 registers itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_providers: list[Callable[[], Any]] = []


def register_session_provider(session_provider: Callable[[], Any]) -> None:
    """Ask `session_provider` from now on; the first that registers is kept, as in TensorFlow."""
    if not _providers:
        _providers.append(session_provider)


def provided_session() -> Any:
    """Return the session of the provider, or None."""
    return _providers[0]() if _providers else None
