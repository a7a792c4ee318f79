"""What the processes of an estimator's cluster are: read from TF_CONFIG, checked, numbered."""

from __future__ import annotations

from typing import Any, NamedTuple


class TaskType:
    """What a process does in a cluster."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"


CHIEFS = (TaskType.CHIEF, TaskType.MASTER)
TRAINERS = (*CHIEFS, TaskType.WORKER)


class Task(NamedTuple):
    """One process."""

    type: str
    number: int


def read_task(described: dict[str, Any], jobs: dict[str, list[str]], needs_chief: bool) -> Task:
    """Return the task that TF_CONFIG describes; ValueError if the cluster has no such task.

    Where a cluster needs no chief, because a strategy trains, its first worker is one.
    """
    if not jobs:
        task = Task(described.get("type", TaskType.WORKER), int(described.get("index", 0)))
        if task.type not in (TaskType.WORKER, TaskType.EVALUATOR):
            raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
        if task.number != 0:
            raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
        return task
    chief = TaskType.MASTER if TaskType.MASTER in jobs else TaskType.CHIEF
    if chief == TaskType.MASTER and TaskType.CHIEF in jobs:
        raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
    if needs_chief and not jobs.get(chief):
        raise ValueError(f'If "cluster" is set in TF_CONFIG, it must have one "{chief}" node.')
    if len(jobs.get(chief, ())) > 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "{chief}" node.')
    if not described.get("type"):
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if described.get("index") is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    task = Task(described["type"], int(described["index"]))
    if task.number < 0:
        raise ValueError("Task index must be non-negative number.")
    _check_member(task, jobs, chief)
    return task


def _check_member(task: Task, jobs: dict[str, list[str]], chief: str) -> None:
    if task.type == TaskType.EVALUATOR:
        if chief == TaskType.MASTER:
            said = "If `master` node exists in `cluster`, task_type `evaluator` is not supported."
            raise ValueError(said)
        return
    note = "Note that these values may be coming from the TF_CONFIG environment variable."
    if task.type not in jobs:
        said = f"{task.type} is not a valid task_type in the cluster_spec:\n{jobs}\n\n{note}"
        raise ValueError(said)
    if task.number >= len(jobs[task.type]):
        raise ValueError(
            f"{task.number} is not a valid task_id for task_type {task.type} in the cluster_spec:\n"
            f"{jobs}\n\n{note}"
        )


def is_chief(task: Task, jobs: dict[str, list[str]]) -> bool:
    """Return whether a task initializes and saves the model."""
    if not jobs:
        return task.type != TaskType.EVALUATOR
    first = (TaskType.WORKER, 0) if not any(kind in jobs for kind in CHIEFS) else None
    return task.type in CHIEFS or task == first


def global_number(task: Task, jobs: dict[str, list[str]]) -> int:
    """Return the number of a task among all: the chief's first, the parameter servers' last."""
    chiefs = [kind for kind in CHIEFS if kind in jobs]
    servers = [kind for kind in jobs if kind == TaskType.PS]
    order = [*chiefs, *sorted(set(jobs) - {*chiefs, *servers}), *servers]
    before = order[: order.index(task.type)] if jobs else ()
    return sum(len(jobs[kind]) for kind in before) + task.number


def device_filters(task: Task, jobs: dict[str, list[str]]) -> list[str]:
    """Return which tasks a task's sessions use: its own, and the parameter servers."""
    if not jobs:
        return []
    if task.type == TaskType.PS:
        return ["/job:ps", "/job:worker", "/job:chief", "/job:master"]
    own = f"/job:{task.type}"
    return ["/job:ps", own if task.type in CHIEFS else f"{own}/task:{task.number}"]
