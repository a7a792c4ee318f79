"""What a task does for the masters of sessions: keeps their parts, and runs them step by step."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from placewise import messages
from placewise.cluster.channels import Pulled
from placewise.cluster.partition import PartSpec
from placewise.cluster.parts import Loaded, compile_part, running
from placewise.cluster.task import Task
from placewise.cluster.wire import message
from placewise.core.cancellation import Cancellation
from placewise.core.errors import AbortedError, OpError
from placewise.core.scope import current, era
from placewise.ops.values import Handle
from placewise.placement.placer import place
from placewise.planning.emission.arrays import on_arrays
from placewise.planning.errors import let_go_of_values
from placewise.session.executable import Executable
from placewise.session.metadata import Trace, fill, set_partition_graphs
from placewise.session.state import SharedState

_MOST_PARTS = 10_000  # of one session
_MOST_SESSIONS = 2_000  # those of masters that were killed stay until there are so many


class TaskState(SharedState):
    """The state that the parts of a session use on a task: containers, and random numbers.

    Parts of different runs have the same operation in graphs of their own: its name finds the
    numbers that it goes on with.
    """

    def __init__(self, handles: dict[Any, Handle]) -> None:
        super().__init__()
        self.handles = handles
        self._streams_by_name: dict[str, Any] = {}

    def stream(self, op: Any) -> Any:
        """Return the random numbers of an operation, which go on from run to run."""
        stream = self._streams_by_name.get(op.name)
        if stream is None:
            stream = self._make_stream(op.attrs["seed"], op.attrs["seed2"])
            self._streams_by_name[op.name] = stream
        return stream


class LocalPart:
    """A part that is ready to run on this task."""

    def __init__(self, part: PartSpec, executable: Executable, decisions: Any = None) -> None:
        self.executable = executable
        self.decisions = decisions or {}
        self.sources = part.sources()
        self.has_sends = bool(part.sends)
        self._shapes = [(tensor._dims, tensor._dtype.base_dtype) for tensor in part.feeds]
        self.on_arrays = None if part.receives or part.sends else on_arrays(executable.plan)

    def array_of(self, arrays: list[Any]) -> Any:
        """Return the one fetched array, computed by NumPy alone; None if that cannot be."""
        if self.on_arrays is None or len(arrays) != len(self._shapes):
            return None
        for array, (dims, dtype) in zip(arrays, self._shapes, strict=True):
            if array.shape != dims or array.dtype != dtype._numpy or not array.flags.carray:
                return None
        try:
            return self.on_arrays(*arrays)
        except Exception:
            return None  # the plan itself raises TensorFlow's error


class WorkerSession:
    """What one session of some master has on this task."""

    def __init__(self, task: Task, is_isolated: bool) -> None:
        self.own_handles: dict[Any, Handle] | None = {} if is_isolated else None
        handles = task.handles if self.own_handles is None else self.own_handles
        self.state = TaskState(handles)
        self.parts: dict[int, LocalPart] = {}
        self.steps: set[int] = set()
        self.used = time.monotonic()


class Step:
    """A step of a part while it runs: what it receives, sends, and what may end it."""

    def __init__(self, task: Task, number: int, deadline: float | None) -> None:
        self.task, self.number, self.deadline = task, number, deadline
        self.cancellation = Cancellation()
        self._pulled: dict[str, Pulled] = {}

    def begin(self, sources: dict[str, int]) -> None:
        """Ask the tasks that the part receives from; they answer as they compute."""
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0.001)
        for source, count in sources.items():
            request = message("PullRequest")(step=self.number, target=self.task.name, count=count)
            self._pulled[source] = self.task.peer(source).pull(request, left)
        # Cancelled meanwhile: whoever did that has not seen these pulls, which nobody may answer.
        self.cancellation.check()

    def receive(self, source: str, key: int) -> Any:
        """Return a tensor that another task sends, waiting for it."""
        pulled = self._pulled[source]
        try:
            return pulled.take(key)
        except OpError as problem:
            self.cancellation.check()  # cancelled: for the reason that was given
            problem.is_relayed = True  # type: ignore[attr-defined]  # the source knows more
            raise

    def send(self, target: str, key: int, content: Any) -> None:
        """Let a tensor wait for the task that reads it."""
        self.cancellation.check()
        self.task.rendezvous.put(self.number, target, key, content)

    def cancel_pulls(self) -> None:
        """Read no more from other tasks."""
        for pulled in list(self._pulled.values()):
            pulled.cancel()


class AloneStep(Cancellation):
    """A step that only one task has a part in."""


class Worker:
    """The sessions of masters on one task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._sessions: dict[str, WorkerSession] = {}
        task.worker = self
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def session(self, name: str, is_isolated: bool = False, create: bool = False) -> WorkerSession:
        """Return what a session has here; AbortedError if this task does not know it."""
        with self._lock:
            session = self._sessions.get(name)
            if session is None:
                if not create:
                    raise AbortedError(
                        None,
                        None,
                        f"Session handle is not found: {name[:64]}. Possibly task "
                        f"{self.task.name} just restarted: it has no state of this session.",
                    )
                self._drop_oldest()
                session = self._sessions[name] = WorkerSession(self.task, is_isolated)
            session.used = time.monotonic()
            return session

    def _drop_oldest(self) -> None:
        """Forget the session that was not used for longest, where masters left too many behind."""
        if len(self._sessions) >= _MOST_SESSIONS:
            idle = [item for item in self._sessions if not self._sessions[item].steps]
            for name in sorted(idle, key=lambda item: self._sessions[item].used)[:1]:
                del self._sessions[name]

    def register(self, spec: Any, raw: bytes) -> int:
        """Keep a part that a master sent, and return its number."""
        if spec.incarnation not in (0, self.task.incarnation):
            said = (
                f"Task {self.task.name} was restarted since the session began: its state is gone."
            )
            raise AbortedError(None, None, said)
        session = self.session(spec.session, spec.isolated, create=True)
        loaded = Loaded(spec, raw, self.task.name)
        operations = loaded.graph.get_operations()
        placed = place(operations, self.task.devices, True, {}, is_tf1=era.is_tf1)
        executable = compile_part(loaded.part, placed.devices, self.task, session.state)
        return self.keep(session, LocalPart(loaded.part, executable, placed.decisions))

    def keep(self, session: WorkerSession, part: LocalPart) -> int:
        """Keep a part that is ready to run, and return its number."""
        if len(session.parts) >= _MOST_PARTS:
            said = f"A session has {_MOST_PARTS} different runs on {self.task.name}; close it."
            raise AbortedError(None, None, said)
        number = next(self._numbers)
        session.parts[number] = part
        return number

    def part(self, session: WorkerSession, number: int) -> LocalPart:
        """Return a part by its number; AbortedError if this task does not know it."""
        part = session.parts.get(number)
        if part is None:
            said = (
                f"Part {number} is not registered. Possibly task {self.task.name} just restarted."
            )
            raise AbortedError(None, None, said)
        return part

    @contextmanager
    def step(self, number: int, deadline: float | None) -> Iterator[Step]:
        """Run a block as a step of this task: its waits end when it is aborted or too late."""
        step = Step(self.task, number, deadline)
        self.task.steps[number] = step.cancellation
        before = current.deadline, current.cancellation
        current.deadline, current.cancellation = deadline, step.cancellation
        table = self.task.rendezvous.enter(number)
        try:
            if table.problem is not None:  # aborted before it began
                raise table.problem
            with step.cancellation.calling(step.cancel_pulls), running(step):
                yield step
        except BaseException as problem:
            self.task.rendezvous.abort(number, _as_error(problem))
            step.cancel_pulls()
            raise
        finally:
            current.deadline, current.cancellation = before
            self.task.steps.pop(number, None)
            self.task.rendezvous.leave(number)

    def run(
        self,
        part: LocalPart,
        contents: list[Any],
        step: Step,
        options: Any = None,
    ) -> tuple[Any, bytes]:
        """Return the fetched contents of a part, and its metadata if `options` ask for them."""
        executable = part.executable
        call: Callable[[list[Any]], Any] = executable.run
        trace = None
        if options is not None and options.trace_level:
            trace = Trace()
            call, contents = executable.program_for(trace, None), [trace, *contents]
        step.begin(part.sources)
        try:
            values = call(contents)
        except BaseException as problem:
            let_go_of_values(problem)
            raise
        if trace is None:
            return values, b""
        metadata = messages.RunMetadata()
        fill(metadata, executable.plan, trace)
        if options.output_partition_graphs:
            set_partition_graphs(metadata, executable.plan)
        return values, metadata.SerializeToString()

    def run_alone(
        self, part: LocalPart, arrays: list[Any], step: AloneStep, deadline: float | None
    ) -> Any:
        """Return the fetched contents of a part that neither sends nor receives."""
        if part.on_arrays is not None:
            array = part.array_of(arrays)
            if array is not None:
                return (array,)
        executable = part.executable
        contents = executable.contents(arrays)
        number = id(step)
        self.task.steps[number] = step
        current.deadline, current.cancellation = deadline, step
        try:
            return executable.run(contents)
        except BaseException as problem:
            let_go_of_values(problem)
            raise
        finally:
            current.deadline = current.cancellation = None
            self.task.steps.pop(number, None)

    def close(self, name: str) -> None:
        """Forget a session, and end what waits for it."""
        with self._lock:
            session = self._sessions.pop(name, None)
        if session is None:
            return
        problem = AbortedError(None, None, "The session was closed.")
        for step in list(session.steps):
            self.task.abort(step, problem)
        for part in session.parts.values():
            part.executable.close()
        for handle in (session.own_handles or {}).values():
            if hasattr(handle.value, "cancel_waiting"):
                handle.value.cancel_waiting()


def _as_error(problem: BaseException) -> Exception:
    if isinstance(problem, Exception):
        return problem
    return AbortedError(None, None, f"The step was ended by {type(problem).__name__}.")


def deadline_after(seconds: float) -> float | None:
    """Return when a step must be over, None if it may last."""
    return time.monotonic() + seconds if seconds > 0 else None
