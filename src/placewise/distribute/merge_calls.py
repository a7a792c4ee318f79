"""Calls that replicas make together only if there are several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.distribute.context import get_replica_context, get_strategy


def strategy_supports_no_merge_call() -> bool:
    """Return True if optimizers need not bring replicas together: there is but one."""
    extended = get_strategy().extended
    return not extended._use_merge_call()


def maybe_merge_call(fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any) -> Any:
    """Call `fn(strategy, *args)`: once for all replicas, where there are several."""
    context = get_replica_context()
    if context is None or not strategy.extended._use_merge_call():
        return fn(strategy, *args, **kwargs)
    return context.merge_call(fn, args=args, kwargs=kwargs)
