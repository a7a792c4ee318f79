"""How eager ops may be run: `async_scope` and its like. Every op here is done when it returns."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from placewise.core.runtime import State, runtime


class ExecutionMode(State, threading.local):
    """What this thread asked for."""

    is_synchronous: bool = True


_mode = runtime.state(ExecutionMode)


def get_synchronous_execution() -> bool:
    """Return what `set_synchronous_execution` said last; True before."""
    return _mode.is_synchronous


def set_synchronous_execution(enable: bool | None) -> None:
    """Allow ops to run behind the program, or forbid it. CPU ops never do; GPU queues always may.

    An error then may come late; here it comes with its op, which both allow.
    """
    _mode.is_synchronous = enable is None or bool(enable)


@contextmanager
def async_scope() -> Iterator[None]:
    """Allow the ops of a `with` block to run behind the program; all are done at its end."""
    before = _mode.is_synchronous
    _mode.is_synchronous = False
    try:
        yield
    finally:
        _mode.is_synchronous = before
        sync_devices()


def async_clear_error() -> None:
    """Forget errors of ops that ran behind the program: there are none, as errors come at once."""


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """Name the executor of functions called in a `with` block: all run the same plans here."""
    if executor_type is not None and not isinstance(executor_type, str):
        raise TypeError(f"executor_type must be a string, not {executor_type!r}")
    yield


def sync_devices() -> None:
    """Wait until every device has done what it was given."""
    import torch  # noqa: PLC0415 - keeps torch out

    if torch.accelerator.is_available():
        for index in range(torch.accelerator.device_count()):
            torch.accelerator.synchronize(index)
