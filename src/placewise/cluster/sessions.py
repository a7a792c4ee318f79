"""Sessions on a cluster: through a master in this process, or over gRPC in another one."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from placewise.cluster.channels import MASTER, WORKER, Chat, Peer, chunks
from placewise.cluster.master import MasterSession, merged
from placewise.cluster.service import reset_cluster
from placewise.cluster.settings import read_settings
from placewise.cluster.shared_memory import (
    LEAST_BYTES,
    Shared,
    can_share,
    is_within_reach,
    mapped,
    probe,
)
from placewise.cluster.small_tensors import decoded, encoded
from placewise.cluster.status import located
from placewise.cluster.task import remote_device, tasks
from placewise.cluster.tensors import INLINE_BYTES, from_message, size_bytes, to_frames, to_message
from placewise.cluster.watch import call_watched, push_watched, watch
from placewise.cluster.wire import message
from placewise.core.errors import NotFoundError, OpError, UnimplementedError
from placewise.core.scope import current
from placewise.graph.graph_def import to_graph_def
from placewise.graph.tensor import GraphTensor

_FEEDS = b"\x1a"  # field 3 of a StepRequest
_QUICK_BYTES = INLINE_BYTES // 4
_RELEASE = message("StepRequest")(release=True).SerializeToString()


def _content(header: Any) -> Any:
    array = decoded(header)
    return from_message(header) if array is None else array


def connect(target: str, graph: Any, config: Any) -> Any:
    """Return the session's side of a cluster that a target names."""
    _check(target)
    task = tasks.by_target.get(target)
    if task is not None:
        return InProcess(task, graph, config)
    return Remote(target, graph, config, as_arrays=True)


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

    is_fresh = False  # fetched contents may be those of state

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

    def cancel_steps(self, fetch: Any = None) -> None:
        """End the steps that run now; only those of the run without feeds of a fetch, if given."""
        self._master.cancel_steps(fetch)

    def close(self) -> None:
        """End the session."""
        self._master.close()


def _with_default(config: Any, default: Any) -> Any:
    return default if config is None else config


