"""The methods of a server: requests checked, done, and answered; errors go into the reply."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc

from placewise import messages
from placewise.cluster.access import Access
from placewise.cluster.graphs import GrowingGraph
from placewise.cluster.master import MasterSession, merged
from placewise.cluster.status import to_error, to_status
from placewise.cluster.task import describe
from placewise.cluster.tensors import (
    INLINE_BYTES,
    Reader,
    from_message,
    parse,
    size_bytes,
    to_frames,
    to_message,
)
from placewise.cluster.wire import METHODS, WORKER, message
from placewise.cluster.worker import Worker, deadline_after
from placewise.core.errors import (
    AbortedError,
    CancelledError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
)
from placewise.core.log import get_logger
from placewise.memory.host import available_bytes
from placewise.ops.values import to_numpy

MOST_GRAPH_BYTES = 2 << 30  # protobuf's own limit
_MOST_SESSIONS = 1000  # of clients in other processes; those that died closed none
_MOST_DETAILS = 4000  # gRPC sends errors of streams in a header, which must be small
_CODES = {code.value[0]: code for code in grpc.StatusCode}


class Handlers(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpc ships no types
    """Finds the function of a method, behind the check of who calls."""

    def __init__(self, worker: Worker, access: Access) -> None:
        self._access = access
        self._methods: dict[str, Any] = {}
        work, serve = WorkerService(worker), MasterService(worker)
        for path in METHODS:
            service = work if path.startswith(f"/{WORKER}/") else serve
            self._methods[path] = self._handler(path, getattr(service, path.rpartition("/")[2]))

    def service(self, handler_call_details: Any) -> Any:
        """Return the handler of a call."""
        return self._methods.get(handler_call_details.method)

    def _handler(self, path: str, function: Callable[..., Any]) -> Any:
        kind, request, reply = METHODS[path]
        if kind == "chat":
            return grpc.stream_stream_rpc_method_handler(
                self._chatting(function, request, message(reply))
            )
        if kind == "pull":
            return grpc.unary_stream_rpc_method_handler(self._streaming(function, request))
        make = (
            grpc.unary_unary_rpc_method_handler
            if kind == "call"
            else grpc.stream_unary_rpc_method_handler
        )
        wanted = request if kind == "call" else None
        return make(self._answering(function, wanted, message(reply)))

    def _check_caller(self, context: Any) -> None:
        refusal = self._access.refusal(context)
        if refusal:
            context.abort(grpc.StatusCode.PERMISSION_DENIED, refusal)

    def _answering(self, function: Callable[..., Any], request: str | None, reply: Any) -> Any:
        def answer(received: Any, context: Any) -> bytes:
            self._check_caller(context)
            try:
                arrived = received if request is None else parse(request, received)
                answered = function(arrived, context)
            except Exception as problem:
                answered = reply(status=to_status(_logged(problem)))
            raw: bytes = answered.SerializeToString()
            return raw

        return answer

    def _chatting(self, function: Callable[..., Any], request: str, reply: Any) -> Any:
        answer = self._answering(function, request, reply)

        def chat(received: Iterator[bytes], context: Any) -> Iterator[bytes]:
            caller = Caller(context)
            for frame in received:
                yield answer(frame, caller)

        return chat

    def _streaming(self, function: Callable[..., Any], request: str) -> Any:
        def answer(received: bytes, context: Any) -> Iterator[bytes]:
            self._check_caller(context)
            try:
                yield from function(parse(request, received), context)
            except Exception as problem:
                status = to_status(_logged(problem))
                code = _CODES.get(status.code, grpc.StatusCode.UNKNOWN)
                context.abort(code, status.message[:_MOST_DETAILS])

        return answer


def _logged(problem: Exception) -> Exception:
    if not isinstance(problem, (OpError, ValueError, TypeError)):
        get_logger().warning("A request failed: %r", problem)
    return problem


class Caller:
    """Who asks for steps on a stream; when it is gone, the step that runs for it ends."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._step: Any = None
        context.add_callback(self._leave)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def waits_for(self, step: Any) -> None:
        """Note the step that runs for it; None when it has ended."""
        self._step = step
        if step is not None and not self._context.is_active():
            self._leave()

    def _leave(self) -> None:
        if self._step is not None:
            self._step.cancel(_given_up())


