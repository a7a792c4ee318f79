"""Decorators that can be undone: what `tensorflow.python.util.tf_decorator` gives libraries."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

_MARK = "_tf_decorator"


class TFDecorator:
    """How a function was decorated: the name, the function inside, the signature shown."""

    def __init__(
        self,
        decorator_name: str,
        target: Any,
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        self.decorator_name, self.decorator_doc = decorator_name, decorator_doc
        self.decorator_argspec = decorator_argspec
        self.decorated_target = target

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)


def make_decorator(
    target: Any,
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Any:
    """Return `decorator_func`, looking like `target`, which `unwrap` finds inside."""
    if decorator_name is None:
        decorator_name = sys._getframe(1).f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    functools.update_wrapper(decorator_func, target)
    setattr(decorator_func, _MARK, decorator)
    if decorator_argspec is not None and isinstance(decorator_argspec, inspect.Signature):
        decorator_func.__signature__ = decorator_argspec  # type: ignore[attr-defined]
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """Return the decorators of a function from outside in, and the function inside them."""
    decorators: list[TFDecorator] = []
    inner = maybe_tf_decorator
    while True:
        if isinstance(inner, TFDecorator):
            decorators.append(inner)
        elif isinstance(mark := getattr(inner, _MARK, None), TFDecorator):
            decorators.append(mark)
        else:
            break
        inner = decorators[-1].decorated_target
    return decorators, inner


def tf_decorator_method(target: Any) -> Any:
    """Return the function inside all decorators."""
    return unwrap(target)[1]


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> Any:
    """Let the innermost of the decorators around `previous_target` hold `new_target` instead."""
    decorators, inner = unwrap(decorator_func)
    for decorator in reversed(decorators):
        if decorator.decorated_target is previous_target:
            decorator.decorated_target = new_target
            return decorator_func
    return new_target if inner is previous_target else decorator_func


def contextmanager(target: Callable[..., Any]) -> Any:
    """Decorate a generator function as `contextlib.contextmanager` does; `unwrap` undoes it."""
    return make_decorator(target, contextlib.contextmanager(target), "contextmanager")
