"""A step on one GPU made a step on several: data parallel, gradients summed by all-reduce.

Each GPU does what the one did, on a batch of its own. Gradients are summed before they are applied:
one all-reduce for each gradient, or for buckets of them, as Horovod and MirroredStrategy pack them.
"""

from __future__ import annotations

from dataclasses import replace

from placewise.cost.trace import CopyEvent, OpEvent, Trace

_DENSE = ("matmul", "conv", "conv_gradient", "rnn")
BUCKET_BYTES = 64 << 20  # Horovod's fusion buffer


def replicate(
    trace: Trace,
    count: int,
    gradient_bytes: int | None = None,
    bucket_bytes: int = BUCKET_BYTES,
    written: int | None = None,
) -> Trace:
    """Return the step of `count` GPUs, each of which does what `GPU:0` does in the trace.

    `gradient_bytes`: what all gradients take together; without it, the updates of the trace tell,
    if they are an optimizer's own ops. `bucket_bytes`: gradients
    are summed when so much of them is there; 0 sums each by itself. `written`: how many replicas
    to write down; they are alike, so that one is enough where nothing but the sums is shared.
    """
    if count < 2:
        return trace
    gradients = _gradients(trace)
    if gradient_bytes:
        gradients = _scaled(gradients, gradient_bytes) or _after_last_product(trace, gradient_bytes)
    buckets = _buckets(gradients, bucket_bytes)
    return _Copier(trace, count, buckets, written or count).run()


def _gradients(trace: Trace) -> list[tuple[int, int, frozenset[int]]]:
    """Return the event that makes each gradient, its bytes, and who waits for the sum."""
    gradients: dict[int, tuple[int, set[int]]] = {}
    updates = [e for e in trace.events if isinstance(e, OpEvent) and "Apply" in e.op]
    # Variables, slots and rates depend on nothing, or on the update before.
    computed = {event.number for event in trace.events if event.inputs}
    computed -= {event.number for event in updates}
    for event in updates:
        sources = computed.intersection(event.inputs)
        if sources:
            size = event.work.read_bytes - event.work.written_bytes
            gradients.setdefault(max(sources), (size, set()))[1].add(event.number)
    return [(source, size, frozenset(who)) for source, (size, who) in gradients.items()]


def _scaled(
    gradients: list[tuple[int, int, frozenset[int]]], nbytes: int
) -> list[tuple[int, int, frozenset[int]]]:
    """Return gradients that take so many bytes together."""
    total = sum(size for _, size, _ in gradients)
    return [
        (source, size * nbytes // max(total, 1), who) for source, size, who in gradients if total
    ]


def _after_last_product(trace: Trace, nbytes: int) -> list[tuple[int, int, frozenset[int]]]:
    dense = [e.number for e in trace.events if isinstance(e, OpEvent) and e.work.kind in _DENSE]
    if not dense:
        return []
    last = max(dense)
    return [(last, nbytes, frozenset(e.number for e in trace.events if e.number > last))]


def _buckets(
    gradients: list[tuple[int, int, frozenset[int]]], bucket_bytes: int
) -> list[tuple[set[int], int, set[int]]]:
    """Return the gradients packed in the order in which they are made."""
    buckets: list[tuple[set[int], int, set[int]]] = []
    sources: set[int] = set()
    size, readers = 0, set[int]()
    for source, nbytes, who in sorted(gradients):
        sources.add(source)
        readers |= who
        size += nbytes
        if size >= bucket_bytes:
            buckets.append((sources, size, readers))
            sources, size, readers = set(), 0, set()
    if sources:
        buckets.append((sources, size, readers))
    return buckets


class _Copier:
    """Writes the events of all replicas one after the other, then the sums they share."""

    def __init__(
        self,
        trace: Trace,
        count: int,
        buckets: list[tuple[set[int], int, set[int]]],
        written: int,
    ) -> None:
        self.trace, self.count, self.buckets, self.written = trace, count, buckets, written
        self.length = max((event.number for event in trace.events), default=-1) + 1

    def run(self) -> Trace:
        events: list[OpEvent | CopyEvent] = []
        first_sum = self.written * self.length
        waits: dict[int, set[int]] = {}
        members = tuple(f"GPU:{index}" for index in range(self.count))
        for index, (sources, nbytes, readers) in enumerate(self.buckets):
            number = first_sum + index
            inputs = tuple(
                replica * self.length + source
                for replica in range(self.written)
                for source in sorted(sources)
            )
            ends = members[0], members[-1]
            events.append(CopyEvent(number, *ends, nbytes, "all_reduce", inputs, members=members))
            # What was updated before a sum is complete does not wait for it.
            for reader in (one for one in readers if one > max(sources)):
                waits.setdefault(reader, set()).add(number)
        events += [
            self._moved(event, replica, waits.get(event.number, set()))
            for replica in range(self.written)
            for event in self.trace.events
        ]
        batch = None if self.trace.batch is None else self.trace.batch * self.count
        return Trace(sorted(events, key=lambda event: event.number), batch)

    def _moved(
        self, event: OpEvent | CopyEvent, replica: int, also: set[int]
    ) -> OpEvent | CopyEvent:
        """Return an event as another replica has it."""
        offset = replica * self.length
        inputs = tuple(sorted({source + offset for source in event.inputs} | also))
        if isinstance(event, OpEvent):
            return replace(
                event,
                number=event.number + offset,
                inputs=inputs,
                device=_device(event.device, replica),
            )
        return replace(
            event,
            number=event.number + offset,
            inputs=inputs,
            source=_device(event.source, replica),
            target=_device(event.target, replica),
        )


def _device(device: str, replica: int) -> str:
    return f"GPU:{replica}" if device.startswith("GPU") else device
