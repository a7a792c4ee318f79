"""Cluster resolvers: who is in the cluster, and which task this process is."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from placewise.devices.inventory import inventory
from placewise.training.cluster import ClusterSpec


class ClusterResolver:
    """Knows the addresses of a cluster's tasks, and which of them this process is."""

    task_type: Any = None
    task_id: Any = None
    rpc_layer: Any = None

    def cluster_spec(self) -> Any:
        """Return the addresses of all tasks, by job."""
        raise NotImplementedError("cluster_spec is not implemented for this cluster resolver")

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Return the address of a task, for a session to connect to."""
        raise NotImplementedError("master is not implemented for this cluster resolver")

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Return how many GPUs this machine has, by kind."""
        found: dict[str, int] = defaultdict(int)
        for device in inventory().devices:
            if device.is_accelerator:
                found[device.kind] += 1
        return found

    @property
    def environment(self) -> Any:
        """Where the cluster runs: '', 'google', or what was given."""
        return ""


def address_with(address: str, rpc_layer: str) -> str:
    """Return an address with the protocol in front of it."""
    return f"{rpc_layer}://{address}" if rpc_layer else address


class SimpleClusterResolver(ClusterResolver):
    """A cluster given as it is."""

    def __init__(
        self,
        cluster_spec: Any,
        master: str = "",
        task_type: Any = None,
        task_id: Any = None,
        environment: str = "",
        num_accelerators: Any = None,
        rpc_layer: Any = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._cluster_spec, self._master = cluster_spec, master
        self.task_type, self.task_id = task_type, task_id
        self._environment, self._accelerators = environment, num_accelerators
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> Any:
        """Return the cluster that was given."""
        return self._cluster_spec

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None
    ) -> str:
        """Return the address of a task, or the master that was given."""
        if task_type is not None and task_id is not None:
            found = self._cluster_spec.task_address(task_type, task_id)
        else:
            found = self._master
        return address_with(found, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """Return the numbers that were given; none were, none are there."""
        return {} if self._accelerators is None else self._accelerators

    @property
    def environment(self) -> Any:
        """What was given."""
        return self._environment


class UnionResolver(ClusterResolver):
    """Several clusters as one; the first one's task is this process's."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.rpc_layer = kwargs.pop("rpc_layer", None)
        self._task_type, self._task_id = kwargs.pop("task_type", None), kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(each, ClusterResolver) for each in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        self._resolvers = args
        self.rpc_layer = self.rpc_layer or getattr(args[0], "rpc_layer", None)

    @property
    def task_type(self) -> Any:
        """The task type that was given, else the first cluster's."""
        return self._task_type or self._resolvers[0].task_type

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> Any:
        """The task number that was given, else the first cluster's."""
        return self._resolvers[0].task_id if self._task_id is None else self._task_id

    @task_id.setter
    def task_id(self, task_id: Any) -> None:
        self._task_id = task_id

    def cluster_spec(self) -> Any:
        """Return all clusters together: lists of one job follow each other."""
        merged: dict[str, Any] = {}
        for resolver in self._resolvers:
            for job, tasks in resolver.cluster_spec().as_dict().items():
                before = merged.get(job)
                if before is None:
                    merged[job] = tasks
                elif isinstance(before, list) and isinstance(tasks, list):
                    merged[job] = before + [each for each in tasks if each not in before]
                else:
                    merged[job] = _numbered(job, before, tasks)
        return ClusterSpec(merged)

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Return the address of a task, or the first cluster's master."""
        if None in (task_type, task_id):
            first: str = self._resolvers[0].master(rpc_layer=rpc_layer)
            return first
        address = self.cluster_spec().task_address(task_type, task_id)
        return address_with(address, rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> Any:
        """The first cluster's."""
        return self._resolvers[0].environment

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """Return the first cluster's numbers."""
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)


def _numbered(job: str, first: Any, second: Any) -> dict[int, str]:
    """Return the tasks of a job whose numbers two clusters give."""
    found = dict(enumerate(first)) if isinstance(first, list) else dict(first)
    for number, address in enumerate(second) if isinstance(second, list) else second.items():
        if found.get(number, address) != address:
            raise KeyError(
                f"Duplicate keys detected when merging two ClusterSpecs: {number!r} of job {job!r}"
            )
        found[number] = address
    return found


ClusterResolver.__module__ = "tensorflow.python.distribute.cluster_resolver.cluster_resolver"
for _kind in (SimpleClusterResolver, UnionResolver):
    _kind.__module__ = ClusterResolver.__module__
