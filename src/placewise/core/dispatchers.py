"""Handlers that libraries register for arguments that ops do not know: stand-ins for tensors.

A handler is asked after an op or a decorated function refused its arguments. Keras 2 builds
functional models this way: `tf.nn.relu(keras_input)` becomes a layer. Ops ask in their general way
(`eager/dispatch.py`, `graph/recorder.py`), with the raw op as the function and its inputs by name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_GLOBAL: list[GlobalOpDispatcher] = []
_LISTED = "_tf_fallback_dispatchers"


class OpDispatcher:
    """Handles calls of one function; a subclass gives `handle(args, kwargs)`."""

    NOT_SUPPORTED = object()

    def handle(self, args: Any, kwargs: Any) -> Any:
        """Return the result of a call, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Ask this handler when `op` refuses its arguments."""
        handlers = getattr(op, _LISTED, None)
        if handlers is None:
            # A bound class method keeps nothing itself: its function does.
            handlers = []
            setattr(getattr(op, "__func__", op), _LISTED, handlers)
        handlers.append(self)


class GlobalOpDispatcher:
    """Handles calls of all functions and ops; a subclass gives `handle(op, args, kwargs)`."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        """Return the result of a call, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Ask this handler from now on."""
        _GLOBAL.append(self)


class _TypeHandler(OpDispatcher):
    def __init__(self, function: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function, self._types = function, types

    def handle(self, args: Any, kwargs: Any) -> Any:
        if any(isinstance(value, self._types) for value in (*args, *kwargs.values())):
            return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch_for_types(op: Any, *types: type) -> Callable[[Any], Any]:
    """Return a decorator: its function is called instead of `op` for arguments of these types."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _TypeHandler(function, types).register(op)
        return function

    return register


def is_stand_in(value: Any) -> bool:
    """Return whether a value may stand for a tensor that a registered handler knows."""
    return bool(_GLOBAL) and hasattr(type(value), "type_spec")


def dispatch(op: Any, args: Any, kwargs: Any) -> Any:
    """Return what the first handler that knows these arguments returns, or NOT_SUPPORTED."""
    for handler in getattr(op, _LISTED, ()):
        result = handler.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    for general in _GLOBAL:
        result = general.handle(op, args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """Decorate a function: handlers are asked when it raises TypeError or ValueError."""
    if target is None:
        return functools.partial(add_dispatch_support, iterable_parameters=iterable_parameters)

    @functools.wraps(target)
    def dispatched(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            result = dispatch(dispatched, args, kwargs)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    setattr(dispatched, _LISTED, [])
    return dispatched
