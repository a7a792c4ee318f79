"""`tf.train.Server`: a task of a cluster, served by this process to its own sessions.

It holds its port on the loopback interface, so that no two processes serve one task, and answers
nobody: sessions of this process find it by its target.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

from placewise import messages
from placewise.core.errors import InternalError, UnknownError
from placewise.core.log import get_logger
from placewise.session.clusters import ServedTask
from placewise.training.cluster import ClusterSpec

_LOOPBACK = ("localhost", "127.0.0.1", "0.0.0.0", "[::]", "[::1]", "::1", "")


class Server:
    """A task of a cluster; `target` is what a session of this process is given to run there."""

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        self._server_def = _server_def(
            server_or_cluster_def, job_name, task_index, protocol, config
        )
        self._cluster = ClusterSpec(self._server_def.cluster)
        job, task = self._server_def.job_name, self._server_def.task_index
        if job not in self._cluster.jobs:
            raise InternalError(None, None, f'Job "{job}" was not defined in cluster')
        if task not in self._cluster.task_indices(job):
            raise InternalError(None, None, f'Task {task} was not defined in job "{job}"')
        self._socket, address = _bound(self._cluster.task_address(job, task))
        self._served = ServedTask(self._cluster._jobs, job, task, f"grpc://{address}")
        if start:
            self.start()

    def start(self) -> None:
        """Let sessions of this process find it."""
        self._served.start()

    def join(self) -> None:
        """Wait for ever, as a task that only serves others does."""
        others = [
            f"/job:{job}/task:{task}"
            for job in self._cluster.jobs
            for task in self._cluster.task_indices(job)
            if not self._served.is_here(job, task)
        ]
        if others:
            get_logger().info(
                "Serving nobody: %s run in processes of their own.", ", ".join(others)
            )
        threading.Event().wait()

    @property
    def server_def(self) -> Any:
        """The server as a ServerDef message."""
        return self._server_def

    @property
    def target(self) -> str:
        """What a session is given to run here."""
        return self._served.target

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Return a server of a cluster of one task, of a job called 'local'."""
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self._served.stop()
            self._socket.close()


def _server_def(given: Any, job_name: Any, task_index: Any, protocol: Any, config: Any) -> Any:
    made = messages.ServerDef()
    if isinstance(given, messages.ServerDef):
        made.MergeFrom(given)
    else:
        made.cluster.MergeFrom(ClusterSpec(given).as_cluster_def())
    if job_name is not None:
        made.job_name = job_name
    if task_index is not None:
        made.task_index = task_index
    if protocol is not None:
        made.protocol = protocol
    if config is not None:
        made.default_session_config.MergeFrom(config)
    if not made.job_name:
        if len(made.cluster.job) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        made.job_name = made.cluster.job[0].name
    if not isinstance(given, messages.ServerDef) and task_index is None:
        tasks = [job.tasks for job in made.cluster.job if job.name == made.job_name]
        if tasks and len(tasks[0]) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
    if not made.protocol:
        made.protocol = "grpc"
    return made


def _bound(address: str) -> tuple[socket.socket, str]:
    """Return a socket that holds the port of an address, and the address with its number."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        raise UnknownError(None, None, f'Could not parse port for local server from "{address}"')
    holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        holder.bind(("127.0.0.1", int(port)))
    except OSError as problem:
        holder.close()
        raise UnknownError(
            None, None, f"Could not start gRPC server: port {port}: {problem.strerror}"
        ) from None
    return holder, f"{'localhost' if host in _LOOPBACK else host}:{holder.getsockname()[1]}"
