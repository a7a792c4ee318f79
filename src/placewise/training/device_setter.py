"""`tf.train.replica_device_setter`: variables on parameter servers, all else on the worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from placewise.devices.names import merge_step, parse

if TYPE_CHECKING:
    from placewise.graph.operation import Operation


_STATE_OPS = (
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
)


def _tasks_of(cluster: Any, ps_device: str) -> int:
    """Return how many tasks of a cluster serve parameters."""
    if hasattr(cluster, "as_dict"):
        jobs: dict[str, Any] = cluster.as_dict()
    elif hasattr(cluster, "job"):
        jobs = {job.name: dict(job.tasks) for job in cluster.job}
    elif isinstance(cluster, dict):
        jobs = cluster
    else:
        raise TypeError(
            "`cluster` must be a dictionary mapping one or more job names to lists of network "
            "addresses, or a `ClusterDef` protocol buffer"
        )
    return len(jobs.get(parse(ps_device).job or "") or ())


class _RoundRobin:
    """Gives parameter servers out in turn."""

    def __init__(self, tasks: int) -> None:
        self._tasks, self._next = tasks, 0

    def __call__(self, op: Any) -> int:
        task = self._next
        self._next = (task + 1) % self._tasks
        return task


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[Any] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """Return a function for `tf.device`: variables go to the parameter servers, in turn.

    None if there are no parameter servers. An inner `tf.device` adds to what is chosen here, and
    wins where both speak of the same; without `merge_devices` it replaces it.
    """
    if cluster is not None:
        ps_tasks = _tasks_of(cluster, ps_device)
    if ps_tasks == 0:
        return None
    strategy = _RoundRobin(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError("ps_strategy must be callable")
    kept = frozenset(_STATE_OPS if ps_ops is None else ps_ops)

    def device_function(op: Operation) -> str:
        asked: str = op.device
        if not merge_devices and asked:
            return asked
        if ps_device and op.type in kept:
            server = parse(ps_device)
            # An inner request for another job has tasks of its own.
            if server.job is not None and parse(asked).job in (None, server.job):
                server = replace(server, task=strategy(op))
            return merge_step(server.to_string(), asked)
        return merge_step(worker_device or "", asked)

    return device_function
