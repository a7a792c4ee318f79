"""`arg_scope`: default arguments for functions, in force in a `with` block.

A function marked by `add_arg_scope` takes what is in force for it, unless a call says otherwise.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from placewise.core.runtime import State, runtime

_taken: dict[Any, frozenset[str]] = {}


class ArgScopes(State, threading.local):
    """The scopes in force in this thread, the innermost last."""

    scopes: list[dict[Any, dict[str, Any]]]

    def __init__(self) -> None:
        self.scopes = [{}]


_stack = runtime.state(ArgScopes)


def _key(function: Callable[..., Any]) -> Any:
    """Return what a function is known by: scopes saved by one name work under another."""
    return getattr(function, "_key_op", str(function))


def current_arg_scope() -> dict[Any, dict[str, Any]]:
    """Return the scope in force, as `arg_scope` takes it back."""
    return _stack.scopes[-1]


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Return whether a function takes its defaults from scopes."""
    return _key(func) in _taken


def arg_scoped_arguments(func: Any) -> frozenset[str] | tuple[str, ...]:
    """Return the arguments of a function that scopes can set."""
    if not has_arg_scope(func):
        raise ValueError(f"{_name(func)} is not decorated with @add_arg_scope")
    return tuple(sorted(_taken[_key(func)]))


def _name(function: Callable[..., Any]) -> tuple[str, str]:
    return function.__module__, function.__name__


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[dict[Any, dict[str, Any]]]:
    """Set defaults of functions for a block; or put a scope from before in force again."""
    if isinstance(list_ops_or_scope, Mapping):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
            )
        scope = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError(
                "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)"
            )
        scope = dict(current_arg_scope())
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                raise ValueError(f"{_name(function)} is not decorated with @add_arg_scope")
            key = _key(function)
            scope[key] = {**scope.get(key, {}), **kwargs}
    _stack.scopes.append(scope)
    try:
        yield scope
    finally:
        _stack.scopes.pop()


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, taking its defaults from the `arg_scope` in force."""

    @functools.wraps(func)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        defaults = current_arg_scope().get(key)
        return func(*args, **({**defaults, **kwargs} if defaults else kwargs))

    key = str(func)
    scoped._key_op = key  # type: ignore[attr-defined]  # a function carries it
    wanted = getattr(func, "__wrapped__", func).__code__
    count = wanted.co_argcount
    given = len(getattr(func, "__defaults__", None) or ())
    keyword = wanted.co_varnames[count : count + wanted.co_kwonlyargcount]
    _taken[key] = frozenset((*wanted.co_varnames[count - given : count], *keyword))
    return scoped


def arg_scope_func_key(op: Any) -> Any:
    """Return what a function is known by in a scope."""
    return _key(op)
