"""Joining a cluster from an eager program: `tf.config.experimental_connect_to_cluster`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise import messages
from placewise.core.errors import hint
from placewise.core.scope import Scope, current
from placewise.devices.inventory import inventory
from placewise.training.cluster import ClusterSpec


class ClusterDeviceFilters:
    """Which devices each task of a cluster may see."""

    def __init__(self) -> None:
        self._filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(
        self, job_name: str, task_index: int, device_filters: Sequence[Any]
    ) -> None:
        """Let one task see only the devices that begin as one of `device_filters`."""
        if not all(isinstance(each, str) for each in device_filters):
            raise ValueError(f"device_filters must be a list of strings: {device_filters}")
        tasks = self._filters.setdefault(job_name, {})
        if not tasks.setdefault(task_index, list(device_filters)):
            raise ValueError(f"Device filters for {job_name}/{task_index} are empty.")

    def _as_cluster_device_filters(self) -> Any:
        made = messages.ClusterDeviceFilters()
        for name, tasks in self._filters.items():
            job = made.jobs.add(name=name)
            for index, filters in tasks.items():
                job.tasks[index].device_filters.extend(filters)
        return made

    def _by_task(self) -> dict[str, list[str]]:
        return {
            f"/job:{job}/task:{index}": filters
            for job, tasks in self._filters.items()
            for index, filters in tasks.items()
        }


def experimental_connect_to_host(
    remote_host: str | Sequence[str] | None = None, job_name: str = "worker"
) -> None:
    """Join one or more tasks of a job by their addresses; their devices can be named then.

    Raises ValueError without an address, DeadlineExceededError if a task does not come.
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    hosts = [remote_host] if isinstance(remote_host, str) else list(remote_host)
    hosts = [host.removeprefix("grpc://") for host in hosts]
    experimental_connect_to_cluster(ClusterSpec({job_name: hosts}))


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: ClusterDeviceFilters | None = None,
) -> None:
    """Join a cluster: ops under `tf.device('/job:worker/task:1')` run there from now on.

    `cluster_spec_or_resolver`: the tasks, each of which serves (`tf.distribute.Server`).
    `job_name`, `task_index`: what this process calls its own devices; it serves nobody.
    `make_master_device_default`: run on the CPU of the resolver's master what no scope places.
    `cluster_device_filters`: which other tasks each may use.

    Waits until all tasks are there, and raises DeadlineExceededError with the name of one that
    does not come. Raises ValueError in graphs, for a master that is not in the cluster, and inside
    of a device scope that is not the master's.
    """
    from placewise.remote.connection import connect  # noqa: PLC0415 - keeps torch and gRPC out of tf.config

    del protocol
    if current.interpreter is not Scope.eager:
        raise ValueError(
            "`tf.config.experimental_connect_to_cluster` can only be called in eager mode."
        )
    spec, master = cluster_spec_or_resolver, ""
    if not isinstance(spec, ClusterSpec | dict) and not hasattr(spec, "cluster_spec"):
        raise ValueError(
            "`cluster_spec_or_resolver` must be a `ClusterSpec` or a `ClusterResolver`."
        )
    if hasattr(spec, "cluster_spec"):
        if getattr(spec, "master", None) is not None:
            master = spec.master() or ""
            if master in ("", "local"):
                return  # as TensorFlow: a resolver without a master stands for this process
        spec = spec.cluster_spec()
    spec = ClusterSpec(spec)
    filters = {} if cluster_device_filters is None else cluster_device_filters._by_task()
    connect(spec._jobs, (job_name, task_index), filters)
    if make_master_device_default and master:
        _enter_scope_of(master, spec)


def _enter_scope_of(master: str, spec: ClusterSpec) -> None:
    """Enter the device scope of a task, given by its address, for the rest of this thread."""
    from placewise.eager.device_scope import device  # noqa: PLC0415 - keeps torch out of tf.config

    address = master.removeprefix("grpc://")
    jobs = spec._jobs.items()
    tasks = [(job, index) for job, own in jobs for index in own if own[index] == address]
    if not tasks:
        raise ValueError(
            "`make_master_device_default` is set to True but cannot find master "
            f"{master} in the cluster"
        )
    job, index = tasks[-1]
    request = f"/job:{job}/replica:0/task:{index}/device:CPU:0"
    if inventory().find(request) is None:
        raise ValueError(
            hint(
                f"The master {master} has no {request}",
                "start its tf.distribute.Server with the job and the task index of this cluster",
            )
        )
    if not current.request:
        device(request).__enter__()
        return
    around = inventory().find(current.request)
    if around is None or around.name != request:
        raise ValueError(
            "`connect_to_cluster` is called inside existing device scope "
            f"{current.request if around is None else around.name}, which is different from the "
            f"master device scope {request} to enter. This is not allowed."
        )
