"""Calls of functions that are observed: listeners and the placement log are notified."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from placewise.core.runtime import State, runtime
from placewise.core.scope import Unit, watch
from placewise.devices.inventory import settings


@dataclass(slots=True)
class CallLog(State):
    """The listeners, and the functions whose placement was logged."""

    # Called with each concrete function that runs while somebody watches.
    listeners: list[Callable[[Any], None]] = field(default_factory=list)
    logged: set[int] = field(default_factory=set)


call_log = runtime.state(CallLog)


def run(concrete: Any, tensors: list[Any]) -> list[Any]:
    """Run a function; notify listeners and the placement log of the call and its device."""
    for listener in call_log.listeners:
        listener(concrete)
    runner = concrete.executor.runner(tuple(tensor._device for tensor in tensors))
    if settings().log_device_placement:
        _log(concrete, runner)
    tell = watch.unit  # one that looks at a single call is gone when the call ends
    if tell is None:
        result: list[Any] = concrete.executor.run(tensors)
        return result
    contents = tuple([tensor._value for tensor in tensors])
    tell(Unit("function", False, concrete, concrete.graph, contents))
    failed = True
    try:
        result = concrete.executor.run(tensors)
        failed = False
    finally:
        tell(Unit("function", True, concrete, concrete.graph, failed=failed))
    return result


def _log(concrete: Any, runner: Any) -> None:
    if id(runner) not in call_log.logged:
        call_log.logged.add(id(runner))
        for op, device in runner.placement.in_log_order():
            sys.stderr.write(f"{op.name}: ({op.type}): {device.name}\n")
    sys.stderr.write(f"Executing op {concrete.called} in device {runner.where}\n")
