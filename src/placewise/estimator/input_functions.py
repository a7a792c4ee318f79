"""From an input function to features and labels, whatever it returns."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from placewise.data.dataset import DatasetV2
from placewise.data.iterators_v1 import make_initializable_iterator
from placewise.training.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from placewise.estimator.run_config import RunConfig


def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the arguments a function takes."""
    target = function.func if isinstance(function, functools.partial) else function
    bound = set(function.keywords) if isinstance(function, functools.partial) else set()
    found = inspect.signature(target).parameters
    return tuple(name for name in found if name not in bound)


class _StartsIterator(SessionRunHook):
    """Starts a dataset's iterator when the session is there."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator
        self._start: Any = None

    def begin(self) -> None:
        """Take the operation while the graph may still change."""
        self._start = self._iterator.initializer

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Start the iterator."""
        session.run(self._start)


def call_input_fn(
    input_fn: Callable[..., Any], mode: str, params: dict[Any, Any], config: RunConfig
) -> Any:
    """Return what an input function gives for the arguments it takes."""
    names = argument_names(input_fn)
    given = {"mode": mode, "params": params, "config": config}
    return input_fn(**{name: given[name] for name in names if name in given})


def features_and_labels(result: Any, mode: str) -> tuple[Any, Any, list[Any]]:
    """Return features, labels, and hooks to run beside, of what an input function gave."""
    hooks: list[Any] = []
    if isinstance(result, DatasetV2):
        iterator = make_initializable_iterator(result)
        hooks.append(_StartsIterator(iterator))
        result = iterator.get_next()
    elif hasattr(result, "get_next") and hasattr(result, "initializer"):
        result = result.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return result[0], result[1], hooks
    return result, None, hooks
