"""Sessions on a cluster: through a master in this process, or over gRPC in another one."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Iterator
from typing import Any

from placewise.cluster.channels import MASTER, WORKER, Peer, chunks
from placewise.cluster.master import MasterSession, merged
from placewise.cluster.service import reset_cluster
from placewise.cluster.settings import read_settings
from placewise.cluster.status import located
from placewise.cluster.task import remote_device, tasks
from placewise.cluster.tensors import INLINE_BYTES, from_message, size_bytes, to_frames, to_message
from placewise.cluster.watch import watching
from placewise.cluster.wire import message
from placewise.core.errors import NotFoundError, OpError, UnimplementedError
from placewise.graph.graph_def import to_graph_def
from placewise.graph.tensor import GraphTensor


def connect(target: str, graph: Any, config: Any) -> Any:
    """Return the session's side of a cluster that a target names."""
    _check(target)
    task = tasks.by_target.get(target)
    if task is not None:
        return InProcess(task, graph, config)
    return Remote(target, graph, config)


def _check(target: str) -> None:
    if not target.startswith("grpc://"):
        raise NotFoundError(
            None,
            None,
            f'No session factory registered for the given session options: {{target: "{target}" '
            "config: } Registered factories are {DIRECT_SESSION, GRPC_SESSION}.",
        )


def reset(target: str, containers: list[str]) -> None:
    """Drop the state in containers of all tasks of a cluster, and close the master's sessions."""
    _check(target)
    task = tasks.by_target.get(target)
    if task is not None:
        reset_cluster(task, containers)
        return
    request = message("ResetRequest")(containers=containers)
    _master(target).call(f"/{MASTER}/Reset", request, timeout=60.0)


def _master(target: str) -> Peer:
    address = target.removeprefix("grpc://")
    return Peer(f"the master at {target}", address)


