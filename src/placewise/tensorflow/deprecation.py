"""Decorators that warn of old functions and arguments: `tensorflow.python.util.deprecation`.

Each says so once per place in the program, through TensorFlow's logger, as there.
"""

from __future__ import annotations

import functools
import inspect
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from placewise.core.log import is_first

Function = TypeVar("Function", bound=Callable[..., Any])

_logger = logging.getLogger("tensorflow")


def _warn_once(function: Any, said: str) -> None:
    frame = sys._getframe(2)
    place = (frame.f_code.co_filename, frame.f_lineno, said)
    if is_first("deprecated", place):
        name = getattr(function, "__qualname__", repr(function))
        _logger.warning("From %s:%d: %s (from %s) %s", *place[:2], name, function.__module__, said)


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def deprecated(
    date: str | None, instructions: str, warn_once: bool = True
) -> Callable[[Function], Function]:
    """Return a decorator for a function that goes away after `date`."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def warned(*args: Any, **kwargs: Any) -> Any:
            _warn_once(
                function,
                f"is deprecated and will be removed {_when(date)}.\n"
                f"Instructions for updating:\n{instructions}",
            )
            return function(*args, **kwargs)

        return function if isinstance(function, type) else warned

    return decorate


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names: Any, **options: Any
) -> Callable[[Function], Function]:
    """Return a decorator for a function of which some arguments go away.

    A name stands for the argument given at all; `(name, value)` for any other value than that.
    """
    wanted = [name if isinstance(name, tuple) else (name,) for name in deprecated_arg_names]

    def decorate(function: Any) -> Any:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def warned(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind_partial(*args, **kwargs).arguments
            for name, *harmless in wanted:
                if name in given and not any(given[name] is value for value in harmless):
                    _warn_once(
                        function,
                        f"with {name} is deprecated and will be removed {_when(date)}.\n"
                        f"Instructions for updating:\n{instructions}",
                    )
            return function(*args, **kwargs)

        return warned

    return decorate


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[Function], Function]:
    """Return a decorator for a function of which some values of arguments go away."""

    def decorate(function: Any) -> Any:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def warned(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind_partial(*args, **kwargs).arguments
            for name, value in deprecated_kwargs.items():
                if name in given and given[name] == value:
                    _warn_once(
                        function,
                        f"with {name}={value} is deprecated and will be removed {_when(date)}.\n"
                        f"Instructions for updating:\n{instructions}",
                    )
            return function(*args, **kwargs)

        return warned

    return decorate


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """Return the one of two spellings of an argument that was given."""
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def deprecated_endpoints(*names: str) -> Callable[[Any], Any]:
    """Return a decorator that notes which public names of a symbol are deprecated."""

    def note(func: Any) -> Any:
        func._tf_deprecated_api_names = names
        return func

    return note


@contextmanager
def silence() -> Iterator[None]:
    """Let nothing be said of deprecated names in a block."""
    before = _logger.disabled
    _logger.disabled = True
    try:
        yield
    finally:
        _logger.disabled = before


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """Return a function or class under a name that is deprecated."""
    said = f"The name {deprecated_name} is deprecated. Please use {name} instead.\n"
    if isinstance(func_or_class, type):

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - of the class below
            _warn_once(func_or_class, said)
            func_or_class.__init__(self, *args, **kwargs)  # type: ignore[misc]  # that class

        return type(func_or_class.__name__, (func_or_class,), {"__init__": __init__})

    @functools.wraps(func_or_class)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        _warn_once(func_or_class, said)
        return func_or_class(*args, **kwargs)

    return renamed
