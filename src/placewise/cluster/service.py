"""The methods of a server: requests checked, done, and answered; errors go into the reply."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import numpy as np
import torch

from placewise import messages
from placewise.cluster.access import Access
from placewise.cluster.graphs import GrowingGraph
from placewise.cluster.master import MasterSession, merged
from placewise.cluster.membership import jobs_of
from placewise.cluster.shared_memory import (
    LEAST_BYTES,
    Shared,
    can_share,
    is_within_reach,
    mapped,
    probe,
)
from placewise.cluster.small_tensors import decoded, encoded
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
_FETCHES = b"\x0a"  # field 1 of a StepReply
_PLAIN = frozenset({torch.float32, torch.float64, torch.int32, torch.int64})
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
        answered = _answered(function, request, reply)

        def answer(received: Any, context: Any) -> bytes | None:
            self._check_caller(context)
            return answered(received, context)

        return answer

    def _chatting(self, function: Callable[..., Any], request: str, reply: Any) -> Any:
        answered = _answered(function, request, reply)

        def chat(received: Iterator[bytes], context: Any) -> Iterator[bytes]:
            self._check_caller(context)
            caller = Caller(context, is_lasting=True)
            for frame in received:
                raw = answered(frame, caller)
                if raw is not None:
                    yield raw

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


def _answered(
    function: Callable[..., Any], request: str | None, reply: Any
) -> Callable[[Any, Any], bytes | None]:
    """Return a method as a function of bytes; an error is in the bytes that it returns."""

    def answer(received: Any, context: Any) -> bytes | None:
        try:
            arrived = received if request is None else parse(request, received)
            answered = function(arrived, context)
        except Exception as problem:
            answered = reply(status=to_status(_logged(problem)))
        if answered is None or type(answered) is bytes:
            return answered
        raw: bytes = answered.SerializeToString()
        return raw

    return answer


def _logged(problem: Exception) -> Exception:
    if not isinstance(problem, (OpError, ValueError, TypeError)):
        get_logger().warning("A request failed: %r", problem)
    return problem


class Caller:
    """Who asks for steps on a stream; when it is gone, the step that runs for it ends."""

    def __init__(self, context: Any, is_lasting: bool = False) -> None:
        self.is_lasting = is_lasting  # it stays for more steps
        self._step: Any = None
        self._shared: Any = None
        self._is_gone = False
        if not context.add_callback(self._leave):  # it has left already
            self._leave()

    def waits_for(self, step: Any) -> None:
        """Note the step that runs for it; None when it has ended."""
        self._step = step
        if step is not None and self._is_gone:
            self._leave()

    def shares(self, shared: Any) -> None:
        """Keep memory for it until it says that it has mapped that, or leaves."""
        before, self._shared = self._shared, shared
        if before is not None:
            before.close()
        if shared is not None and self._is_gone:
            self._leave()

    def _leave(self) -> None:
        self._is_gone = True
        step = self._step
        if step is not None:
            step.cancel(_given_up())
        self.shares(None)


class WorkerService:
    """What masters and other tasks ask of a task."""

    def __init__(self, worker: Worker) -> None:
        self._worker, self._task = worker, worker.task

    def Describe(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's names
        """Return the devices of the task, under the name that the request may give it."""
        task = self._task
        if request.cluster:
            task.join(jobs_of(request.cluster), request.job, request.task)
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
        # Fetches are there when they are asked for, or were lost with the process that had them.
        is_wanted = context.is_active if request.target in self._task.tasks() else _is_not_wanted
        tensors = rendezvous.take(request.step, request.target, request.count, is_wanted)
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


def _is_not_wanted() -> bool:
    return False


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
        self._probe = probe()  # lives as long as the server
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
        if self._probe is not None and request.HasField("probe") and is_within_reach(request.probe):
            reply.probe.CopyFrom(self._probe.message)
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
        caller = context if isinstance(context, Caller) else Caller(context)
        if request.release:
            caller.shares(None)
            return None
        session = self._session(request.session)
        run = session.run_with(request.run)
        if run.is_quick and not (request.pushed or request.options or request.HasField("shared")):
            arrays = [_array(item) for item in request.feeds]
            values = session.run_alone(run, arrays, request.timeout_seconds, caller)
            quick = _quick_reply(values)
            return self._reply(values, request, caller) if quick is None else quick
        options = None
        if request.options:
            options = messages.RunOptions()
            options.ParseFromString(request.options)
        fed = self._fed(request)
        values, recorded = session.run(run, fed, request.timeout_seconds, options, caller)
        reply = self._reply(values, request, caller)
        if recorded:
            metadata = messages.RunMetadata()
            merged(recorded, metadata)
            reply.metadata = metadata.SerializeToString()
        return reply

    def _fed(self, request: Any) -> list[Any]:
        if request.HasField("shared"):
            return [to_numpy(content) for content in mapped(request.shared)]
        if request.pushed:
            taken = self._task.rendezvous.take(request.pushed, "feeds", 1 << 30, lambda: False)
            pushed = dict(taken)
            return [to_numpy(pushed[key]) for key in sorted(pushed)]
        return [to_numpy(from_message(item)) for item in request.feeds]

    def _reply(self, values: Any, request: Any, caller: Caller) -> Any:
        """Return a reply that has the values, or says where they are."""
        values = list(values or ())
        reply = message("StepReply")()
        size = sum(map(size_bytes, values))
        if size <= INLINE_BYTES:
            reply.fetches.extend(map(to_message, values))
            return reply
        if request.shares and caller.is_lasting and size >= LEAST_BYTES and can_share(values):
            try:
                shared = Shared(values)
            except OSError:  # no memory or no descriptors for it: they are sent
                shared = None
            if shared is not None:
                caller.shares(shared)
                reply.shared.CopyFrom(shared.message)
                return reply
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


def _array(header: Any) -> Any:
    array = decoded(header)
    return to_numpy(from_message(header)) if array is None else array


def _quick_reply(values: Any) -> bytes | None:
    """Return the bytes of a StepReply with small numbers; None if there are others."""
    fields = []
    for value in values or ():
        if type(value) is torch.Tensor:
            if not value.is_cpu or value.dtype not in _PLAIN or value.nbytes > INLINE_BYTES:
                return None
            value = value.numpy()
        elif type(value) is not np.ndarray or value.nbytes > INLINE_BYTES:
            return None
        field = encoded(value, _FETCHES)
        if field is None:
            return None
        fields.append(field)
    raw = b"".join(fields)
    return None if len(raw) > INLINE_BYTES else raw


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
