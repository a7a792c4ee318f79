"""Connections between all workers of a cluster, kept open to see who ends and who answers.

Each worker listens at a port, and has a connection to every other's. The kernel
closes a process's connections when it ends, however that happens; a stopped process keeps them,
but does not answer. Nothing here needs the store, which a stopped worker may be the one to serve.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_QUESTION = b"?"


@dataclass(slots=True)
class _Peer:
    """The connection to another worker, and what came over it."""

    connection: socket.socket
    said: bytes = b""
    has_ended: bool = False
    calls: int | None = None  # begun, by its last answer; with a last_message, completed
    is_waiting: bool = False  # for others, in the last of its calls
    has_failed: bool = False  # did it end because another worker failed it?
    has_left: bool = False

    def read(self) -> None:
        """Take in what the other worker sent."""
        try:
            while data := self.connection.recv(4096):
                self.said += data
            self.has_ended = True
        except BlockingIOError:
            pass
        except OSError:
            self.has_ended = True
        *lines, self.said = self.said.split(b"\n")
        for word, calls, flag in (line.split() for line in lines if line.count(b" ") == 2):
            self.calls, self.has_left = int(calls), word == b"bye"
            self.has_failed = self.has_left and flag == b"1"
            self.is_waiting = not self.has_left and flag == b"1"


class PeerMonitor:
    """The port that this worker listens at, and its connections to the others."""

    def __init__(self, host: str, port: int, standing: Callable[[], tuple[int, bool]]) -> None:
        """Listen at a port; `standing` returns how many calls this worker has begun, and whether
        it waits for the others in the last of them.
        """
        self._standing = standing
        self._peers: dict[int, _Peer] = {}
        self._clients: set[socket.socket] = set()
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((host, port))
        self._listener.listen(128)
        self._listener.setblocking(False)
        # Registered before the thread starts: a monitor may be closed before that gets to run.
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._is_closed = False
        self._server = threading.Thread(
            target=self._serve, name="placewise peer monitor", daemon=True
        )
        self._server.is_placewise = True  # type: ignore[attr-defined]  # the watchdog skips it
        self._server.start()
        os.register_at_fork(after_in_child=self._drop)

    @property
    def port(self) -> int:
        """The port that this worker listens at."""
        return int(self._listener.getsockname()[1])

    # The listening side.

    def _serve(self) -> None:
        """Accept connections, and answer each client that asks."""
        with self._selector as selector:
            while not self._is_closed:
                for key, _ in selector.select(0.5):
                    with contextlib.suppress(OSError, ValueError, KeyError):  # closed meanwhile
                        if key.fileobj is self._listener:
                            client, _ = self._listener.accept()
                            client.settimeout(1.0)
                            self._clients.add(client)
                            selector.register(client, selectors.EVENT_READ)
                        elif not self._answer(key.fileobj):  # type: ignore[arg-type]  # a socket
                            selector.unregister(key.fileobj)

    def _answer(self, client: socket.socket) -> bool:
        """Say where this worker stands; return False when the client has left."""
        try:
            question = client.recv(64)
            if question:
                client.sendall(b"at %d %d\n" % self._standing())
                return True
        except OSError:
            pass
        self._clients.discard(client)
        client.close()
        return False

    def close(self, completed: int, has_failed: bool) -> None:
        """Tell the others how far this worker came, and whether it leaves because of them."""
        self._is_closed = True
        last_message = b"bye %d %d\n" % (completed, has_failed)
        for client in list(self._clients):
            with contextlib.suppress(OSError):
                client.sendall(last_message)
        self._drop()

    def _drop(self) -> None:
        """Close all connections, as a forked child must: its parent's death would not be seen."""
        self._is_closed = True
        for each in (self._listener, *self._clients, *(p.connection for p in self._peers.values())):
            with contextlib.suppress(OSError):
                each.close()

    # The asking side.

    def connect(self, rank: int, address: str) -> None:
        """Connect to another worker."""
        host, _, port = address.rpartition(":")
        try:
            connection = socket.create_connection((host, int(port)), timeout=5.0)
        except ConnectionRefusedError:  # it is gone already
            connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._peers[rank] = _Peer(connection, has_ended=True)
            return
        except OSError:
            return  # the port cannot be reached: nothing is known of this worker
        connection.setblocking(False)
        self._peers[rank] = _Peer(connection)

    def ended(self, calls: int = 0) -> list[int]:
        """Return the workers that have ended, but for those that completed `calls` calls."""
        for peer in self._peers.values():
            if not peer.has_ended:
                peer.read()
        return [
            rank
            for rank, peer in self._peers.items()
            if peer.has_ended and not (peer.has_left and (peer.calls or 0) >= calls > 0)
        ]

    def failed_by_others(self, ranks: Iterable[int]) -> list[int]:
        """Return those of the workers that said they leave because another one failed them."""
        return [rank for rank in ranks if self._peers[rank].has_failed]

    def waiting(self, ranks: Iterable[int]) -> list[int]:
        """Return those of the workers that said they wait for others themselves."""
        return [rank for rank in ranks if self._peers[rank].is_waiting]

    def poll(self, seconds: float) -> dict[int, int | None]:
        """Return how many calls each living worker has begun; None if it gives no answer."""
        waiting = {rank: peer for rank, peer in self._peers.items() if not peer.has_ended}
        answers: dict[int, int | None] = dict.fromkeys(waiting)
        with selectors.DefaultSelector() as selector:
            for rank, peer in list(waiting.items()):
                peer.read()  # an answer to an earlier question is none to this one
                peer.calls = None
                try:
                    peer.connection.send(_QUESTION)
                except OSError:
                    peer.has_ended = True
                    del waiting[rank]
                    continue
                selector.register(peer.connection, selectors.EVENT_READ, rank)
            deadline = time.monotonic() + seconds
            while waiting and (left := deadline - time.monotonic()) > 0:
                for key, _ in selector.select(left):
                    peer = self._peers[key.data]
                    peer.read()
                    if peer.calls is not None or peer.has_ended:
                        answers[key.data] = peer.calls
                        selector.unregister(key.fileobj)
                        del waiting[key.data]
        return {rank: calls for rank, calls in answers.items() if not self._peers[rank].has_ended}
