"""Joining a cluster from an eager program: only one that is this very process, so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placewise import messages
from placewise.core.errors import UnimplementedError
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


def experimental_connect_to_host(remote_host: str | None = None, job_name: str = "worker") -> None:
    """Raise, as other hosts are not reached; nothing to do for an empty list of them."""
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    hosts = [remote_host] if isinstance(remote_host, str) else list(remote_host)
    experimental_connect_to_cluster(ClusterSpec({job_name: hosts}))


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: ClusterDeviceFilters | None = None,
) -> None:
    """Join a cluster of which this process is the only task; raise for any other."""
    spec = cluster_spec_or_resolver
    if not isinstance(spec, ClusterSpec | dict) and not hasattr(spec, "cluster_spec"):
        raise ValueError(
            "`cluster_spec_or_resolver` must be a `ClusterSpec` or a `ClusterResolver`."
        )
    if hasattr(spec, "cluster_spec"):
        if getattr(spec, "master", None) is not None and spec.master() in ("", "local"):
            return  # as TensorFlow: a resolver without a master stands for this process
        spec = spec.cluster_spec()
    spec = ClusterSpec(spec)
    others = [
        f"/job:{job}/task:{task} at {spec.task_address(job, task)}"
        for job in spec.jobs
        for task in spec.task_indices(job)
        if (job, task) != (job_name, task_index)
    ]
    if others:
        raise UnimplementedError(
            None,
            None,
            f"Cannot connect to {', '.join(others)}: this process is the only one that runs ops; "
            "use the devices here (placewise devices lists them), or leave the call out",
        )
