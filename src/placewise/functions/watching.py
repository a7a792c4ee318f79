"""A call of a function while somebody watches: what it did is told op by op, as eager ops are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from placewise.devices.inventory import settings
from placewise.eager import observe
from placewise.placement.decision import Decision

_logged: set[Any] = set()

# Called with each concrete function that runs while somebody watches.
listeners: list[Callable[[Any], None]] = []


def run(concrete: Any, tensors: list[Any]) -> list[Any]:
    """Run a function, and tell everybody who watches what ran where."""
    for listener in listeners:
        listener(concrete)
    runner = concrete.executor.runner(tuple(tensor._device for tensor in tensors))
    decisions = runner.placement.decisions
    for op, decision in decisions.items():
        if decision.fell_back:
            observe.fell_back(op.declaration, decision)
    for step in runner.plan.copies():
        observe.copying_in_plan(step.source, step.device)
    if settings().log_device_placement:
        _log(concrete, runner)
    made: list[Any] = concrete.executor.run(tensors)
    for step in runner.plan.every:
        if step.op is not None and step.kernel is not None:
            decision = decisions.get(step.op) or Decision(step.device, step.op.device, ())
            observe.noted(step.op.declaration, decision, step.op.name, step.op.origin)
    return made


def _log(concrete: Any, runner: Any) -> None:
    if id(runner) not in _logged:
        _logged.add(id(runner))
        for op, device in runner.placement.in_log_order():
            sys.stderr.write(f"{op.name}: ({op.type}): {device.name}\n")
    sys.stderr.write(f"Executing op {concrete.name} in device {runner.where}\n")
