"""What an operation and a copy cost on the devices of a session or function.

A card that has no entry in the table of cards is taken for a V100: choices between equal cards
depend little on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from placewise.core import dtypes
from placewise.cost.links import link_between
from placewise.cost.machine import MachineSpec
from placewise.cost.rates import seconds
from placewise.cost.timeline import GRAPH_ISSUE_SECONDS
from placewise.devices.cards import DEFAULT_MODEL, find_model
from placewise.devices.facts import Model
from placewise.ops.work import InputFact, TensorFact, work_of
from placewise.placement.automatic.tasks import Link
from placewise.planning.automatic.sizes import Sizes


class Costs:
    """Durations of operations and copies on some devices."""

    def __init__(self, devices: Sequence[Any]) -> None:
        cards = [device for device in devices if device.is_accelerator]
        self._machine = MachineSpec(
            "", tuple(map(_model, cards)), tuple(device.memory_limit_bytes or 0 for device in cards)
        )
        self._numbers = {short_name(card): f"GPU:{index}" for index, card in enumerate(cards)}
        self._models = {kind_of(card): _model(card) for card in cards}

    def seconds_of(self, op: Any, sizes: Sizes) -> Mapping[str, float]:
        """Return how long an operation takes on each kind of device.

        A card gets no more operations than the host issues to it.
        """
        inputs: list[InputFact] = [
            [_fact(tensor, sizes) for tensor in item] if type(item) is list else _fact(item, sizes)
            for item in op.spread
        ]
        outputs = [_fact(tensor, sizes) for tensor in op.outputs]
        work = work_of(op.declaration, inputs, outputs, op.attrs)
        result = {
            kind: 0.0 if work.kind == "view" else max(GRAPH_ISSUE_SECONDS, seconds(work, model))
            for kind, model in self._models.items()
        }
        result["CPU"] = seconds(work, self._machine.processor)
        return result

    def link_between(self, source: str, target: str) -> Link:
        """Return what copies between two devices cost."""
        link = link_between(
            self._numbers.get(source, source), self._numbers.get(target, target), self._machine
        )
        return Link(link.latency, link.bandwidth)


def _model(device: Any) -> Model:
    card = device.card
    model = (card.model or find_model(card.name)) if card is not None else None
    model = model or find_model(DEFAULT_MODEL)
    if model is None:
        raise ValueError(f"no figures are known of {DEFAULT_MODEL}")
    return model


def _fact(tensor: Any, sizes: Sizes) -> TensorFact:
    shape, dtype = sizes[tensor], tensor.dtype.base_dtype
    attrs = tensor.op.attrs
    if dtype is dtypes.resource and attrs.get("shape") is not None:
        shape = tuple(size if size and size > 0 else 1 for size in attrs["shape"])
        dtype = attrs.get("dtype") or dtype
    return TensorFact(shape, dtype.name)


def short_name(device: Any) -> str:
    """Return a device's kind and number."""
    return f"{device.kind}:{device.index}"


def kind_of(device: Any) -> str:
    """Return what devices have in common on which an operation takes equally long."""
    return "CPU" if device.is_host or device.card is None else str(device.card.name)
