"""What an operation and a copy cost on the devices of a session or function, by kind of device."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from placewise.placement.automatic.tasks import Link
from placewise.planning.automatic.graph_tasks import short_name

_LAUNCH_SECONDS = 5e-6


class Costs:
    """Durations of operations and copies on some devices."""

    def __init__(self, devices: Sequence[Any]) -> None:
        self._devices = {short_name(device): device for device in devices}
        self._models = {kind_of(device): device.card for device in devices}

    def seconds_of(
        self, op: Any, inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> Mapping[str, float]:
        """Return how long an operation takes on each kind of device."""
        nbytes = 4 * sum(math.prod(shape) for shape in (*inputs, *outputs))
        flops = 0
        if "MatMul" in op.type and inputs:
            flops = 2 * math.prod(outputs[0]) * inputs[0][-1]
        elif op.type.startswith("Conv2D"):
            flops = 2 * 9 * 64 * math.prod(outputs[0])
        return {
            kind: (5e-6 + max(nbytes / 9e11, flops / 1e13))
            if card is not None
            else nbytes / 2e10 + flops / 1e11
            for kind, card in self._models.items()
        }

    def link_between(self, source: str, target: str) -> Link:
        """Return what copies between two devices cost."""
        return Link(1e-5, 1.2e10)


def kind_of(device: Any) -> str:
    """Return what devices have in common on which an operation takes equally long."""
    return device.kind if device.card is None else device.card.name
