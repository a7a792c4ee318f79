"""Tests that run only when something holds."""

from __future__ import annotations

import functools
import platform
from collections.abc import Callable
from typing import Any

_TARGETS = {
    "aarch64": ("aarch64", "arm64"),
    "arm": ("arm", "armv7l", "armv6l"),
    "x86": ("x86_64", "amd64", "i686", "i386"),
    "ppc": ("ppc64le", "ppc64"),
    "systemz": ("s390x",),
}


def is_cpu_target_available(target: str) -> bool:
    """Return whether code for a CPU target (x86, aarch64, arm, …) runs here."""
    return platform.machine().lower() in _TARGETS.get(target, ())


def disable_with_predicate(
    pred: Callable[[], bool], skip_message: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that skips a test method while `pred()` holds."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return decorated

    return decorate


def with_eager_op_as_function(
    cls: type[Any] | None = None, only_as_function: bool = False
) -> type[Any] | Callable[[type[Any]], type[Any]]:
    """Return the class as it is: the mode this once switched on exists no more, here or there."""
    return cls if cls is not None else (lambda decorated: decorated)
