"""`tf.train.Server`: a task of a cluster, served by this process to sessions of any process."""

from __future__ import annotations

import importlib
from typing import Any

from placewise import messages
from placewise.core.errors import InternalError, UnimplementedError, hint
from placewise.core.launcher import say_serving
from placewise.core.runtime import State, runtime
from placewise.training.cluster import ClusterSpec


class StartedServers(State):
    """The servers that answer until the process ends: programs need not hold them."""

    servers: list[Any]

    def __init__(self) -> None:
        self.servers = []

    def dispose(self) -> None:
        """Stop them."""
        for server in self.servers:
            server.stop()


_started = runtime.state(StartedServers)


class Server:
    """A task of a cluster, which answers sessions and the other tasks over gRPC.

    `server_or_cluster_def`: the cluster (a ClusterSpec, ClusterDef or dictionary), or a ServerDef.
    `job_name`, `task_index`: which task this process is. `protocol`: "grpc". `config`: a
    ConfigProto for the task's devices, and for sessions that have none. `start`: answer at once.

    `target` is what a session is given to run here, in this or another process. The server binds to
    the address of its task, a local one to the loopback interface. `PLACEWISE_CLUSTER_TOKEN` and
    the variables for TLS say who is answered; without a token, the hosts of the cluster are.

    Raises UnknownError if the address cannot be bound, InternalError for a task that the cluster
    does not have.

    >>> server = tf.distribute.Server.create_local_server()
    >>> with tf.Graph().as_default(), tf.compat.v1.Session(server.target) as session:
    ...     print(session.run(tf.constant(2) + 3))
    5
    """

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
        _check_protocol(self._server_def.protocol)
        config = self._server_def.default_session_config
        serving = importlib.import_module("placewise.cluster.server")  # loads gRPC
        self._task_server = serving.TaskServer(self._cluster._jobs, job, task, config)
        if start:
            self.start()

    def start(self) -> None:
        """Answer requests from now on, also when the program drops this object."""
        self._task_server.start()
        if self._task_server not in _started.servers:
            _started.servers.append(self._task_server)

    def join(self) -> None:
        """Wait until the process ends, as a task that only serves others does."""
        say_serving()
        self._task_server.join()

    @property
    def server_def(self) -> Any:
        """The server as a ServerDef message."""
        return self._server_def

    @property
    def target(self) -> str:
        """What a session is given to run here."""
        target: str = self._task_server.target
        return target

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Return a server of a cluster of one task, of a job called 'local'."""
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)


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


def _check_protocol(protocol: str) -> None:
    if protocol != "grpc":
        said = f'No server factory registered for the given ServerDef: protocol: "{protocol}"'
        advice = 'the available server factories are: [ "grpc" ]'
        raise UnimplementedError(None, None, hint(said, advice))