class WorkerService:
    """What masters and other tasks ask of a task."""

    def __init__(self, worker: Worker) -> None:
        self._worker, self._task = worker, worker.task

    def Describe(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's names
        """Return the devices of the task."""
        task = self._task
        reply = message("DescribeReply")(
            job=task.job, task=task.index, incarnation=task.incarnation
        )
        reply.devices.extend(task.describe())
        return reply

    def Register(self, frames: Any, context: Any) -> Any:  # noqa: N802
        """Keep a part of a graph."""
        spec = parse("Part", next(frames, b""))
        raw = _gathered(frames, spec.graph_bytes)
        return message("RegisterReply")(part=self._worker.register(spec, raw))

    def Run(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Run a part for one step."""
        worker, task = self._worker, self._task
        session = worker.session(request.session)
        part = worker.part(session, request.part)
        deadline = deadline_after(request.timeout_seconds)
        options = None
        if request.trace:
            options = messages.RunOptions(
                trace_level=messages.RunOptions.FULL_TRACE,
                output_partition_graphs=request.with_graphs,
            )
        number = request.step
        session.steps.add(number)
        is_over = threading.Event()
        # The master is gone, or does not want the step any more.
        context.add_callback(lambda: None if is_over.is_set() else task.abort(number, _given_up()))
        try:
            with worker.step(number, deadline) as step:
                fed = self._fed(request, len(part.executable.plan.feeds))
                values, metadata = worker.run(part, fed, step, options)
        finally:
            is_over.set()
            session.steps.discard(number)
        reply = message("RunReply")(metadata=metadata)
        values = list(values or ())
        if sum(map(size_bytes, values)) <= INLINE_BYTES:
            reply.fetches.extend(map(to_message, values))
        else:
            for key, value in enumerate(values):
                task.rendezvous.put(number, "fetches", key, value)
            reply.kept = len(values)
        return reply

    def _fed(self, request: Any, count: int) -> list[Any]:
        if request.pushed:
            pushed = dict(self._task.rendezvous.take(request.step, "feeds", count, lambda: True))
            fed = [pushed.get(key) for key in range(count)]
        else:
            fed = [from_message(item) for item in request.feeds]
        if len(fed) != count or any(content is None for content in fed):
            raise InvalidArgumentError(None, None, f"{len(fed)} values for {count} feeds.")
        return fed

    def Pull(self, request: Any, context: Any) -> Iterator[bytes]:  # noqa: N802
        """Send the tensors that a step has for another task."""
        rendezvous = self._task.rendezvous
        context.add_callback(lambda: rendezvous.wake(request.step))
        tensors = rendezvous.take(request.step, request.target, request.count, context.is_active)
        for key, content in tensors:
            yield from to_frames(content, key)

    def Push(self, frames: Any, context: Any) -> Any:  # noqa: N802
        """Keep tensors for a step that is about to run."""
        header = parse("PushRequest", next(frames, b""))
        reader = Reader(frames)
        for _ in range(header.count):
            item = reader.next()
            if item is None:
                raise InvalidArgumentError(None, None, "Fewer tensors than announced.")
            _check_memory(item[1])
            self._task.rendezvous.put(header.step, header.target, *item)
        return message("Reply")()

    def Abort(self, request: Any, context: Any) -> Any:  # noqa: N802
        """End a step."""
        self._task.abort(request.step, to_error(request.status))
        return message("Reply")()

    def Close(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Forget a session."""
        self._worker.close(request.session)
        return message("Reply")()

    def Reset(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Drop the state in containers."""
        self._task.reset(list(request.containers))
        return message("Reply")()


def _check_memory(content: Any) -> None:
    """Raise ResourceExhaustedError for a pushed tensor that takes most of the free memory."""
    size, left = size_bytes(content), available_bytes()
    if size > left // 2:
        said = f"A tensor of {size} bytes was pushed, and this task has {left} bytes left."
        raise ResourceExhaustedError(None, None, said)


def _given_up() -> Exception:
    return CancelledError(None, None, "The session that ran this step is gone.")


def _gathered(frames: Any, size: int) -> bytes:
    """Return so many bytes of a stream; raises if there are others, or too many."""
    if not 0 <= size <= MOST_GRAPH_BYTES:
        raise InvalidArgumentError(
            None, None, f"A graph of {size} bytes is too large; the limit is {MOST_GRAPH_BYTES}."
        )
    raw = bytearray()
    for frame in frames:
        raw += frame
        if len(raw) > size:
            break
    if len(raw) != size:
        raise InvalidArgumentError(None, None, f"{len(raw)} bytes of a graph of {size}.")
    return bytes(raw)


class MasterService:
    """What sessions of other processes ask of the task that their target names."""

    def __init__(self, worker: Worker) -> None:
        self._worker, self._task = worker, worker.task
        self._sessions: dict[str, tuple[MasterSession, GrowingGraph, threading.Lock]] = {}

    def _session(self, name: str) -> MasterSession:
        known = self._sessions.get(name)
        if known is None:
            raise AbortedError(
                None,
                None,
                f"Session {name[:64]} is not found. Possibly, this master has restarted.",
            )
        return known[0]

    def _drop_oldest(self) -> None:
        """Close the session that was not used for longest, where clients left too many behind."""
        while len(self._sessions) >= _MOST_SESSIONS:
            name = min(self._sessions, key=lambda item: self._sessions[item][0].used)
            self._sessions.pop(name)[0].close()

    def Open(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Begin a session."""
        config = messages.ConfigProto()
        try:
            config.ParseFromString(request.config)
        except Exception:
            raise InvalidArgumentError(
                None, None, "A malformed ConfigProto was received."
            ) from None
        self._drop_oldest()
        growing = GrowingGraph()
        session = MasterSession(self._worker, growing.graph, config)
        self._sessions[session.name] = session, growing, threading.Lock()
        reply = message("OpenReply")(session=session.name)
        reply.devices.extend(map(describe, session.devices))
        return reply

    def Extend(self, frames: Any, context: Any) -> Any:  # noqa: N802
        """Add nodes to the graph of a session."""
        request = parse("ExtendRequest", next(frames, b""))
        self._session(request.session)
        raw = _gathered(frames, request.graph_bytes)
        _, growing, lock = self._sessions[request.session]
        with lock:
            growing.extend(raw)
        return message("Reply")()

    def Prepare(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Place and cut the graph for some fetches and feeds."""
        session = self._session(request.session)
        graph = session.graph
        elements = tuple(_element(graph, name) for name in request.fetches)
        feeds = [_element(graph, name) for name in request.feeds]
        run = session.prepare(elements, feeds)
        return message("PrepareReply")(run=session.number_of(run))

    def Step(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Run one step."""
        session = self._session(request.session)
        run = session.run_with(request.run)
        options = None
        if request.options:
            options = messages.RunOptions()
            options.ParseFromString(request.options)
        if request.pushed:
            taken = self._task.rendezvous.take(request.pushed, "feeds", 1 << 30, lambda: False)
            pushed = dict(taken)
            fed = [to_numpy(pushed[key]) for key in sorted(pushed)]
        else:
            fed = [to_numpy(from_message(item)) for item in request.feeds]
        caller = context if isinstance(context, Caller) else Caller(context)
        values, recorded = session.run(run, fed, request.timeout_seconds, options, caller)
        reply = message("StepReply")()
        if recorded:
            metadata = messages.RunMetadata()
            merged(recorded, metadata)
            reply.metadata = metadata.SerializeToString()
        if sum(map(size_bytes, values)) <= INLINE_BYTES:
            reply.fetches.extend(map(to_message, values))
        else:
            reply.kept, reply.count = time.monotonic_ns(), len(values)
            for key, value in enumerate(values):
                self._task.rendezvous.put(reply.kept, "session", key, value)
        return reply

    def Steps(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Run one step of many that come on one stream."""
        return self.Step(request, context)

    def Close(self, request: Any, context: Any) -> Any:  # noqa: N802
        """End a session."""
        known = self._sessions.pop(request.session, None)
        if known is not None:
            known[0].close()
        return message("Reply")()

    def Reset(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Drop the state in containers of all tasks, and close the sessions of this master."""
        for name in list(self._sessions):
            self._sessions.pop(name)[0].close()
        reset_cluster(self._task, list(request.containers))
        return message("Reply")()


def reset_cluster(task: Any, containers: list[str]) -> None:
    """Drop the state in containers of all tasks of a cluster."""
    task.reset(containers)
    request = message("ResetRequest")(containers=containers)
    for name in task.tasks():
        if name != task.name:
            task.peer(name).call(f"/{WORKER}/Reset", request, timeout=10.0)


def _element(graph: Any, name: str) -> Any:
    try:
        return graph.as_graph_element(name)
    except (KeyError, ValueError, TypeError):
        raise InvalidArgumentError(
            None, None, f"The session's graph has no '{name[:200]}'."
        ) from None