class InProcess:
    """A session whose master is in this process: it uses the session's own graph."""

    def __init__(self, task: Any, graph: Any, config: Any) -> None:
        config = _with_default(config, task.config)
        self._master = MasterSession(task.worker, graph, config)
        self.target = task.target
        self.devices = self._master.devices

    def run(
        self,
        elements: tuple[Any, ...],
        feeds: list[GraphTensor],
        arrays: list[Any],
        timeout_seconds: float,
        options: Any,
        metadata: Any,
    ) -> list[Any]:
        """Return the contents of fetched tensors."""
        run = self._master.prepare(elements, feeds)
        try:
            values, recorded = self._master.run(run, arrays, timeout_seconds, options)
        except OpError as problem:
            raise located(problem, self._master.graph) from None
        if metadata is not None and options is not None and options.trace_level:
            merged(recorded, metadata)
        return values

    def source(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> str:
        """Return the Python of the part that this process runs."""
        run = self._master.prepare(elements, feeds)
        return "" if run.local is None else str(run.local.executable.program.source)

    def cancel_steps(self) -> None:
        """End the steps that run now."""
        self._master.cancel_steps()

    def close(self) -> None:
        """End the session."""
        self._master.close()


def _with_default(config: Any, default: Any) -> Any:
    return default if config is None else config


class Remote:
    """A session whose master is in another process: graph, feeds and fetches travel."""

    def __init__(self, target: str, graph: Any, config: Any) -> None:
        self.target = target
        self._graph = graph
        self._peer = _master(target)
        raw = b"" if config is None else config.SerializeToString()
        request = message("OpenRequest")(config=raw)
        start_seconds = read_settings().start_seconds
        described = message("DescribeRequest")()
        self._peer.call(f"/{WORKER}/Describe", described, timeout=start_seconds, wait=True)
        # The master itself waits for the other tasks, and says which one is not there.
        reply = self._peer.call(f"/{MASTER}/Open", request, timeout=start_seconds + 10.0)
        self._session = reply.session
        self.devices = tuple(map(remote_device, reply.devices))
        self._version = 0  # how many operations the master has
        self._functions = 0
        self._runs: dict[Any, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._chats: list[Any] = []  # streams for steps that no thread uses now
        self._busy: set[Any] = set()

    def run(
        self,
        elements: tuple[Any, ...],
        feeds: list[GraphTensor],
        arrays: list[Any],
        timeout_seconds: float,
        options: Any,
        metadata: Any,
    ) -> list[Any]:
        """Return the contents of fetched tensors."""
        number = self._prepared(elements, feeds)
        request = message("StepRequest")(
            session=self._session, run=number, timeout_seconds=timeout_seconds
        )
        is_traced = metadata is not None and options is not None and options.trace_level
        if is_traced:
            request.options = options.SerializeToString()
        if sum(map(size_bytes, arrays)) > INLINE_BYTES:
            request.pushed = secrets.randbits(63) | 1
            self._peer.push(f"/{WORKER}/Push", self._pushed(request.pushed, arrays))
        else:
            request.feeds.extend(map(to_message, arrays))
        try:
            reply = self._step(request)
        except OpError as problem:
            raise located(problem, self._graph) from None
        if is_traced:
            metadata.Clear()
            metadata.ParseFromString(reply.metadata)
        if not reply.kept:
            return [from_message(item) for item in reply.fetches]
        wanted = message("PullRequest")(step=reply.kept, target="session", count=reply.count)
        pulled = self._peer.pull(wanted)
        return [pulled.take(key) for key in range(reply.count)]

    def _step(self, request: Any) -> Any:
        """Return the master's reply to a step, on a stream that no other thread uses now."""
        try:
            chat = self._chats.pop()
        except IndexError:
            chat = self._peer.chat(f"/{MASTER}/Steps")
        problems: list[Exception] = []

        def fail(problem: Exception) -> None:
            problems.append(problem)
            chat.cancel()

        self._busy.add(chat)
        with watching([self._peer], fail):
            try:
                reply = chat.ask(request)
            except OpError as problem:
                if problems:
                    raise problems[0] from None
                if not hasattr(problem, "task"):  # of the step, not of the stream
                    self._chats.append(chat)
                raise
            finally:
                self._busy.discard(chat)
        self._chats.append(chat)
        return reply

    def _pushed(self, step: int, arrays: list[Any]) -> Iterator[bytes]:
        header = message("PushRequest")(step=step, target="feeds", count=len(arrays))
        yield header.SerializeToString()
        for key, array in enumerate(arrays):
            yield from to_frames(array, key)

    def _prepared(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> int:
        key = (elements, *feeds)
        known = self._runs.get(key)
        version = self._graph.version
        if known is not None and known[0] == version:
            return known[1]
        with self._lock:
            self._extend(version)
            request = message("PrepareRequest")(session=self._session)
            request.fetches.extend(element.name for element in elements)
            request.feeds.extend(tensor.name for tensor in feeds)
            number: int = self._peer.call(f"/{MASTER}/Prepare", request).run
            self._runs[key] = version, number
            return number

    def _extend(self, version: int) -> None:
        if self._version >= version:
            return
        graph_def = to_graph_def(self._graph, self._version)
        raw = graph_def.SerializeToString()
        header = message("ExtendRequest")(session=self._session, graph_bytes=len(raw))
        frames = itertools.chain([header.SerializeToString()], chunks(raw))
        self._peer.push(f"/{MASTER}/Extend", frames)
        self._version = version

    def source(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> str:
        """Raise UnimplementedError: the Python is on the tasks that run it."""
        del elements, feeds
        raise UnimplementedError(
            None,
            None,
            f"The parts of a run are on the tasks of {self.target}, not in this process.",
        )

    def cancel_steps(self) -> None:
        """End the steps that run now: the master ends a step whose stream breaks off."""
        for chat in list(self._busy):
            chat.cancel()

    def close(self) -> None:
        """End the session on its master; a master that is gone has ended it."""
        for chat in self._chats:
            chat.close()
        request = message("CloseRequest")(session=self._session)
        try:
            self._peer.call(f"/{MASTER}/Close", request, timeout=5.0)
        except OpError:
            return
