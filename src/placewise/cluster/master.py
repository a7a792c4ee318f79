"""The master of a session: places its graph on all tasks, cuts it, and runs the parts of a step.

The master lives in the task that a session's target names. The session may be in the same process,
then its own graph is used, or in another one, then the graph arrives as GraphDefs.
"""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from dataclasses import dataclass
from typing import Any

import grpc

from placewise import messages
from placewise.cluster.channels import WORKER, Peer, chunks
from placewise.cluster.foreign_state import ForeignTasks
from placewise.cluster.membership import Member, find_members
from placewise.cluster.partition import cut
from placewise.cluster.parts import compile_part, to_message
from placewise.cluster.status import to_status
from placewise.cluster.task import TaskDevice
from placewise.cluster.tensors import INLINE_BYTES, from_message, size_bytes, to_frames
from placewise.cluster.tensors import to_message as tensor_to_message
from placewise.cluster.watch import push_watched, watching
from placewise.cluster.wire import message
from placewise.cluster.worker import AloneStep, LocalPart, Worker, deadline_after
from placewise.core.errors import AbortedError, CancelledError, UnavailableError
from placewise.graph.tensor import GraphTensor
from placewise.ops.values import from_numpy
from placewise.session.placement import SessionPlacement

_ABORT_SECONDS = 2.0


@dataclass
class RemotePart:
    """A part that another task runs; `feeds` and `fetches` are places among those of the run."""

    peer: Peer
    number: int
    feeds: list[int]
    fetches: list[int]


@dataclass
class Run:
    """What is done for one set of fetches and feeds."""

    version: int  # of the graph
    local: LocalPart | None
    local_feeds: list[int]
    local_fetches: list[int]
    remote: list[RemotePart]
    fed_fetches: list[tuple[int, int]]  # fetches that are fed: place, place of the feed
    count: int  # of fetched tensors
    is_quick: bool = False

    def finish(self) -> None:
        """Note whether only this task has a part, with feeds and fetches in the run's order."""
        self.is_quick = (
            self.local is not None
            and not (self.remote or self.fed_fetches)
            and self.local_fetches == list(range(self.count))
            and self.local_feeds == list(range(len(self.local_feeds)))
        )


