"""What an operation and a copy cost on the devices of a session or function.

A card that has no entry in the table of cards is taken for a V100: choices between equal cards
depend little on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from placewise.core import dtypes
from placewise.cost.graph_trace import trace_of_graph
from placewise.cost.links import link_between
from placewise.cost.machine import MachineSpec
from placewise.cost.rates import seconds
from placewise.cost.timeline import GRAPH_ISSUE_SECONDS, schedule
from placewise.devices.cards import DEFAULT_MODEL, find_model
from placewise.devices.facts import Model
from placewise.ops.work import InputFact, TensorFact, elementwise_work, work_of
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
        try:
            work = work_of(op.declaration, inputs, outputs, op.attrs)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            # Shapes that were assumed need not be what a rule relies on.
            work = elementwise_work(inputs, outputs, op.attrs)
        # Where no kernel is launched, the executor's bookkeeping is left.
        issue = GRAPH_ISSUE_SECONDS / 4 if work.kind == "view" else GRAPH_ISSUE_SECONDS
        result = {kind: max(issue, seconds(work, model)) for kind, model in self._models.items()}
        result["CPU"] = seconds(work, self._machine.processor)
        return result

    def step_seconds(
        self, step: Iterable[Any], homes: Mapping[Any, Any], fed: Sequence[Any], batch: int
    ) -> float:
        """Return how long a step takes on the timeline, with each operation on its device."""
        names = {op: self._numbers.get(name := short_name(d), name) for op, d in homes.items()}
        trace = trace_of_graph(step, self._machine, batch=batch, placed=names, fed=fed)
        return schedule(trace, self._machine).duration

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
