"""`SlurmClusterResolver`: the cluster that Slurm's environment variables of a job step name."""

from __future__ import annotations

import re
from typing import Any

from placewise.core import environment
from placewise.devices.inventory import inventory
from placewise.distribute.resolvers import ClusterResolver, address_with
from placewise.training.cluster import ClusterSpec


def expand_hostlist(hostlist: str) -> list[str]:
    """Return the names, in order, that a list such as 'n[1-2,07],m3' stands for.

    >>> expand_hostlist("n[08-10],m3")
    ['m3', 'n08', 'n09', 'n10']
    """
    names: list[str] = []
    for entry in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", hostlist):
        names += _expanded(entry.strip())
    return sorted(names)


def _expanded(entry: str) -> list[str]:
    match = re.search(r"\[([^\]]*)\]", entry)
    if match is None:
        return [entry]
    before, after = entry[: match.start()], _expanded(entry[match.end() :])
    found = []
    for part in match.group(1).split(","):
        first, dash, last = part.partition("-")
        numbers = range(int(first), int(last) + 1) if dash else [int(first)]
        width = len(first)
        found += [f"{before}{number:0{width}d}{rest}" for number in numbers for rest in after]
    return found


def expand_tasks_per_node(tasks_per_node: str) -> list[int]:
    """Return how many tasks each node has, from a text such as '2(x2),1'.

    >>> expand_tasks_per_node("2(x2),1")
    [2, 2, 1]
    """
    found: list[int] = []
    for entry in tasks_per_node.split(","):
        match = re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", entry.strip())
        if match is None:
            raise ValueError(f"SLURM_STEP_TASKS_PER_NODE: {entry!r} is neither 2 nor 2(x3)")
        found += [int(match.group(1))] * int(match.group(2) or 1)
    return found


def _variable(name: str, what: str) -> str:
    found = environment.read(f"SLURM_{name}")
    if found is None:
        raise RuntimeError(
            f"{what}: the environment variable SLURM_{name} is not set; start the program with "
            "srun, or give the value"
        )
    return found


class SlurmClusterResolver(ClusterResolver):
    """The tasks of a Slurm job step; jobs are dealt to them in order."""

    def __init__(
        self,
        jobs: dict[str, int] | None = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: Any = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self._rank = int(_variable("PROCID", "Which task is this?"))
        self._jobs = jobs or {
            "worker": int(_variable("STEP_NUM_TASKS", "How many tasks are there?"))
        }
        self._jobs = dict(sorted(self._jobs.items()))
        self._port_base, self._auto_set_gpu = port_base, auto_set_gpu
        if tasks_per_node is None:
            self._tasks_per_node = expand_tasks_per_node(
                _variable("STEP_TASKS_PER_NODE", "How many tasks has each node?")
            )
        elif isinstance(tasks_per_node, int):
            nodes = int(_variable("STEP_NUM_NODES", "How many nodes are there?"))
            self._tasks_per_node = [tasks_per_node] * nodes
        else:
            self._tasks_per_node = list(tasks_per_node)
        self._gpus_per_node = _gpus_here() if gpus_per_node is None else gpus_per_node
        most = max(self._tasks_per_node)
        self._gpus_per_task = (
            self._gpus_per_node // most if gpus_per_task is None else gpus_per_task
        )
        self._gpu_allocation: list[int] = []
        self._cluster: dict[str, list[str]] = {}
        self.task_type, self.task_id = None, None
        self.rpc_layer = rpc_layer

    def cluster_spec(self) -> Any:
        """Return the tasks by job, and let this one see its GPUs if that was asked for."""
        hosts = expand_hostlist(_variable("STEP_NODELIST", "Which nodes are there?"))
        places, gpus = [], []
        for host, count in zip(hosts, self._tasks_per_node, strict=False):
            for index in range(count):
                first = index * self._gpus_per_task
                if first + self._gpus_per_task > self._gpus_per_node:
                    raise RuntimeError("Requested more GPUs per node than available.")
                places.append(f"{host}:{self._port_base + index}")
                gpus.append(list(range(first, first + self._gpus_per_task)))
        wanted = sum(self._jobs.values())
        if wanted > len(places):
            raise RuntimeError(
                f"Requested more tasks than available: {wanted} for {self._jobs}, and there are "
                f"{len(places)} in this job step."
            )
        self._cluster, begin = {}, 0
        for job, count in self._jobs.items():
            self._cluster[job] = places[begin : begin + count]
            if begin <= self._rank < begin + count:
                self.task_type, self.task_id = job, self._rank - begin
            begin += count
        if self._rank < len(gpus):
            self._gpu_allocation = gpus[self._rank]
        if self._auto_set_gpu:
            environment.put("CUDA_VISIBLE_DEVICES", ",".join(map(str, self._gpu_allocation)))
        return ClusterSpec(self._cluster)

    def get_task_info(self) -> tuple[Any, Any]:
        """Return the type and number of this task; known once the cluster was asked for."""
        return self.task_type, self.task_id

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Return the address of a task, this one's if none is named."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        if task_type is None or task_id is None:
            return ""
        found = self.cluster_spec().task_address(task_type, task_id)
        return address_with(found, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> dict[str, int]:
        """Return how many GPUs each task has."""
        return {"GPU": self._gpus_per_task}


def _gpus_here() -> int:
    return len(inventory().own_of_kind("GPU"))


SlurmClusterResolver.__module__ = (
    "tensorflow.python.distribute.cluster_resolver.slurm_cluster_resolver"
)