class MasterSession:
    """A session as its master has it."""

    def __init__(self, worker: Worker, graph: Any, config: Any) -> None:
        self.worker, self.task, self.graph = worker, worker.task, graph
        self.name = secrets.token_hex(8)
        self._config = config
        self._is_isolated = bool(config is not None and config.isolate_session_state)
        self._soft = bool(config is not None and config.allow_soft_placement)
        self.members = find_members(self.task, config)
        self._incarnations = {member.name: member.incarnation for member in self.members}
        self.devices = _in_order(self.members, self.task.name)
        self.placement = SessionPlacement(graph, self.devices, config, self)
        self._foreign = ForeignTasks(self)
        self._runs: dict[Any, Run] = {}
        self._by_number: dict[int, Run] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()
        self._steps: dict[Any, Run] = {}  # those that run now
        self.is_closed = False
        self.used = time.monotonic()
        worker.session(self.name, self._is_isolated, create=True)

    def check(self, operations: list[Any]) -> None:
        """Let every operation be placed: all tasks can be reached."""

    # Preparing.

    def prepare(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> Run:
        """Return the run of some fetches and feeds, cut and registered on its tasks."""
        key = (elements, *feeds)
        run = self._runs.get(key)
        if run is None or run.version != self.graph.version:
            with self._lock:
                run = self._runs[key] = self._cut(list(elements), feeds)
        return run

    def _cut(self, elements: list[Any], feeds: list[GraphTensor]) -> Run:
        version = self.graph.version
        placement = self.placement.current()
        parts = cut(elements, feeds, placement, self.task.name)
        tensors = [element for element in elements if isinstance(element, GraphTensor)]
        place_of = {id(tensor): index for index, tensor in enumerate(tensors)}
        fed = {id(tensor): index for index, tensor in enumerate(feeds)}
        run = Run(version, None, [], [], [], [], len(tensors))
        run.fed_fetches = [(place_of[i], fed[i]) for i in place_of if i in fed]
        started = []
        for task, part in parts.items():
            fed_here = [fed[id(tensor)] for tensor in part.feeds]
            fetched = [place_of[id(item)] for item in part.fetches if id(item) in place_of]
            if task == self.task.name:
                session = self.worker.session(self.name)
                executable = compile_part(part, placement, self.task, session.state, self._foreign)
                run.local = LocalPart(part, executable, self.placement.decisions)
                run.local_feeds, run.local_fetches = fed_here, fetched
                session.parts[-len(session.parts) - 1] = run.local  # closed with the session
                continue
            peer = self.task.peer(task)
            spec, raw = self.message_of(part, self.graph, placement)
            started.append((peer, spec, raw, fed_here, fetched))
        for peer, spec, raw, fed_here, fetched in started:
            frames = itertools.chain([spec.SerializeToString()], chunks(raw))
            number = push_watched(peer, f"/{WORKER}/Register", frames).part
            run.remote.append(RemotePart(peer, number, fed_here, fetched))
        run.finish()
        return run

    def message_of(self, part: Any, graph: Any, placement: Any) -> tuple[Any, bytes]:
        """Return a part of this session as a message and the bytes of its GraphDef."""
        spec, raw = to_message(part, graph, placement)
        spec.session, spec.isolated, spec.soft = self.name, self._is_isolated, self._soft
        spec.incarnation = self._incarnations[part.task]
        return spec, raw

    def number_of(self, run: Run) -> int:
        """Return a number by which a session elsewhere names a run."""
        with self._lock:
            for number, known in self._by_number.items():
                if known is run:
                    return number
            number = next(self._numbers)
            self._by_number[number] = run
            return number

    def run_with(self, number: int) -> Run:
        """Return the run with a number."""
        run = self._by_number.get(number)
        if run is None or run.version != self.graph.version:
            raise AbortedError(None, None, f"Run {number} is not known to the master any more.")
        return run

    # Running.

    def run(
        self,
        run: Run,
        contents: list[Any],
        timeout_seconds: float = 0,
        options: Any = None,
        caller: Any = None,
    ) -> tuple[list[Any], list[bytes]]:
        """Run one step; return the fetched contents, and the metadata of all tasks.

        `caller` is told of the step, and cancels it when nobody waits for it any more.
        """
        self._check_open()
        self.used = time.monotonic()
        step = _StepOfParts(self, run, timeout_seconds, options)
        self._steps[step] = run
        if caller is not None:
            caller.waits_for(step)
        try:
            return step.run(contents)
        finally:
            if caller is not None:
                caller.waits_for(None)
            self._steps.pop(step, None)

    def run_alone(self, run: Run, arrays: list[Any], seconds: float, caller: Any) -> Any:
        """Return what a run fetches that only this task has a part in; for the fewest moves."""
        self._check_open()
        self.used = time.monotonic()
        step = AloneStep()
        self._steps[step] = run
        caller.waits_for(step)
        try:
            assert run.local is not None  # noqa: S101 - for mypy
            deadline = self.used + seconds if seconds > 0 else None
            return self.worker.run_alone(run.local, arrays, step, deadline)
        finally:
            caller.waits_for(None)
            self._steps.pop(step, None)

    def _check_open(self) -> None:
        if self.is_closed:
            raise CancelledError(None, None, "Session has been closed.")

    def cancel_steps(self, fetch: Any = None) -> None:
        """End the steps that run now; only those of the run without feeds of a fetch, if given."""
        problem = CancelledError(None, None, "Session was closed.")
        run = self._runs.get(((fetch,),))
        for step, running in list(self._steps.items()):
            if fetch is None or running is run:
                step.cancel(problem)

    def close(self) -> None:
        """End what runs, and forget the session on all tasks."""
        if self.is_closed:
            return
        self.is_closed = True
        self.cancel_steps()
        self.worker.close(self.name)
        peers = {part.peer.name: part.peer for run in self._runs.values() for part in run.remote}
        peers |= self._foreign.peers
        request = message("CloseRequest")(session=self.name)
        calls = [peer.start(f"/{WORKER}/Close", request, _ABORT_SECONDS) for peer in peers.values()]
        grpc_wait(calls, _ABORT_SECONDS)
        self._runs.clear()
        self._by_number.clear()


def grpc_wait(calls: list[Any], seconds: float) -> None:
    """Wait until calls have ended, well or not, for at most so long."""
    end = time.monotonic() + seconds
    for call in calls:
        try:
            call.exception(timeout=max(end - time.monotonic(), 0.001))
        except (grpc.FutureTimeoutError, grpc.FutureCancelledError):
            call.cancel()


def _in_order(members: list[Member], own: str) -> tuple[TaskDevice, ...]:
    first = [device for member in members if member.name == own for device in member.devices]
    rest = []
    for order, member in enumerate([item for item in members if item.name != own], 1):
        for device in member.devices:
            device.order = order
            rest.append(device)
    return tuple(first + rest)


class _StepOfParts:
    """One step: its parts run at the same time; when one fails, all end."""

    def __init__(self, session: MasterSession, run: Run, timeout_seconds: float, options: Any):
        self.session, self._run, self._options = session, run, options
        self.task = session.task
        self.number = secrets.randbits(63) | 1
        self.deadline = deadline_after(timeout_seconds)
        self._timeout = timeout_seconds
        self._problems: list[Exception] = []
        self._lock = threading.Lock()
        self._is_aborted = False
        self._calls: list[tuple[RemotePart, Any]] = []

    def run(self, contents: list[Any]) -> tuple[list[Any], list[bytes]]:
        """Return the fetched contents and the metadata."""
        run = self._run
        results: list[Any] = [None] * run.count
        for place, feed in run.fed_fetches:
            results[place] = from_numpy(contents[feed])
        metadata: list[bytes] = []
        if not run.remote:
            if run.local is not None:
                self._run_local(contents, results, metadata)
            return results, metadata
        with watching([part.peer for part in run.remote], self._fail):
            try:
                for part in run.remote:
                    if not self._is_aborted:
                        self._start(part, contents)
                if run.local is not None:
                    self._run_local(contents, results, metadata)
            except Exception as problem:
                self._fail(problem)
            self._collect(results, metadata)
        if self._problems:
            raise min(self._problems, key=_rank)
        return results, metadata

    def _run_local(self, contents: list[Any], results: list[Any], metadata: list[bytes]) -> None:
        run, worker = self._run, self.session.worker
        assert run.local is not None  # noqa: S101 - for mypy
        fed = run.local.executable.contents([contents[index] for index in run.local_feeds])
        with worker.step(self.number, self.deadline) as step:
            if self._is_aborted:
                raise self._problems[0]
            values, recorded = worker.run(run.local, fed, step, self._options)
        for place, value in zip(run.local_fetches, values or (), strict=True):
            results[place] = value
        if recorded:
            metadata.append(recorded)

    def _start(self, part: RemotePart, contents: list[Any]) -> None:
        fed = [contents[index] for index in part.feeds]
        request = message("RunRequest")(
            session=self.session.name,
            part=part.number,
            step=self.number,
            timeout_seconds=self._timeout,
        )
        options = self._options
        if options is not None and options.trace_level:
            request.trace, request.with_graphs = True, options.output_partition_graphs
        if sum(map(size_bytes, fed)) > INLINE_BYTES:
            request.pushed = True
            push_watched(part.peer, f"/{WORKER}/Push", self._pushed(fed), self._left())
        else:
            request.feeds.extend(map(tensor_to_message, fed))
        call = part.peer.start(f"/{WORKER}/Run", request, self._left())
        self._calls.append((part, call))
        call.add_done_callback(lambda ended, part=part: self._ended(part, ended))

    def _pushed(self, fed: list[Any]) -> Any:
        header = message("PushRequest")(step=self.number, target="feeds", count=len(fed))
        yield header.SerializeToString()
        for key, content in enumerate(fed):
            yield from to_frames(content, key)

    def _left(self) -> float | None:
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.001)

    def _ended(self, part: RemotePart, call: Any) -> None:
        try:
            part.peer.finish(call)
        except Exception as problem:
            if not hasattr(problem, "task"):
                problem.task = part.peer.name  # type: ignore[attr-defined]
            self._fail(problem)

    def cancel(self, problem: Exception) -> None:
        """End the step from another thread."""
        self._fail(problem)

    def _fail(self, problem: Exception) -> None:
        with self._lock:
            self._problems.append(problem)
            if self._is_aborted:
                return
            self._is_aborted = True
        self.task.abort(self.number, problem)
        request = message("AbortRequest")(step=self.number, status=to_status(problem))
        for part, call in list(self._calls):
            if part.peer.name == getattr(problem, "task", ""):
                call.cancel()  # it does not answer any more
            else:
                part.peer.start(f"/{WORKER}/Abort", request, _ABORT_SECONDS)

    def _collect(self, results: list[Any], metadata: list[bytes]) -> None:
        for part, call in self._calls:
            try:
                while True:
                    try:
                        call.exception(timeout=_ABORT_SECONDS if self._is_aborted else 0.5)
                        break
                    except grpc.FutureTimeoutError:
                        if self._is_aborted:
                            call.cancel()
                            break
                if self._is_aborted:
                    continue
                reply = part.peer.finish(call)
                for place, value in zip(part.fetches, self._fetched(part, reply), strict=True):
                    results[place] = value
                if reply.metadata:
                    metadata.append(reply.metadata)
            except grpc.FutureCancelledError:
                continue
            except Exception as problem:
                self._fail(problem)

    def _fetched(self, part: RemotePart, reply: Any) -> list[Any]:
        if not reply.kept:
            return [from_message(item) for item in reply.fetches]
        request = message("PullRequest")(step=self.number, target="fetches", count=reply.kept)
        pulled = part.peer.pull(request, self._left())
        return [pulled.take(key) for key in range(reply.kept)]


def _rank(problem: Exception) -> int:
    """Return how far an error is from the cause: what failed comes before what heard of it."""
    if getattr(problem, "is_relayed", False) and not isinstance(problem, UnavailableError):
        return 2
    if isinstance(problem, (CancelledError, AbortedError)):
        return 1
    return 0


def merged(recorded: list[bytes], metadata: Any) -> None:
    """Put the metadata of all tasks into one message."""
    metadata.Clear()
    for raw in recorded:
        part = messages.RunMetadata()
        part.ParseFromString(raw)
        metadata.MergeFrom(part)
