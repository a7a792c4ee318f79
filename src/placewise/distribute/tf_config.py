"""TF_CONFIG: the environment variable that names a cluster's tasks, and which one this is."""

from __future__ import annotations

import json
from typing import Any

from placewise.core import environment
from placewise.distribute.resolvers import ClusterResolver, address_with
from placewise.training.cluster import ClusterSpec

VARIABLE = "TF_CONFIG"


def text() -> str | None:
    """Return the variable as it is now; None if it is not set or empty."""
    return environment.read(VARIABLE) or None


def load() -> dict[str, Any]:
    """Return what the variable says; an empty dictionary when it is not set."""
    found = text()
    if found is None:
        return {}
    try:
        read = json.loads(found)
    except json.JSONDecodeError as problem:
        # The same class, so that programs that expect it go on, and what to do.
        problem.args = (
            f"{problem.args[0]}: the environment variable TF_CONFIG is not JSON: "
            f"{_around(found, problem.pos)}",
        )
        raise
    if not isinstance(read, dict):
        raise ValueError(f"TF_CONFIG must be a JSON object, such as {_EXAMPLE}. Got {found}")
    for part in ("cluster", "task"):
        if not isinstance(read.get(part, {}), dict):
            raise ValueError(
                f"{part!r} in TF_CONFIG must be a JSON object, such as {_EXAMPLE}. Got "
                f"{read[part]!r}"
            )
    return read


_EXAMPLE = (
    '{"cluster": {"worker": ["host0:2222", "host1:2222"]}, "task": {"type": "worker", "index": 0}}'
)


def _around(found: str, position: int) -> str:
    begin = max(0, position - 20)
    return f"…{found[begin:position]}⟨here⟩{found[position : position + 20]}…"


class TFConfigClusterResolver(ClusterResolver):
    """The cluster that TF_CONFIG names."""

    def __init__(
        self,
        task_type: Any = None,
        task_id: Any = None,
        rpc_layer: Any = None,
        environment: Any = None,
    ) -> None:
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @property
    def task_type(self) -> Any:
        """The type of this task: what was given, else what TF_CONFIG says."""
        if self._task_type is not None:
            return str(self._task_type)
        found = load().get("task", {}).get("type")
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> Any:
        """The number of this task: what was given, else what TF_CONFIG says."""
        if self._task_id is not None:
            return int(self._task_id)
        found = load().get("task", {}).get("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id: Any) -> None:
        self._task_id = task_id

    @property
    def environment(self) -> Any:
        """Where the cluster runs, as given."""
        return self._environment

    @property
    def rpc_layer(self) -> Any:
        """The protocol: what was given, else what TF_CONFIG says."""
        if self._rpc_layer is not None:
            return self._rpc_layer
        return load().get("rpc_layer")

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer

    def cluster_spec(self) -> Any:
        """Return the tasks that TF_CONFIG names."""
        return ClusterSpec(load().get("cluster", {}))

    def master(
        self, task_type: str | None = None, task_id: int | None = None, rpc_layer: Any = None
    ) -> str:
        """Return the address of a task, this one's if none is named; '' for a cluster of one."""
        spec = self.cluster_spec()
        if not spec or (len(spec.jobs) == 1 and spec.num_tasks(spec.jobs[0]) == 1):
            return ""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        found = spec.task_address(task_type, task_id)
        return address_with(found, self.rpc_layer if rpc_layer is None else rpc_layer)


TFConfigClusterResolver.__module__ = (
    "tensorflow.python.distribute.cluster_resolver.tfconfig_cluster_resolver"
)
