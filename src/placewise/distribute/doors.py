"""Connections between all workers of a cluster, kept open to see who ends and who answers.

Each worker has a door, a socket that it listens at, and a connection to every other's. The kernel
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
    """The connection to another worker's door, and what came over it."""

    connection: socket.socket
    said: bytes = b""
    has_ended: bool = False
    calls: int | None = None  # begun, by its last answer; with a farewell, completed
    has_failed: bool = False  # did it end because another worker failed it?
    is_farewell: bool = False

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
        for word, calls, failed in (line.split() for line in lines if line.count(b" ") == 2):
            self.calls, self.has_failed = int(calls), failed == b"1"
            self.is_farewell = word == b"bye"


class Doors:
    """The door of this worker, and the connections to the others'."""

    def __init__(self, host: str, port: int, calls: Callable[[], int]) -> None:
        """Listen at a port; `calls` says how many calls of all workers this one has begun."""
        self._calls = calls
        self._peers: dict[int, _Peer] = {}
        self._visitors: set[socket.socket] = set()
        self._door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._door.bind((host, port))
        self._door.listen(128)
        self._door.setblocking(False)
        self._is_closed = False
        self._keeper = threading.Thread(target=self._keep, name="placewise door", daemon=True)
        self._keeper.is_placewise = True  # type: ignore[attr-defined]  # the watchdog skips it
        self._keeper.start()
        os.register_at_fork(after_in_child=self._drop)

    @property
    def port(self) -> int:
        """The port of this worker's door."""
        return int(self._door.getsockname()[1])

    # The door.

    def _keep(self) -> None:
        """Let visitors in, and answer each that asks."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._door, selectors.EVENT_READ)
            while not self._is_closed:
                for key, _ in selector.select(0.5):
                    with contextlib.suppress(OSError, ValueError, KeyError):  # closed meanwhile
                        if key.fileobj is self._door:
                            visitor, _ = self._door.accept()
                            visitor.settimeout(1.0)
                            self._visitors.add(visitor)
                            selector.register(visitor, selectors.EVENT_READ)
                        elif not self._answer(key.fileobj):  # type: ignore[arg-type]  # a socket
                            selector.unregister(key.fileobj)

    def _answer(self, visitor: socket.socket) -> bool:
        """Say how many calls this worker has begun; return False when the visitor has left."""
        try:
            question = visitor.recv(64)
            if question:
                visitor.sendall(b"at %d 0\n" % self._calls())
                return True
        except OSError:
            pass
        self._visitors.discard(visitor)
        visitor.close()
        return False

    def close(self, completed: int, has_failed: bool) -> None:
        """Tell the others how far this worker came, and whether it leaves because of them."""
        self._is_closed = True
        farewell = b"bye %d %d\n" % (completed, has_failed)
        for visitor in list(self._visitors):
            with contextlib.suppress(OSError):
                visitor.sendall(farewell)
        self._drop()

    def _drop(self) -> None:
        """Close all connections, as a forked child must: its parent's death would not be seen."""
        self._is_closed = True
        for each in (self._door, *self._visitors, *(p.connection for p in self._peers.values())):
            with contextlib.suppress(OSError):
                each.close()

    # The others'.

    def visit(self, rank: int, address: str) -> None:
        """Connect to the door of another worker."""
        host, _, port = address.rpartition(":")
        try:
            connection = socket.create_connection((host, int(port)), timeout=5.0)
        except ConnectionRefusedError:  # it is gone already
            connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._peers[rank] = _Peer(connection, has_ended=True)
            return
        except OSError:
            return  # the network keeps the door shut: nothing is known of this worker
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
            if peer.has_ended and not (peer.is_farewell and (peer.calls or 0) >= calls > 0)
        ]

    def betrayed(self, ranks: Iterable[int]) -> list[int]:
        """Return those of the workers that said they leave because another one failed them."""
        return [rank for rank in ranks if self._peers[rank].has_failed]

    def ask(self, seconds: float) -> dict[int, int | None]:
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
