"""A program run on planned GPUs until its first training steps are done.

Tensors of planned GPUs have shapes and no contents, so nothing is computed there and no memory is
taken, whatever the size of the model. All else is the program's real run: its Python, its input on
the host, its files. It is stopped by an exception once enough steps were seen.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from placewise.core.scope import Unit, current, watch
from placewise.cost.trace import OpEvent, Trace
from placewise.devices.inventory import inventory, plan_on
from placewise.eager import observe
from placewise.eager.log import Copy, Entry, Executed
from placewise.forecast.batch_growth import BatchGrowth, Moment
from placewise.forecast.known_contents import KnownContents
from placewise.forecast.names import short
from placewise.forecast.peaks import Crossing, PeakWatch, Rise, VariableMemory
from placewise.forecast.trace_log import Event, TraceLog
from placewise.graph.collections import GraphKeys
from placewise.memory import ledgers
from placewise.memory.exhausted import Holder
from placewise.memory.variables import by_owner
from placewise.ops.contentless import assumptions
from placewise.ops.values import Handle

_LARGEST = 10
_ALARM_SECONDS = 0.5  # that a program which runs ops has to end by itself
# Keras asks which kinds of devices there are, not how many.
_IGNORED_LISTINGS = {("keras.src.trainers.trainer", "_resolve_auto_jit_compile")}
_MOST_PARTS = 64  # updates of different variables that make one step at most


class StepsDone(BaseException):
    """Ends a program whose steps were seen. No Exception: programs catch those and go on."""


@dataclass(frozen=True, slots=True)
class MemoryForecast:
    """The memory of one planned GPU: what it would hold at its peak."""

    device: str  # "GPU:0"
    limit_bytes: int
    peak_bytes: int
    variables_bytes: int  # of all variables but slots, at the peak
    slots_bytes: int  # of variables that optimizers keep beside the trained ones
    activations_bytes: int  # all else at the peak
    first_crossing: Crossing | None = None
    holders: tuple[Holder, ...] = ()  # the ten largest at the peak
    rises: tuple[Rise, ...] = ()  # new peaks, each at least 1 % above the last
    moments: tuple[Moment, ...] = ()  # of a step that may be the peak with another batch
    trainable_bytes: int = 0

    @property
    def fits(self) -> bool:
        """Whether the limit is never exceeded."""
        return self.peak_bytes <= self.limit_bytes


@dataclass(frozen=True, slots=True)
class Fallback:
    """Ops of one type that run on the CPU of a machine with GPUs, and why."""

    op: str
    device: str
    reason: str
    count: int
    line: str = ""  # of the first


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a dry run found.

    `trace` is the last complete step; without any training step, all that ran since the last call
    of a session or function. `steps` counts the training steps that were seen, one of which only
    warms up: it traces functions and makes slots.
    """

    machine: str
    trace: Trace
    memory: tuple[MemoryForecast, ...]
    steps: int
    batch: int | None = None
    fallbacks: tuple[Fallback, ...] = ()
    notes: tuple[str, ...] = ()
    elapsed_seconds: float = 0.0
    ended: str = "steps"  # or "program", "seconds": what ended it
    has_listed_devices: bool = False  # the program asked which devices there are

    @property
    def serves_fewer_gpus(self) -> bool:
        """Whether the program would do the same on a machine with fewer GPUs, but one at least.

        It does if it never asked how many there are and used the first alone.
        """
        is_single = all(not memory.peak_bytes for memory in self.memory[1:])
        devices = {event.device for event in self.trace.events if isinstance(event, OpEvent)}
        return is_single and not self.has_listed_devices and devices <= {"CPU:0", "GPU:0"}

    @property
    def trainable_bytes(self) -> int:
        """The bytes of trainable variables on the GPU that has most of them."""
        return max((memory.trainable_bytes for memory in self.memory), default=0)

    @property
    def has_trained(self) -> bool:
        """Whether a training step was seen."""
        return self.steps > 0


@dataclass(slots=True)
class _Variables:
    """Which variables a step has read and written."""

    read: set[int] = field(default_factory=set)
    trained: dict[int, Any] = field(default_factory=dict)
    updates: set[tuple[int, int]] = field(default_factory=set)  # by variable and step of a plan