class Remote:
    """A session whose master is in another process: graph, feeds and fetches travel."""

    is_fresh = True  # nobody else has what was fetched

    def __init__(self, target: str, graph: Any, config: Any, as_arrays: bool = False) -> None:
        self.target = target
        self._read = _content if as_arrays else from_message  # small fetches
        self._graph = graph
        self._peer = _master(target)
        raw = b"" if config is None else config.SerializeToString()
        request = message("OpenRequest")(config=raw)
        own = probe()
        if own is not None:
            request.probe.CopyFrom(own.message)
        start_seconds = read_settings().start_seconds
        described = message("DescribeRequest")()
        self._peer.call(f"/{WORKER}/Describe", described, timeout=start_seconds, wait=True)
        # The master itself waits for the other tasks, and says which one is not there.
        try:
            reply = self._peer.call(f"/{MASTER}/Open", request, timeout=start_seconds + 10.0)
        finally:
            if own is not None:
                own.close()
        self._session = reply.session
        self._shares = reply.HasField("probe") and is_within_reach(reply.probe)
        self.devices = tuple(map(remote_device, reply.devices))
        self._version = 0  # how many operations the master has
        self._functions = 0
        self._runs: dict[Any, tuple[int, int, bytes]] = {}
        self._lock = threading.Lock()
        self._chats: list[Chat] = []  # streams for steps that no thread uses now
        self._busy: dict[Chat, int] = {}  # those of steps that run now, with the run's number

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
        number, raw = self._prepared(elements, feeds)
        if timeout_seconds == 0 and metadata is None:
            parts = [raw]
            for array in arrays:
                is_small = type(array) is np.ndarray and array.nbytes <= _QUICK_BYTES
                part = encoded(array, _FEEDS) if is_small else None
                if part is None:
                    break
                parts.append(part)
            else:
                return self._values(*self._step(number, b"".join(parts)))
        request = message("StepRequest")(
            session=self._session, run=number, timeout_seconds=timeout_seconds, shares=self._shares
        )
        is_traced = metadata is not None and options is not None and options.trace_level
        if is_traced:
            request.options = options.SerializeToString()
        with self._feeding(request, arrays):
            reply, chat = self._step(number, request.SerializeToString())
        if is_traced:
            metadata.Clear()
            metadata.ParseFromString(reply.metadata)
        return self._values(reply, chat)

    @contextmanager
    def _feeding(self, request: Any, arrays: list[Any]) -> Iterator[None]:
        """Put arrays into a request, or where it says, for a block that sends it."""
        size = sum(map(size_bytes, arrays))
        if size <= INLINE_BYTES:
            request.feeds.extend(map(to_message, arrays))
        elif self._shares and size >= LEAST_BYTES and can_share(arrays):
            shared = Shared(arrays)
            request.shared.CopyFrom(shared.message)
            try:
                yield
            finally:
                shared.close()
            return
        else:
            request.pushed = secrets.randbits(63) | 1
            push_watched(self._peer, f"/{WORKER}/Push", self._pushed(request.pushed, arrays))
        yield

    def _values(self, reply: Any, chat: Chat) -> list[Any]:
        """Return the contents that a reply has, or says where they are."""
        if reply.HasField("shared"):
            try:
                values = mapped(reply.shared)
            finally:
                chat.tell(_RELEASE)
            self._chats.append(chat)
            return values
        self._chats.append(chat)
        if not reply.kept:
            return [self._read(item) for item in reply.fetches]
        wanted = message("PullRequest")(step=reply.kept, target="session", count=reply.count)
        pulled = self._peer.pull(wanted)
        return [pulled.take(key) for key in range(reply.count)]

    def _step(self, number: int, request: bytes) -> tuple[Any, Chat]:
        """Return the master's reply to a step, and the stream, which no other thread uses now."""
        try:
            chat = self._chats.pop()
        except IndexError:
            chat = self._peer.chat(f"/{MASTER}/Steps")
            watch.add(chat)
        self._busy[chat] = number
        cancellation = current.cancellation
        try:
            if cancellation is None:
                return chat.ask(request), chat
            with cancellation.calling(chat.cancel):
                return chat.ask(request), chat
        except OpError as problem:
            # An error of the step leaves the stream as it is, one of the stream ends it.
            if chat.is_open:
                self._chats.append(chat)
            else:
                self._end(chat)
                if cancellation is not None:
                    cancellation.check()
            raise located(problem, self._graph) from None
        except BaseException:
            self._end(chat)
            raise
        finally:
            self._busy.pop(chat, None)

    def _end(self, chat: Chat) -> None:
        watch.remove(chat)
        chat.close()

    def _pushed(self, step: int, arrays: list[Any]) -> Iterator[bytes]:
        header = message("PushRequest")(step=step, target="feeds", count=len(arrays))
        yield header.SerializeToString()
        for key, array in enumerate(arrays):
            yield from to_frames(array, key)

    def _prepared(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> tuple[int, bytes]:
        """Return the number of a run, and the request for it without feeds."""
        # Tensors and operations live as long as their graph, so no other object has their ids.
        key = (len(elements), *map(id, elements), *map(id, feeds))
        known = self._runs.get(key)
        version = self._graph.version
        if known is not None and known[0] == version:
            return known[1], known[2]
        with self._lock:
            self._extend(version)
            request = message("PrepareRequest")(session=self._session)
            request.fetches.extend(element.name for element in elements)
            request.feeds.extend(tensor.name for tensor in feeds)
            number: int = call_watched(self._peer, f"/{MASTER}/Prepare", request).run
            step = message("StepRequest")(session=self._session, run=number, shares=self._shares)
            self._runs[key] = version, number, step.SerializeToString()
            return number, self._runs[key][2]

    def _extend(self, version: int) -> None:
        if self._version >= version:
            return
        graph_def = to_graph_def(self._graph, self._version)
        raw = graph_def.SerializeToString()
        header = message("ExtendRequest")(session=self._session, graph_bytes=len(raw))
        frames = itertools.chain([header.SerializeToString()], chunks(raw))
        push_watched(self._peer, f"/{MASTER}/Extend", frames)
        self._version = version

    def source(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> str:
        """Raise UnimplementedError: the Python is on the tasks that run it."""
        del elements, feeds
        raise UnimplementedError(
            None,
            None,
            f"The parts of a run are on the tasks of {self.target}, not in this process.",
        )

    def cancel_steps(self, fetch: Any = None) -> None:
        """End the steps that run now; only those of the run without feeds of a fetch, if given.

        The master ends a step whose stream breaks off.
        """
        known = self._runs.get((1, id(fetch)))
        for chat, number in list(self._busy.items()):
            if fetch is None or (known is not None and known[1] == number):
                chat.cancel()

    def close(self) -> None:
        """End the session on its master; a master that is gone has ended it."""
        for chat in self._chats:
            self._end(chat)
        self._chats.clear()
        request = message("CloseRequest")(session=self._session)
        try:
            self._peer.call(f"/{MASTER}/Close", request, timeout=5.0)
        except OpError:
            return
