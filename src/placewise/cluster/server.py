"""A gRPC server for one task: binds its address, answers its methods, ends with the process."""

from __future__ import annotations

import socket
import threading
import weakref
from typing import Any

import grpc

from placewise.cluster.access import Access, host_of
from placewise.cluster.channels import forget, options
from placewise.cluster.service import Handlers
from placewise.cluster.settings import Settings, read_settings
from placewise.cluster.task import Task, tasks
from placewise.cluster.threads import Threads
from placewise.cluster.worker import Worker
from placewise.core.errors import UnknownError, hint

# Threads are made when needed. A step may wait in a queue for long, so there must be many.
_MOST_THREADS = 1000
_LOCAL = ("localhost", "127.0.0.1", "::1", "")


class TaskServer:
    """Serves a task. The port is taken when it is made, requests are answered from `start` on."""

    def __init__(
        self, cluster: dict[str, dict[int, str]], job: str, index: int, config: Any
    ) -> None:
        settings = read_settings()
        address = cluster[job][index]
        host, port = split(address)
        cluster = {name: dict(members) for name, members in cluster.items()}
        self._server = grpc.server(
            Threads(_MOST_THREADS),
            options=options(settings),
            maximum_concurrent_rpcs=_MOST_THREADS,
        )
        number = bind(self._server, host, port, settings)
        cluster[job][index] = f"{_shown(host)}:{number}"
        self.task = Task(cluster, job, index, config)
        self.worker = Worker(self.task)
        addresses = [item for members in cluster.values() for item in members.values()]
        self._server.add_generic_rpc_handlers((Handlers(self.worker, Access(addresses, settings)),))
        self._ended = threading.Event()
        self._is_started = False
        weakref.finalize(self, _stop, self._server, self.task, self._ended)

    @property
    def target(self) -> str:
        """What a session is given to run here."""
        return self.task.target

    def start(self) -> None:
        """Answer requests from now on."""
        if self._ended.is_set() or self._is_started:
            return
        self._is_started = True
        self._server.start()
        tasks.by_target[self.task.target] = self.task

    def join(self) -> None:
        """Wait until the server is stopped, as a task that only serves others does."""
        self._ended.wait()

    def stop(self) -> None:
        """Answer no more, end all steps, and let the state go."""
        _stop(self._server, self.task, self._ended)


def _stop(server: Any, task: Task, ended: threading.Event) -> None:
    if ended.is_set():
        return
    ended.set()
    task.close()
    server.stop(0)
    forget(task.address)


def split(address: str) -> tuple[str, int]:
    """Return the host and the port of an address; raises UnknownError if it is none."""
    host, port = host_of(address), address.rpartition(":")[2]
    if not port.isdigit() or int(port) > 65535:
        raise UnknownError(None, None, f'Could not parse port for local server from "{address}"')
    return host, int(port)


def _shown(host: str) -> str:
    if host in _LOCAL or host in ("0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host


def bind(server: Any, host: str, port: int, settings: Settings) -> int:
    """Return the number of the port that a server now holds at the host's own address."""
    text = f"[{host}]" if ":" in host else host
    address = f"{'127.0.0.1' if host in _LOCAL else text}:{port}"
    _check_free(host, port)
    try:
        if settings.is_encrypted:
            pairs = [(settings.key, settings.certificate)]
            credentials = grpc.ssl_server_credentials(
                pairs, settings.authority or None, bool(settings.authority)
            )
            number: int = server.add_secure_port(address, credentials)
        else:
            number = server.add_insecure_port(address)
    except RuntimeError as problem:
        raise UnknownError(None, None, f"Could not start gRPC server: {problem}") from None
    if not number:
        raise UnknownError(None, None, f"Could not start gRPC server: port {port} is in use")
    return number


def _check_free(host: str, port: int) -> None:
    """Raise if a port is taken: gRPC's own error does not say why."""
    where = "127.0.0.1" if host in _LOCAL else host
    try:
        family = socket.getaddrinfo(where, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((where, port))
    except OSError as problem:
        said = f"Could not start gRPC server: {where}:{port}: {problem.strerror}"
        advice = "the address of a task must be one of this machine, with a port nobody has"
        raise UnknownError(None, None, hint(said, advice)) from None
