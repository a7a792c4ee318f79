"""State of other tasks inside of branches and loops, which one task runs.

The master runs a branch or loop that touches state of several tasks. It holds a stand-in for each
piece of state that another task has. An operation on such state is sent to its task as a part of
its own, and runs there, so that an update is as atomic as any. Reading a variable is such a part.
"""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

from placewise.cluster.channels import WORKER, Peer, chunks
from placewise.cluster.partition import PartSpec
from placewise.cluster.tensors import INLINE_BYTES, from_message, size_bytes, to_frames
from placewise.cluster.tensors import to_message as tensor_to_message
from placewise.cluster.watch import push_watched
from placewise.cluster.wire import message
from placewise.core import dtypes
from placewise.core.scope import current
from placewise.graph.graph import Graph
from placewise.graph.tensor import GraphTensor
from placewise.ops.array.shape import identity
from placewise.ops.state import resource
from placewise.ops.values import Handle
from placewise.planning.exchange import RECEIVE
from placewise.planning.plan import Plan, Ref, Step


class ForeignState(Handle):
    """Stands for state of another task; reading `value` asks that task."""

    __slots__ = ("_read", "maker")

    def __init__(self, maker: Any, device: Any, read: Callable[[], Any]) -> None:
        self._read, self.maker = read, maker
        dtype = maker.outputs[0].dtype
        shape = maker.attrs.get("shape") or ()  # for texts of errors only
        super().__init__("Ref" if dtype._is_ref else "Var", maker.name, device, dtype, shape)

    @property
    def value(self) -> Any:
        """What the variable holds now."""
        return self._read()

    @value.setter
    def value(self, content: Any) -> None:
        """Ignore what the base sets when it is made: operations write on the task itself."""


