"""`tf.train.ClusterSpec`: the tasks of a cluster, by job, and their addresses."""

from __future__ import annotations

from typing import Any

from placewise import messages


class ClusterSpec:
    """Jobs, each a list of addresses or a dictionary from task number to address.

    >>> ClusterSpec({"worker": ["localhost:2222"]}).num_tasks("worker")
    1
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, dict):
            for name, tasks in cluster.items():
                self._jobs[_text(name)] = _tasks(name, tasks)
        elif isinstance(cluster, messages.ClusterDef):
            for job in cluster.job:
                self._jobs[job.name] = dict(job.tasks.items())
        elif isinstance(cluster, ClusterSpec):
            self._jobs = {name: dict(tasks) for name, tasks in cluster._jobs.items()}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network "
                "addresses, or a `ClusterDef` protocol buffer"
            )

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __repr__(self) -> str:
        jobs = ", ".join(f"{name!r}: {tasks!r}" for name, tasks in sorted(self.as_dict().items()))
        return f"ClusterSpec({{{jobs}}})"

    __nonzero__ = __bool__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        shown = ", ".join(f"{name!r}: {tasks!r}" for name, tasks in sorted(self.as_dict().items()))
        return f"ClusterSpec({{{shown}}})"

    def as_dict(self) -> dict[str, Any]:
        """Return the jobs: a list of addresses each, or a dictionary where numbers are left out."""
        return {
            name: [tasks[i] for i in range(len(tasks))]
            if sorted(tasks) == list(range(len(tasks)))
            else dict(tasks)
            for name, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """Return the cluster as a ClusterDef message."""
        made = messages.ClusterDef()
        for name, tasks in sorted(self._jobs.items()):
            job = made.job.add(name=name)
            for number, address in sorted(tasks.items()):
                job.tasks[number] = address
        return made

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def _of(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._jobs[job_name]

    def num_tasks(self, job_name: str) -> int:
        """Return how many tasks a job has."""
        return len(self._of(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Return the numbers of a job's tasks."""
        return sorted(self._of(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Return the address of a task."""
        tasks = self._of(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Return the addresses of a job, None where a number is left out."""
        tasks = self._of(job_name)
        return [tasks.get(number) for number in range(max(tasks) + 1)] if tasks else []


def _text(value: str) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _tasks(name: str, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    elif not isinstance(tasks, dict):
        raise TypeError(
            f"The tasks for job {name!r} must be a list or a dictionary from integers to strings."
        )
    for address in tasks.values():
        if not isinstance(address, (str, bytes)):
            raise TypeError(f"Task address {address!r} must be bytes or unicode")
    return {int(number): _text(address) for number, address in tasks.items()}
