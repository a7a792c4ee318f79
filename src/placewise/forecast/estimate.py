"""From a dry run to a forecast: the memory and the time of its step on one machine.

Pure: reads a trace, sizes and the figures of a machine. Machines with the same number of GPUs share
one dry run, because a program sees only how many there are. A program that does not look, and uses
one, has the same step on machines with fewer.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from placewise.cost.collectives import all_reduce_seconds
from placewise.cost.links import link_between
from placewise.cost.machine import MachineSpec, Processor
from placewise.cost.replicas import replicate
from placewise.cost.timeline import Timeline, schedule
from placewise.cost.trace import CopyEvent, OpEvent, Trace
from placewise.devices.facts import GIB
from placewise.devices.limits import default_bytes
from placewise.devices.machine import parse_machine
from placewise.forecast.batch_growth import largest_factor
from placewise.forecast.dry_run import DryRun, MemoryForecast
from placewise.forecast.forecast import (
    CopyForecast,
    DeviceForecast,
    FallbackForecast,
    Forecast,
    HolderForecast,
    ScalingForecast,
)
from placewise.forecast.names import describe_tasks
from placewise.forecast.scaling import CARD_COUNTS
from placewise.forecast.spans import spans_of

# The workspace of a convolution: its input and output once more, transformed. At most 1 GiB: a
# library that cannot have more takes another algorithm.
_MOST_WORKSPACE_BYTES = GIB
_CONVOLUTIONS = ("conv", "conv_gradient")
_SHOWN_REASONS = 8
_WORTH_PROPOSING = 1.15  # times faster


def forecast(run: DryRun, machine: str, precision: str = "auto") -> Forecast:
    """Return what the step of a dry run needs and takes on a machine.

    `machine` has as many GPUs as the machine of the dry run, or fewer if that serves them
    (`DryRun.serves_fewer_gpus`). `precision`: see `cost.rates.seconds`.
    """
    return forecasts(run, [machine], precision)[0]


def forecasts(
    run: DryRun, machines: Sequence[str], precision: str = "auto", has_spans: bool = True
) -> list[Forecast]:
    """Return the same for several machines; without `has_spans`, no timelines."""
    hosts: dict[Processor, float] = {}  # most machines have the same
    results = []
    for machine in machines:
        spec = MachineSpec.parse(machine)
        if spec.processor not in hosts:
            hosts[spec.processor] = schedule(on_cpu(run.trace), spec, precision).duration
        cpu_seconds = hosts[spec.processor]
        results.append(_forecast(run, machine, spec, cpu_seconds, precision, has_spans))
    return results


def _forecast(
    run: DryRun,
    machine: str,
    spec: MachineSpec,
    cpu_seconds: float,
    precision: str,
    has_spans: bool,
) -> Forecast:
    timeline = schedule(run.trace, spec, precision)
    scaling, source = _scaling(run, spec, timeline, precision)
    result = Forecast(
        machine=machine,
        devices=tuple(_devices(run, machine, spec, timeline)),
        step_seconds=timeline.duration,
        bound=timeline.bound,
        bound_seconds=dict(timeline.bound_seconds),
        batch=run.batch,
        samples_per_second=timeline.samples_per_second,
        largest_batch=_largest_batch(run, machine),
        cpu_seconds=cpu_seconds,
        link_busy={name: busy for name, busy in timeline.link_busy.items() if busy},
        copies=tuple(_copies(run.trace, spec)),
        fallbacks=tuple(_fallbacks(run.trace, timeline)),
        scaling=scaling,
        scaling_source=source,
        steps=run.steps,
        trainable_bytes=run.trainable_bytes,
        ended=run.ended,
        notes=(*describe_tasks(machine), *run.notes),
        placement=tuple(_choices(run.trace)),
        spans=spans_of(run.trace, timeline) if has_spans else (),
    )
    return replace(result, proposal=_proposal(result))


def on_cpu(trace: Trace) -> Trace:
    """Return the same ops, all on the CPU: without copies between devices."""
    moved: dict[int, tuple[int, ...]] = {
        event.number: event.inputs for event in trace.events if isinstance(event, CopyEvent)
    }

    def origins(numbers: Iterable[int]) -> tuple[int, ...]:
        result: list[int] = []
        for number in numbers:
            result += origins(moved[number]) if number in moved else (number,)
        return tuple(dict.fromkeys(result))

    events: list[OpEvent | CopyEvent] = [
        replace(event, device="CPU:0", inputs=origins(event.inputs))
        for event in trace.events
        if isinstance(event, OpEvent)
    ]
    return Trace(events, trace.batch)


# Memory.


def _limits(run: DryRun, machine: str) -> dict[str, int]:
    """Return the memory that each GPU of a machine lets the program have."""
    cards = sorted(parse_machine(machine), key=lambda card: card.bus_id)
    limits = {f"GPU:{index}": default_bytes(card) for index, card in enumerate(cards)}
    own = sorted(parse_machine(run.machine), key=lambda card: card.bus_id)
    for memory in run.memory:
        index = int(memory.device.rpartition(":")[2])
        # The program may have divided its cards, or asked for less.
        if index >= len(own) or memory.limit_bytes != default_bytes(own[index]):
            most = limits.get(memory.device, memory.limit_bytes)
            limits[memory.device] = min(memory.limit_bytes, most)
    return limits


def _memory(run: DryRun, spec: MachineSpec) -> Sequence[MemoryForecast]:
    """Return the memory of the GPUs that a machine has; its program may have divided them."""
    cards = len(parse_machine(run.machine))
    return run.memory[: len(spec.models)] if len(spec.models) < cards else run.memory


def _devices(
    run: DryRun, machine: str, spec: MachineSpec, timeline: Timeline
) -> Iterable[DeviceForecast]:
    limits = _limits(run, machine)
    workspace = _workspace(run.trace)
    utilisation = timeline.utilisation
    for memory in _memory(run, spec):
        limit = limits[memory.device]
        rise = next((rise for rise in memory.rises if rise.peak_bytes > limit), None)
        index = int(memory.device.rpartition(":")[2])
        yield DeviceForecast(
            device=memory.device,
            model=spec.models[min(index, len(spec.models) - 1)].name,
            limit_bytes=limit,
            peak_bytes=memory.peak_bytes,
            variables_bytes=memory.variables_bytes,
            slots_bytes=memory.slots_bytes,
            activations_bytes=memory.activations_bytes,
            workspace_bytes=workspace.get(memory.device, 0),
            utilisation=utilisation.get(memory.device, 0.0),
            crossing_op=rise.op if rise else "",
            crossing_line=rise.line if rise else "",
            holders=tuple(
                HolderForecast(
                    one.nbytes, one.what, one.shape, one.dtype, one.origin, count=one.count
                )
                for one in memory.holders
            ),
        )


def _workspace(trace: Trace) -> dict[str, int]:
    """Return what libraries may take beside the tensors on each device, by its largest op."""
    most: dict[str, int] = {}
    for event in trace.events:
        if isinstance(event, OpEvent) and event.work.kind in _CONVOLUTIONS:
            nbytes = min(event.work.read_bytes + event.work.written_bytes, _MOST_WORKSPACE_BYTES)
            most[event.device] = max(most.get(event.device, 0), nbytes)
    return most


def _largest_batch(run: DryRun, machine: str) -> int | None:
    """Return the largest batch of all cards together that fits; None if nothing tells.

    What grows with the batch is taken to grow in proportion to it.
    """
    if not run.batch or not run.has_trained:
        return None
    limits = _limits(run, machine)
    factors = [
        factor
        for memory in run.memory
        if memory.device in limits
        if (factor := largest_factor(memory.moments, limits[memory.device])) is not None
    ]
    return math.floor(run.batch * min(factors)) if factors else None


# Copies and fallbacks.


def _copies(trace: Trace, spec: MachineSpec) -> Iterable[CopyForecast]:
    groups: dict[tuple[str, str], list[CopyEvent]] = defaultdict(list)
    for event in trace.events:
        if isinstance(event, CopyEvent) and event.source != event.target:
            groups[event.source, event.target].append(event)
    for (source, target), events in sorted(groups.items()):
        link = link_between(source, target, spec)
        yield CopyForecast(
            source,
            target,
            len(events),
            sum(event.nbytes for event in events),
            sum(link.seconds(event.nbytes) for event in events),
            sum(event.nbytes for event in events if event.kind == "copy"),
        )


def _fallbacks(trace: Trace, timeline: Timeline) -> Iterable[FallbackForecast]:
    """Yield what ops cost that run on the CPU for want of a GPU kernel: themselves and copies."""
    seconds = {span.number: span.finish - span.start for span in timeline.spans}
    copies = {event.number: event for event in trace.events if isinstance(event, CopyEvent)}
    readers: dict[int, list[int]] = defaultdict(list)
    for copy in copies.values():
        for number in copy.inputs:
            readers[number].append(copy.number)
    groups: dict[tuple[str, str], list[OpEvent]] = defaultdict(list)
    for event in trace.events:
        if isinstance(event, OpEvent) and event.fell_back:
            groups[event.op, event.reason].append(event)
    for (op, reason), events in groups.items():
        beside = {
            number
            for event in events
            for number in (*event.inputs, *readers[event.number])
            if number in copies
        }
        yield FallbackForecast(
            op,
            len(events),
            reason,
            events[0].line,
            sum(seconds.get(event.number, 0.0) for event in events),
            sum(copies[number].nbytes for number in beside),
            sum(seconds.get(number, 0.0) for number in beside),
        )


def _choices(trace: Trace) -> Iterable[str]:
    """Yield why automatic placement put ops where they are, the commonest reasons first."""
    # Its reasons begin with the device, as no others do.
    reasons = Counter(
        event.reason
        for event in trace.events
        if isinstance(event, OpEvent) and event.reason.startswith(f"{event.device}: ")
    )
    for reason, count in reasons.most_common(_SHOWN_REASONS):
        yield f"{count} op{'s' if count > 1 else ''} on {reason}"


# More cards.


def _scaling(
    run: DryRun, spec: MachineSpec, timeline: Timeline, precision: str
) -> tuple[tuple[ScalingForecast, ...], str]:
    """Return the step on 1, 2, 4 and 8 cards if each of them does what the one card does now."""
    busy = [name for name, part in timeline.utilisation.items() if part and name != "CPU:0"]
    if busy != ["GPU:0"] or not run.has_trained or not run.trainable_bytes:
        return (), ""
    alone, most = timeline.duration, CARD_COUNTS[-1]
    together = replicate(run.trace, most, run.trainable_bytes, written=1)
    # What sums add to the step on most cards is less on fewer, as the sums themselves are.
    added = max(schedule(together, replicated(spec, most), precision).duration - alone, 0.0)
    whole = _sum_seconds(run, spec, most) or 1.0
    rows = []
    for cards in CARD_COUNTS:
        step = alone + added * _sum_seconds(run, spec, cards) / whole
        samples = None if run.batch is None else cards * run.batch / step
        rows.append(ScalingForecast(cards, step, samples, alone / step))
    source = "estimated for tf.distribute.MirroredStrategy, the same batch on each card"
    return tuple(rows), source


def _sum_seconds(run: DryRun, spec: MachineSpec, cards: int) -> float:
    devices = [f"GPU:{index}" for index in range(cards)]
    return all_reduce_seconds(run.trainable_bytes, devices, replicated(spec, cards))


def replicated(spec: MachineSpec, cards: int) -> MachineSpec:
    """Return a machine with so many cards of the first model."""
    memory = spec.memory_bytes[0]
    text = f"{cards}x{spec.models[0].name}"
    return replace(
        spec, text=text, models=spec.models[:1] * cards, memory_bytes=(memory,) * cards, machines=()
    )


def _proposal(result: Forecast) -> str:
    """Return what would be faster here, with the line to write; empty if nothing would."""
    if result.devices and 0 < result.speedup < 1:
        return (
            f"A GPU does not pay off: the CPU alone is {1 / result.speedup:.1f} times faster. "
            "Write with tf.device('/CPU:0'): around the model, or use a larger batch."
        )
    idle = [device for device in result.devices if not device.utilisation]
    cards = len(result.devices)
    row = next((row for row in result.scaling if row.cards == cards), None)
    if not idle or row is None or row.cards * row.efficiency < _WORTH_PROPOSING:
        return ""
    return (
        f"{len(idle)} of {cards} GPUs are idle. Data parallel would be about "
        f"{row.cards * row.efficiency:.1f} times faster: strategy = "
        "tf.distribute.MirroredStrategy(), and make model and optimizer in strategy.scope()."
    )