class _Steps(TraceLog):
    """Finds out where training steps begin and end, and stops the program after enough of them.

    A step ends when a session's run or a function's call ends in which a trainable variable was
    read and written, or when the next such call or tape begins after eager updates. Steps that
    train other variables in turn (a generator, a discriminator) are parts of one step, which ends
    when the variables of the first part are trained again. In a function that loops over steps, a
    step lasts from one update to the next.
    """

    def __init__(self, steps: int, max_seconds: float | None) -> None:
        super().__init__()
        self.wanted = steps
        self.began = time.monotonic()
        self.max_seconds = max_seconds
        self.seen = 0  # complete steps
        self.step: list[Event] = []  # the last complete one
        self.batch: int | None = None
        self._is_split = False  # the batch, over GPUs
        self.growths: dict[str, BatchGrowth] = {}  # by device, from the second step on
        self.ended = "program"
        self.trainable_names: set[str] = set()
        self._names_of: dict[int, int] = {}  # of each graph, how many were seen
        self._variables = _Variables()
        self._parts: list[frozenset[int]] = []
        self._depth = threading.local()
        self._thread = threading.get_ident()  # that of the program
        self._stopped_in: int | None = None
        self.has_listed = False

    # What is heard.

    def listing(self) -> None:
        """Hear that the program asks which devices there are."""
        # This frame, the hook's, the function that lists, and who calls that.
        caller = sys._getframe(3)
        if (caller.f_globals.get("__name__"), caller.f_code.co_name) not in _IGNORED_LISTINGS:
            self.has_listed = True

    def ran(self, entry: Entry, executed: Executed) -> None:
        """Add an op that ran, and see which variables it touches."""
        self._check_time()
        if self._is_aside():
            return
        super().ran(entry, executed)
        self._touch(executed)
        self._follow_growth(entry, executed)

    def moved(self, copy: Copy, content: Any) -> None:
        """Add a transfer."""
        if not self._is_aside():
            super().moved(copy, content)

    def _is_aside(self) -> bool:
        """Return whether this thread runs a session beside the program: it fills a queue.

        Threads of replicas run eager ops, which are part of the step.
        """
        is_other = threading.get_ident() != self._thread
        return is_other and getattr(self._depth, "count", 0) > 0

    def _follow_growth(self, entry: Entry, executed: Executed) -> None:
        """See how the memory of a device grows with the batch, once that is known."""
        device = inventory().find(entry.device) if self.batch else None
        ledger = None if device is None else ledgers.ledger_of(device)
        if ledger is None:
            return
        name = short(entry.device)
        if name not in self.growths:
            shapes = {tuple(owner.content.shape) for owner in by_owner().values()}
            gpus = {event.device for event in self.step if isinstance(event, OpEvent)} - {"CPU:0"}
            parts = max(len(gpus), 1) if self._is_split else 1
            share = max((self.batch or 1) // parts, 1)
            self.growths[name] = BatchGrowth(share, frozenset(shapes))
        self.growths[name].made(executed.outputs, ledger.pending.in_use_bytes())

    def _touch(self, executed: Executed) -> None:
        op = executed.op
        for place, content in enumerate(executed.inputs):
            if type(content) is not Handle or content.kind not in ("Var", "Ref"):
                continue
            number = id(content)
            if place or not op.stateful or op.effects == "reads":
                self._variables.read.add(number)
                continue
            # An assignment alone sets a variable; anything else changes what it had.
            if self._is_trainable(content) and (not op.assigns or number in self._variables.read):
                self._update(content, executed.step)

    def _update(self, handle: Handle, step: Any) -> None:
        """Take down that a variable was trained; again by the same step of a plan, it is a loop."""
        if step is not None:
            update = (id(handle), id(step))
            if update in self._variables.updates:
                self._end_part()  # a loop over steps inside of one function: an iteration is one
            self._variables.updates.add(update)
        self._variables.trained[id(handle)] = handle

    def _is_trainable(self, handle: Handle) -> bool:
        named = handle.named
        if named is None:
            return False
        if named.trainable is None:
            return named.name in self.trainable_names
        return bool(named.trainable)

    def unit(self, unit: Unit) -> None:
        """Hear of the beginning or the end of a run, a call or a tape."""
        if unit.graph is not None and not unit.is_end:
            self._learn_names(unit.graph)
        depth = getattr(self._depth, "count", 0)
        if threading.get_ident() != self._thread:
            if unit.kind != "tape":
                self._depth.count = depth + (-1 if unit.is_end else 1)
            return
        if unit.kind == "tape":
            if not depth and not current.tapes:
                self._end_part()
            return
        self._depth.count = depth = depth + (-1 if unit.is_end else 1)
        is_outermost = depth == (0 if unit.is_end else 1) and not current.tapes
        if is_outermost and not unit.failed:
            self._end_part()
        if is_outermost and not unit.is_end:
            if not self.seen and not self._variables.trained:
                self.begin_step()  # of a program that trains nothing, the last call is kept
            if unit.kind == "session":
                # A run computes what it assigns: reads of runs before it have no part in that.
                self._variables.read.clear()
                self.batches.fed(unit.inputs)

    def _learn_names(self, graph: Any) -> None:
        count = len(getattr(graph, "_operations", ()))
        if self._names_of.get(id(graph)) != count and hasattr(graph, "get_collection"):
            self._names_of[id(graph)] = count
            for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
                self.trainable_names.add(variable.name.partition(":")[0])

    # Steps.

    def _end_part(self) -> None:
        """End the part of a step that has trained variables, and perhaps the step."""
        trained = self._variables.trained
        if not trained:
            return
        part = frozenset(trained)
        self._variables = _Variables()
        self._parts.append(part)
        is_warm_up = self.seen == 0
        if not is_warm_up and part != self._parts[0] and len(self._parts) < _MOST_PARTS:
            return
        self.seen += 1
        self._parts = [self._parts[0]]
        self._keep()
        if self.seen > self.wanted:
            self.stop("steps")

    def _keep(self) -> None:
        self.batch = self.batches.size() or self.batch
        self._is_split = self.batches.is_split()
        self.step = self.begin_step()

    def finish(self) -> None:
        """Take what the program has done when it ended by itself.

        A step that the end of the time has interrupted is no step.
        """
        trained = {} if self.ended == "seconds" else self._variables.trained
        if trained or not self.seen:
            self.seen += 1 if trained else 0
            self._keep()

    def stop(self, why: str) -> None:
        """End the program."""
        self.ended = why
        self._stopped_in = threading.get_ident()
        raise StepsDone

    def end_time(self) -> None:
        """End the program because its time is over, unless it is being ended already."""
        if self._stopped_in is None:
            self.stop("seconds")

    def _check_time(self) -> None:
        if self._stopped_in is not None:
            # The thread that was stopped runs its `finally` blocks; all others end too.
            if threading.get_ident() != self._stopped_in:
                raise StepsDone
        elif self.max_seconds is not None and time.monotonic() - self.began > self.max_seconds:
            self.stop("seconds")


def dry_run(
    run: Callable[[], object],
    machine: str,
    *,
    steps: int = 1,
    max_seconds: float | None = None,
) -> DryRun:
    """Run a program on planned GPUs of a machine and return what it would need and do there.

    `run`: the program; it is ended by an exception inside of it when its steps were seen.
    `machine`: a comma list of `[N x]MODEL[:MEMORY][@BUS]`, as for `simulate`.
    `steps`: how many training steps to see after the first one, which warms up.
    `max_seconds`: end it after so long, whatever was seen.

    Raises what the program raises. Files that the program writes are written.
    """
    log = _Steps(steps, max_seconds)
    before = dict(assumptions.counts)
    with plan_on(machine), _in_every_thread(KnownContents()), _heard(log):
        watches = _Watches()
        with suppress(StepsDone, SystemExit), _alarm(log):
            run()
        log.finish()
        memory = watches.forecasts(log.trainable_names, log.growths)
        gpus = bool(inventory().of_kind("GPU"))
    counts = {text: count - before.get(text, 0) for text, count in assumptions.counts.items()}
    notes = [
        f"{text} ({count} times)" if count > 1 else text for text, count in counts.items() if count
    ]
    if not log.seen:
        notes.insert(0, "no training step was seen")
    return DryRun(
        machine,
        Trace(log.step, log.batch),
        memory,
        log.seen,
        log.batch,
        tuple(_fallbacks(log.step)) if gpus else (),
        tuple(notes),
        time.monotonic() - log.began,
        log.ended,
        log.has_listed,
    )


@contextmanager
def _alarm(log: _Steps) -> Iterator[None]:
    """End the program when its time is over even if no op runs: it may wait for an empty queue.

    A signal is what reaches a thread that waits; only the main thread gets it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if log.max_seconds is None or not is_main or not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: log.end_time())
    signal.setitimer(signal.ITIMER_REAL, log.max_seconds + _ALARM_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _in_every_thread(known: KnownContents) -> Iterator[None]:
    """Let this thread, and each that is started meanwhile, compute without contents."""
    start = threading.Thread.start

    def start_with_mode(thread: threading.Thread) -> None:
        run = thread.run

        def run_with_mode() -> None:
            with known.for_thread(), suppress(StepsDone):
                run()

        # Of the thread object: a subclass has a `run` of its own.
        thread.run = run_with_mode  # type: ignore[method-assign]
        start(thread)

    threading.Thread.start = start_with_mode  # type: ignore[method-assign, assignment]
    try:
        with known.for_thread():
            yield
    finally:
        threading.Thread.start = start  # type: ignore[method-assign]


@contextmanager
def _heard(log: _Steps) -> Iterator[None]:
    """Let a log hear of ops, transfers, copies and units."""
    with observe.recording(log):
        before = watch.copied, watch.unit, watch.listing
        watch.copied, watch.unit, watch.listing = log.copied, log.unit, log.listing
        try:
            yield
        finally:
            watch.copied, watch.unit, watch.listing = before


class _Watches:
    """The watches of all planned GPUs; each begins when the pool of its GPU is opened."""

    def __init__(self) -> None:
        self._watches: list[PeakWatch] = []
        self._stop = ledgers.on_open(self._opened)

    def _opened(self, ledger: Any) -> None:
        if not ledger.device.has_contents:
            watched = PeakWatch(ledger, ledger.budget.limit_bytes)
            watched.begin()
            self._watches.append(watched)

    def forecasts(
        self, trainable: set[str], growths: dict[str, BatchGrowth]
    ) -> tuple[MemoryForecast, ...]:
        """Return what each GPU holds at its peak, and stop watching."""
        self._stop()
        for watched in self._watches:
            watched.end()
        used = {short(watched.ledger.device.name): watched for watched in self._watches}
        return tuple(
            _forecast(
                name,
                used.get(name),
                device.memory_limit_bytes or 0,
                trainable,
                growths.get(name),
            )
            for device in inventory().of_kind("GPU")
            for name in [short(device.name)]
        )


def _forecast(
    name: str,
    watched: PeakWatch | None,
    limit_bytes: int,
    trainable: set[str],
    growth: BatchGrowth | None,
) -> MemoryForecast:
    if watched is None:
        return MemoryForecast(name, limit_bytes, 0, 0, 0, 0)
    trainable = trainable | {one.name for one in watched.variables if one.trainable}
    slots = sum(one.nbytes for one in watched.variables if _is_slot(one, trainable))
    every = sum(one.nbytes for one in watched.variables)
    trained = sum(one.nbytes for one in watched.variables if one.trainable or one.name in trainable)
    return MemoryForecast(
        name,
        watched.limit_bytes,
        watched.peak_bytes,
        every - slots,
        slots,
        max(watched.peak_bytes - every, 0),
        watched.first_crossing,
        tuple(watched.holders[:_LARGEST]),
        tuple(watched.rises),
        () if growth is None else tuple(growth.moments),
        trained,
    )


def _is_slot(variable: VariableMemory, trainable: set[str]) -> bool:
    """Return whether an optimizer keeps a variable beside a trained one.

    TensorFlow 1 names slots after the variable ("w/Adam"), Keras after the optimizer, whose name
    stands first ("adam/w_momentum"), where the model's other variables have the model's or layer's.
    """
    path, names = variable.name, trainable
    if variable.trainable or path in names:
        return False
    while "/" in path:
        path = path.rpartition("/")[0]
        if path in names:
            return True
    is_scoped = "/" in variable.name and len(variable.shape) > 0
    return is_scoped and path not in {name.partition("/")[0] for name in names}


def _fallbacks(events: list[Event]) -> Iterator[Fallback]:
    """Yield the ops of a step that run elsewhere than they would prefer, by type."""
    groups: dict[tuple[str, str, str], list[OpEvent]] = {}
    for event in events:
        if isinstance(event, OpEvent) and event.fell_back:
            groups.setdefault((event.op, event.device, event.reason), []).append(event)
    for (op, device, reason), several in groups.items():
        yield Fallback(op, device, reason, len(several), several[0].line)
