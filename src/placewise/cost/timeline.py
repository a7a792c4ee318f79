"""When each event of a step would run on a machine, as TensorFlow's executor issues it.

Each GPU has one compute stream, which runs ops in the order in which they became ready, a stream
for copies from the host, one for copies to it and one to each other card. The host issues ops: one
thread a device for graphs, the one Python thread for eager ops. It does not wait for what it
issued: an op may be issued as soon as those before it are. The CPU runs its ops beside each other
on as many cores as it has. What a step is bound by is what its critical path spends most time on.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from placewise.cost.collectives import all_reduce_seconds
from placewise.cost.links import crosses_network, link_between
from placewise.cost.machine import MachineSpec
from placewise.cost.rates import estimate, threads_of
from placewise.cost.trace import CopyEvent, OpEvent, Trace

# What a step may be bound by; cards of other makers name their own link instead of NVLink.
BOUNDS = (
    "compute",
    "memory bandwidth",
    "kernel launches",
    "copies over PCIe",
    "NVLink",
    "host",
    "input",
)
# What the host spends on an op before its kernel is on its way: in a session or function the
# executor's bookkeeping, in eager mode Python as well.
GRAPH_ISSUE_SECONDS = 14e-6
EAGER_ISSUE_SECONDS = 30e-6
# A call of a session or function: feeds, fetches, starting the executors and waiting for them.
STEP_SECONDS = 700e-6


class Span(NamedTuple):
    """One event on a device or link."""

    number: int  # of the event
    place: str  # "GPU:0", "CPU:0", "CPU:0>GPU:0"
    start: float
    finish: float
    bound: str
    cause: int  # the event whose end it waited for last, -1 if for none
    waited_for_issue: bool = False  # nothing kept it but the host's issuing it


@dataclass(slots=True)
class Timeline:
    """A step in time. All durations are in seconds."""

    duration: float = 0.0
    spans: list[Span] = field(default_factory=list)
    device_busy: dict[str, float] = field(default_factory=dict)
    link_busy: dict[str, float] = field(default_factory=dict)
    bound_seconds: dict[str, float] = field(default_factory=dict)  # along the critical path
    batch: int | None = None

    @property
    def bound(self) -> str:
        """What the critical path spends most of its time on."""
        if not self.bound_seconds:
            return "compute"
        return max(self.bound_seconds, key=lambda name: self.bound_seconds[name])

    @property
    def utilisation(self) -> dict[str, float]:
        """The share of the step in which each device is busy."""
        whole = self.duration or 1.0
        return {device: busy / whole for device, busy in self.device_busy.items()}

    @property
    def samples_per_second(self) -> float | None:
        """Samples of the batch in a second, where a batch was recognised."""
        if self.batch is None or not self.duration:
            return None
        return self.batch / self.duration


def schedule(trace: Trace, machine: MachineSpec, precision: str = "auto") -> Timeline:
    """Return when each event of a trace runs on a machine.

    `precision`: of float32 products, as in `rates.seconds`.
    """
    return _Scheduler(trace, machine, precision).run()


class _Scheduler:
    def __init__(self, trace: Trace, machine: MachineSpec, precision: str) -> None:
        self.trace, self.machine, self.precision = trace, machine, precision
        self.events = {event.number: event for event in trace.events}
        self.spans: dict[int, Span] = {}
        self.issued: dict[int, float] = {}  # when an event was handed to its stream
        self.free: dict[str, float] = {}  # when a stream or wire has nothing left to do
        self.last: dict[str, int] = {}  # the last event on it
        self.issuing: dict[str, float] = {}  # when the thread that issues is free
        self.cores = [0.0] * machine.processor.cores
        heapq.heapify(self.cores)

    def run(self) -> Timeline:
        waiting = {
            number: sum(1 for source in set(event.inputs) if source in self.events)
            for number, event in self.events.items()
        }
        readers: dict[int, list[int]] = {}
        for number, event in self.events.items():
            for source in set(event.inputs):
                if source in self.events:
                    readers.setdefault(source, []).append(number)
        ready = [(0.0, number) for number, count in waiting.items() if count == 0]
        heapq.heapify(ready)
        while ready:
            _, number = heapq.heappop(ready)
            self._place(self.events[number])
            for reader in readers.get(number, ()):
                waiting[reader] -= 1
                if not waiting[reader]:
                    heapq.heappush(ready, (self._issue_time(self.events[reader]), reader))
        if len(self.spans) < len(self.events):
            stuck = min(self.events.keys() - self.spans.keys())
            raise ValueError(f"Events of the trace wait for each other, the first is {stuck}")
        return self._timeline()

    def _issue_time(self, event: OpEvent | CopyEvent) -> float:
        """Return when the host can issue an event: what it reads needs only be issued, too.

        That is so on one stream. What comes from another device or from the CPU has to be there.
        """
        place = event.device if isinstance(event, OpEvent) else event.source
        time = 0.0
        for source in event.inputs:
            span = self.spans.get(source)
            if span is None:
                continue
            is_same = span.place == place and not place.startswith("CPU")
            time = max(time, self.issued[source] if is_same else span.finish)
        return time

    def _inputs_end(self, event: OpEvent | CopyEvent) -> tuple[float, int]:
        spans = [self.spans[source] for source in event.inputs if source in self.spans]
        last = max(spans, key=lambda span: span.finish, default=None)
        return (last.finish, last.number) if last else (0.0, -1)

    def _place(self, event: OpEvent | CopyEvent) -> None:
        if isinstance(event, CopyEvent):
            self._place_copy(event)
        elif event.device.startswith("CPU"):
            self._place_on_host(event)
        else:
            self._place_on_card(event)

    def _place_on_card(self, event: OpEvent) -> None:
        cost = estimate(event.work, self.machine.model(event.device), self.precision)
        thread = "python" if event.is_eager else event.device
        issue = EAGER_ISSUE_SECONDS if event.is_eager else GRAPH_ISSUE_SECONDS
        if event.work.kind == "view" and not event.is_eager:
            issue /= 4  # no kernel is launched
        begin = max(self.issuing.get(thread, 0.0), self._issue_time(event))
        issued = self.issuing[thread] = begin + issue
        ends, cause = self._inputs_end(event)
        if event.work.kind == "view":  # nothing runs: it is there when its input is
            start, late = max(ends, issued), issued > ends
            self._add(event.number, event.device, start, 0.0, "compute", cause, issued, late)
            return
        free = self.free.get(event.device, 0.0)
        start = max(free, ends, issued)
        if free >= ends:
            cause = self.last.get(event.device, -1)
        late = issued > max(free, ends)
        self._add(event.number, event.device, start, cost.seconds, cost.bound, cause, issued, late)
        self.free[event.device], self.last[event.device] = start + cost.seconds, event.number

    def _place_on_host(self, event: OpEvent) -> None:
        processor = self.machine.processor
        ends, cause = self._inputs_end(event)
        if event.work.kind == "view":
            self._add(event.number, event.device, ends, 0.0, "host", cause, ends)
            return
        if event.is_eager:
            begin = max(self.issuing.get("python", 0.0), ends)
            ends = self.issuing["python"] = begin + EAGER_ISSUE_SECONDS
        cost = estimate(event.work, processor, self.precision)
        threads = threads_of(event.work, processor)
        taken = [heapq.heappop(self.cores) for _ in range(threads)]
        start = max(ends, taken[-1])
        bound = "input" if event.op.startswith("Iterator") else "host"
        for _ in taken:
            heapq.heappush(self.cores, start + cost.seconds)
        if taken[-1] > ends:
            cause = self.last.get("CPU:0", -1)
        self.last["CPU:0"] = event.number
        self._add(event.number, event.device, start, cost.seconds, bound, cause, start)

    def _place_copy(self, event: CopyEvent) -> None:
        ends, cause = self._inputs_end(event)
        if event.kind == "all_reduce":
            # Its kernels take multiprocessors, and frameworks pack most gradients into a few sums
            # at the end: hardly any of it overlaps with the rest of the step.
            lanes = (f"{event.source} ring", *event.members)
            length = all_reduce_seconds(event.nbytes, event.members, self.machine)
            name, has_link = lanes[0] if lanes else "ring", self.machine.models[0].link
            bound = "NVLink" if has_link else "copies over PCIe"
            bound = "network" if crosses_network(event.members, self.machine) else bound
        else:
            link = link_between(event.source, event.target, self.machine)
            lanes, length, bound = link.lanes, link.seconds(event.nbytes), link.bound
            name = lanes[0]
        if event.kind == "feed":
            bound = "input"
        start = ends
        for lane in lanes:
            if self.free.get(lane, 0.0) > start:
                start, cause = self.free[lane], self.last[lane]
        for lane in lanes:
            self.free[lane], self.last[lane] = start + length, event.number
        self._add(event.number, name, start, length, bound, cause, start)

    def _add(
        self,
        number: int,
        place: str,
        start: float,
        length: float,
        bound: str,
        cause: int,
        issued: float,
        late: bool = False,
    ) -> None:
        self.spans[number] = Span(number, place, start, start + length, bound, cause, late)
        self.issued[number] = issued

    def _timeline(self) -> Timeline:
        spans = sorted(self.spans.values(), key=lambda span: (span.start, span.number))
        timeline = Timeline(spans=spans, batch=self.trace.batch)
        timeline.device_busy = dict.fromkeys(self.machine.devices, 0.0)
        for span in spans:
            busy = timeline.device_busy if span.place in timeline.device_busy else None
            if busy is None:
                busy = timeline.link_busy
            busy[span.place] = busy.get(span.place, 0.0) + span.finish - span.start
        cores = self.machine.processor.cores
        timeline.device_busy["CPU:0"] = _host_busy(spans, self.events.values(), self.machine, cores)
        finish = max((span.finish for span in spans), default=0.0)
        finish = max([finish, *self.issuing.values()])
        overhead = STEP_SECONDS if spans else 0.0
        timeline.duration = finish + overhead
        timeline.bound_seconds = self._critical_path(spans)
        if overhead:
            timeline.bound_seconds["host"] = timeline.bound_seconds.get("host", 0.0) + overhead
        return timeline

    def _critical_path(self, spans: list[Span]) -> dict[str, float]:
        """Return where the time went that the last event had to wait for, by what bounds it."""
        parts: dict[str, float] = {}
        span = max(spans, key=lambda one: one.finish, default=None)
        while span is not None:
            parts[span.bound] = parts.get(span.bound, 0.0) + span.finish - span.start
            before = self.spans.get(span.cause)
            gap = span.start - (before.finish if before else 0.0)
            if gap > 0:
                event = self.events[span.number]
                is_eager = isinstance(event, OpEvent) and event.is_eager
                name = "host" if is_eager or not span.waited_for_issue else "kernel launches"
                parts[name] = parts.get(name, 0.0) + gap
            span = before
        return parts


def _host_busy(
    spans: Iterable[Span],
    events: Iterable[OpEvent | CopyEvent],
    machine: MachineSpec,
    cores: int,
) -> float:
    """Return the seconds in which the host's cores are busy, all of them together as one."""
    works = {
        event.number: event.work
        for event in events
        if isinstance(event, OpEvent) and event.device.startswith("CPU")
    }
    return sum(
        (span.finish - span.start) * threads_of(works[span.number], machine.processor) / cores
        for span in spans
        if span.number in works
    )
