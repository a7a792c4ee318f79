"""Calls to other tasks: one connection per address, errors that name the task.

A connection is watched by pings of HTTP/2, which gRPC answers without Python. So a task that was
killed is noticed at once, one that was stopped after `PLACEWISE_CLUSTER_TIMEOUT`.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

import grpc

from placewise.cluster.settings import Settings, read_settings
from placewise.cluster.status import check
from placewise.cluster.tensors import CHUNK_BYTES, Reader
from placewise.cluster.wire import MASTER, METHODS, RPC_METHODS, WORKER, message
from placewise.core.errors import (
    CancelledError,
    UnavailableError,
    exception_type_from_error_code,
    hint,
)
from placewise.core.runtime import State, runtime

TOKEN_HEADER = "placewise-token"
MOST_MESSAGE_BYTES = 64 << 20
_lock = threading.Lock()


@dataclass(slots=True)
class Connections(State):
    """The open connections of this process, by address."""

    channels: dict[tuple[str, Settings], Any] = field(default_factory=dict)

    def dispose(self) -> None:
        """Close them."""
        for channel in list(self.channels.values()):
            channel.close()
        self.channels.clear()


_connections = runtime.state(Connections)


def options(settings: Settings) -> list[tuple[str, int]]:
    """Return gRPC's options for both ends of a connection."""
    timeout_ms = int(settings.timeout_seconds * 1000)
    return [
        ("grpc.max_send_message_length", MOST_MESSAGE_BYTES),
        ("grpc.max_receive_message_length", MOST_MESSAGE_BYTES),
        ("grpc.keepalive_time_ms", max(timeout_ms // 3, 100)),
        ("grpc.keepalive_timeout_ms", max(timeout_ms * 2 // 3, 100)),
        ("grpc.keepalive_permit_without_calls", 0),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.http2.max_ping_strikes", 0),
        ("grpc.http2.min_ping_interval_without_data_ms", 50),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 50),
        ("grpc.initial_reconnect_backoff_ms", 50),
        ("grpc.min_reconnect_backoff_ms", 2000),  # so long may a slow task take to shake hands
        ("grpc.max_reconnect_backoff_ms", 500),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.enable_http_proxy", 0),
        ("grpc.so_reuseport", 0),
        # Large windows: a chunk must not wait for the reader's answer to the one before.
        ("grpc.http2.lookahead_bytes", 16 << 20),
        ("grpc.http2.max_frame_size", 1 << 20),
        ("grpc.http2.bdp_probe", 0),
        ("grpc.tcp_read_chunk_size", 1 << 20),
        ("grpc.experimental.tcp_min_read_chunk_size", 1 << 20),
        ("grpc.experimental.tcp_max_read_chunk_size", 16 << 20),
    ]


def channel_to(address: str, settings: Settings | None = None) -> Any:
    """Return the connection to an address; it opens when first used."""
    settings = settings or read_settings()
    with _lock:
        channel = _connections.channels.get((address, settings))
        if channel is None:
            channel = _connections.channels[address, settings] = _open(address, settings)
        return channel


def _open(address: str, settings: Settings) -> Any:
    if not settings.is_encrypted:
        return grpc.insecure_channel(address, options(settings))
    credentials = grpc.ssl_channel_credentials(
        settings.authority or None, settings.key or None, settings.certificate or None
    )
    return grpc.secure_channel(address, credentials, options(settings))


def forget(address: str) -> None:
    """Close the connections to an address: the task there has ended."""
    with _lock:
        for key in [key for key in _connections.channels if key[0] == address]:
            _connections.channels.pop(key).close()


class Peer:
    """A task as others reach it; `name` is what errors call it, such as /job:ps/task:0."""

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address = name, address
        settings = read_settings()
        self.channel = channel_to(address, settings)
        self._methods: dict[str, Any] = {}
        self._metadata = ((TOKEN_HEADER, settings.token),) if settings.token else None

    def _method(self, path: str) -> Any:
        method = self._methods.get(path)
        if method is None:
            method = self._methods[path] = self._made(path)
        return method

    def _made(self, path: str) -> Any:
        kind, request, reply = METHODS.get(path) or RPC_METHODS[path]
        serialize = None if kind in ("push", "chat") else message(request).SerializeToString
        parse = message(reply).FromString if kind != "pull" else None
        make = {
            "call": self.channel.unary_unary,
            "pull": self.channel.unary_stream,
            "push": self.channel.stream_unary,
            "chat": self.channel.stream_stream,
        }[kind]
        return make(path, request_serializer=serialize, response_deserializer=parse)

    def call(
        self, path: str, request: Any, timeout: float | None = None, wait: bool = False
    ) -> Any:
        """Return the reply to a request; raises what the task raised.

        `timeout` in seconds; `wait` until the task is there instead of failing at once.
        """
        try:
            reply = self._method(path)(
                request, timeout=timeout, metadata=self._metadata, wait_for_ready=wait or None
            )
        except grpc.RpcError as problem:
            raise self.lost(problem) from None
        return check(reply)

    def start(
        self, path: str, request: Any, timeout: float | None = None, wait: bool = False
    ) -> Any:
        """Begin a call and return gRPC's future; `finish` returns its reply."""
        return self._method(path).future(
            request, timeout=timeout, metadata=self._metadata, wait_for_ready=wait or None
        )

    def finish(self, call: Any) -> Any:
        """Return the reply of a call that was started; raises what the task raised."""
        try:
            return check(call.result())
        except grpc.RpcError as problem:
            raise self.lost(problem) from None
        except grpc.FutureCancelledError:
            raise CancelledError(None, None, f"The call to {self.name} was cancelled.") from None

    def pull(self, request: Any, timeout: float | None = None) -> Pulled:
        """Begin to read tensors that a task sends for a step."""
        stream = self._method(f"/{WORKER}/Pull")(request, timeout=timeout, metadata=self._metadata)
        return Pulled(self, stream)

    def start_push(self, path: str, frames: Iterable[bytes], timeout: float | None = None) -> Any:
        """Begin to send a stream of frames and return gRPC's future; `finish` returns its reply."""
        return self._method(path).future(iter(frames), timeout=timeout, metadata=self._metadata)

    def chat(self, path: str) -> Chat:
        """Open a stream on which requests are answered one by one."""
        requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        stream = self._method(path)(iter(requests.get, None), metadata=self._metadata)
        return Chat(self, requests, stream)

    def lost(self, problem: Any) -> Exception:
        """Return gRPC's error as TensorFlow's, with the name of the task."""
        number = problem.code().value[0]
        kind = exception_type_from_error_code(number)
        details = problem.details() or "the connection ended"
        said = f"{details}\n  from {self.name} at {self.address}"
        if kind is UnavailableError:
            said = f"Task {self.name} at {self.address} cannot be reached: {details}"
            said = hint(said, "the process was stopped, or has not started; see its own log")
        error: Any = kind(None, None, said)
        error.task = self.name
        return cast(Exception, error)


class Chat:
    """A stream of requests, as bytes, and replies; for one thread at a time."""

    def __init__(self, peer: Peer, requests: Any, stream: Any) -> None:
        self.peers = [peer]
        self._peer, self._requests, self._stream = peer, requests, stream
        self._problem: Exception | None = None
        self.since = 0.0  # when somebody began to wait for a reply; 0 while nobody does

    def ask(self, request: bytes) -> Any:
        """Return the reply to a request; raises what the task raised."""
        self.since = time.monotonic()
        self._requests.put(request)
        try:
            reply = next(self._stream)
        except grpc.RpcError as problem:
            raise self._problem or self._peer.lost(problem) from None
        except StopIteration:
            raise UnavailableError(None, None, f"Task {self._peer.name} ended.") from None
        except BaseException:  # the program was interrupted: the step must not go on
            self._stream.cancel()
            raise
        finally:
            self.since = 0.0
        return check(reply)

    def tell(self, request: bytes) -> None:
        """Send a request that is not answered."""
        self._requests.put(request)

    @property
    def is_open(self) -> bool:
        """Whether the next request can be answered."""
        is_active: bool = self._stream.is_active()
        return is_active

    def fail(self, problem: Exception) -> None:
        """Break the stream off: who waits for a reply gets an error."""
        self._problem = problem
        self._stream.cancel()

    def cancel(self) -> None:
        """Break the stream off: who waits for a reply gets CancelledError."""
        self._stream.cancel()

    def close(self) -> None:
        """End the stream."""
        self._requests.put(None)


class Pulled:
    """Tensors as they come from a task, found by their keys."""

    def __init__(self, peer: Peer, stream: Any) -> None:
        self._peer, self._stream = peer, stream
        self._reader = Reader(stream)
        self._early: dict[int, Any] = {}

    def take(self, key: int) -> Any:
        """Return the content with a key, waiting for it; others that come first are kept."""
        while key not in self._early:
            try:
                item = self._reader.next()
            except grpc.RpcError as problem:
                raise self._peer.lost(problem) from None
            if item is None:
                said = f"Task {self._peer.name} ended the step without sending all tensors."
                raise exception_type_from_error_code(10)(None, None, said)
            self._early[item[0]] = item[1]
        return self._early.pop(key)

    def cancel(self) -> None:
        """Read no more."""
        self._stream.cancel()


def chunks(raw: bytes) -> Iterator[bytes]:
    """Return bytes in pieces that fit a message."""
    view = memoryview(raw)
    for start in range(0, len(raw), CHUNK_BYTES):
        yield bytes(view[start : start + CHUNK_BYTES])


__all__ = ["MASTER", "WORKER", "Peer", "Pulled", "channel_to", "chunks", "forget", "options"]