class ForeignTasks:
    """Runs single operations on other tasks, for one session of a master."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._handles: dict[int, ForeignState] = {}
        self._lock = threading.Lock()
        self.peers: dict[str, Peer] = {}

    def handle(self, maker: Any, device: Any) -> ForeignState:
        """Return the stand-in for the state that an operation on a device makes."""
        with self._lock:
            handle = self._handles.get(maker.id)
            if handle is None:
                read = _Remote(self, device, lambda: _read_part(maker, device))
                handle = ForeignState(maker, device, lambda: read.run([])[0])
                self._handles[maker.id] = handle
            return handle

    def redirect(self, plan: Plan, handles: dict[Any, Any]) -> None:
        """Let the steps of a plan that take such state run on its task."""
        foreign = {ref: item for ref, item in handles.items() if isinstance(item, ForeignState)}
        for step in plan.every if foreign else ():
            # What only reads a content gets it from the stand-in.
            states = [
                foreign[ref] for ref in _flat(step.inputs) if type(ref) is Ref and ref in foreign
            ]
            if states and step.op is not None and not step.op.blocks and step.kernel is not None:
                self._send(step, states[0])
                if _is_reference(step.op):
                    foreign[Ref(step.number, 0)] = states[0]

    def _send(self, step: Step, state: ForeignState) -> None:
        op, device = step.op, state.device
        remote = _Remote(self, device, lambda: _op_part(op, state.maker, device))
        is_reference = _is_reference(op)

        def kernel(*arguments: Any, **attrs: Any) -> Any:
            del attrs
            contents = [item for item in _flat(arguments) if not isinstance(item, ForeignState)]
            results = remote.run(contents)
            if is_reference:
                return state
            return results if step.is_list else results[0] if results else None

        step.kernel, step.expression = kernel, None

    def peer(self, task: str) -> Peer:
        """Return the way to a task, noted to be told when the session closes."""
        peer: Peer = self._session.task.peer(task)
        self.peers[task] = peer
        return peer

    def register(self, part: PartSpec, graph: Graph, device: Any) -> tuple[Peer, int]:
        """Return a task and the number that a part has there."""
        session, peer = self._session, self.peer(device.task)
        spec, raw = session.message_of(part, graph, dict.fromkeys(part.operations, device))
        frames = itertools.chain([spec.SerializeToString()], chunks(raw))
        return peer, push_watched(peer, f"/{WORKER}/Register", frames).part

    @property
    def session_name(self) -> str:
        """The session, as its tasks call it."""
        name: str = self._session.name
        return name


class _Remote:
    """A part of one operation on another task, registered when it first runs."""

    def __init__(
        self, tasks: ForeignTasks, device: Any, make: Callable[[], tuple[PartSpec, Graph]]
    ) -> None:
        self._tasks, self._device, self._make = tasks, device, make
        self._known: tuple[Peer, int] | None = None
        self._lock = threading.Lock()

    def run(self, contents: list[Any]) -> list[Any]:
        """Return what the operation returns for some contents."""
        with self._lock:
            if self._known is None:
                self._known = self._tasks.register(*self._make(), self._device)
        peer, number = self._known
        request = message("RunRequest")(session=self._tasks.session_name, part=number)
        request.step = secrets.randbits(63) | 1
        left = _left()
        request.timeout_seconds = left or 0.0
        if sum(map(size_bytes, contents)) > INLINE_BYTES:
            request.pushed = True
            push_watched(peer, f"/{WORKER}/Push", _pushed(request.step, contents), left)
        else:
            request.feeds.extend(map(tensor_to_message, contents))
        reply = self._answer(peer, request, left)
        if not reply.kept:
            return [from_message(item) for item in reply.fetches]
        wanted = message("PullRequest")(step=request.step, target="fetches", count=reply.kept)
        pulled = peer.pull(wanted, left)
        return [pulled.take(key) for key in range(reply.kept)]

    def _answer(self, peer: Peer, request: Any, left: float | None) -> Any:
        call = peer.start(f"/{WORKER}/Run", request, left)
        cancellation = current.cancellation
        if cancellation is None:
            return peer.finish(call)
        with cancellation.calling(call.cancel):
            try:
                return peer.finish(call)
            finally:
                cancellation.check()  # cancelled: for the reason that was given


def _left() -> float | None:
    if current.deadline is None:
        return None
    return max(current.deadline - time.monotonic(), 0.001)


def _pushed(step: int, contents: list[Any]) -> Any:
    header = message("PushRequest")(step=step, target="feeds", count=len(contents))
    yield header.SerializeToString()
    for key, content in enumerate(contents):
        yield from to_frames(content, key)


def _is_reference(op: Any) -> bool:
    """Return whether an operation returns the variable that it was given."""
    return bool(op.outputs) and bool(op.outputs[0].dtype._is_ref)


def _flat(arguments: Any) -> list[Any]:
    several = [_flat(item) if type(item) in (list, tuple) else [item] for item in arguments]
    return [item for items in several for item in items]


# The graphs of such parts: what makes the state, and what uses it.


def _copied(graph: Graph, op: Any, spread: tuple[Any, ...]) -> Any:
    outputs = [(tensor.dtype, tensor._dims) for tensor in op.outputs]
    return graph.add(op.declaration, op.name, spread, dict(op.attrs), outputs, None)


def _read_part(maker: Any, device: Any) -> tuple[PartSpec, Graph]:
    graph = Graph()
    with graph.as_default():
        made = _copied(graph, maker, ()).outputs[0]
        if made.dtype._is_ref:
            content = identity(made)
        else:
            content = resource.read_variable(made, dtype=maker.attrs["dtype"])
    part = PartSpec(device.task, list(graph.get_operations()), [], [content])
    return part, graph


def _op_part(op: Any, maker: Any, device: Any) -> tuple[PartSpec, Graph]:
    graph = Graph()
    feeds: list[GraphTensor] = []

    def given(tensor: Any, is_state: bool) -> Any:
        if isinstance(tensor, (list, tuple)):
            return type(tensor)(given(item, is_state) for item in tensor)
        if is_state or tensor.dtype is dtypes.resource:
            return made
        outputs = [(tensor.dtype.base_dtype, tensor._dims)]
        entry = graph.add(RECEIVE, graph.unique_name("feed"), (), {}, outputs, None)
        feeds.append(entry.outputs[0])
        return entry.outputs[0]

    with graph.as_default():
        made = _copied(graph, maker, ()).outputs[0]
        declared = zip(op.declaration.inputs, op.spread, strict=True)
        refs = op.declaration.refs
        user = _copied(graph, op, tuple(given(item, arg.name in refs) for arg, item in declared))
    fetches = [tensor for tensor in user.outputs if not tensor.dtype._is_ref] or [user]
    return PartSpec(device.task, [made.op, user], feeds, fetches), graph
