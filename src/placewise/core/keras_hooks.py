"""Functions that Keras 2 leaves for others to call: the call context, the session, loading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_registered: dict[str, Callable[..., Any]] = {}


def register_call_context_function(func: Callable[..., Any]) -> None:
    """Keep the function that returns which layer is being called."""
    _registered["call_context"] = func


def register_clear_session_function(func: Callable[..., Any]) -> None:
    """Keep the function that forgets all models."""
    _registered["clear_session"] = func


def register_get_session_function(func: Callable[..., Any]) -> None:
    """Keep the function that returns Keras's session."""
    _registered["get_session"] = func


def register_load_model_function(func: Callable[..., Any]) -> None:
    """Keep the function that loads a model."""
    _registered["load_model"] = func


def registered(name: str) -> Callable[..., Any] | None:
    """Return what was registered as `call_context`, `clear_session`, `get_session`, `load_model`.

    None if nothing was.
    """
    return _registered.get(name)
