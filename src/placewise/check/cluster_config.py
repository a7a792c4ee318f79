"""Rules about TF_CONFIG: the cluster it names, and which task this process is.

`judge_config` serves the environment variable and the values that programs write themselves.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts
from placewise.check.numbers import read_number
from placewise.core.namespace import nearest

EXAMPLE = (
    '{"cluster": {"worker": ["host0:2222", "host1:2222"]}, "task": {"type": "worker", "index": 0}}'
)
_JOBS = ("chief", "master", "worker", "ps", "evaluator", "coordinator")
_WHY = "Each worker reads TF_CONFIG when its strategy is made, and stops there."


def environment_config(facts: MachineFacts) -> Iterator[Finding]:
    """The variable TF_CONFIG has mistakes."""
    text = facts.variables.get("TF_CONFIG")
    if text:
        yield from judge_config(text, facts.unresolved_hosts)


def judge_config(
    text: str, unresolved: frozenset[str] = frozenset(), where: str = ""
) -> Iterator[Finding]:
    """Yield the mistakes in a value of TF_CONFIG; `unresolved` has hosts that nobody knows."""
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        yield _error(
            "tf-config-json",
            f"TF_CONFIG is not JSON: {error}.",
            _json_fix(text),
            where,
        )
        return
    yield from judge_values(config, unresolved, where)


def judge_values(
    config: Any, unresolved: frozenset[str] = frozenset(), where: str = ""
) -> Iterator[Finding]:
    """Yield the mistakes in what a TF_CONFIG says."""
    if not isinstance(config, dict):
        yield _error("tf-config-form", "TF_CONFIG is no JSON object.", _write(EXAMPLE), where)
        return
    cluster, task = config.get("cluster", {}), config.get("task", {})
    if not isinstance(cluster, dict) or not isinstance(task, dict):
        part = "task" if isinstance(cluster, dict) else "cluster"
        yield _error(
            "tf-config-form", f"{part!r} in TF_CONFIG is no JSON object.", _write(EXAMPLE), where
        )
        return
    jobs = {str(job): _tasks(tasks) for job, tasks in cluster.items()}
    yield from _judge_task(jobs, task, where)
    yield from _judge_addresses(jobs, unresolved, where)
    yield from _judge_jobs(jobs, where)


def hosts_of(text: str) -> frozenset[str]:
    """Return the hosts that a TF_CONFIG names; empty if it cannot be read."""
    try:
        config = json.loads(text)
        jobs = [_tasks(tasks) for tasks in config.get("cluster", {}).values()]
    except (ValueError, AttributeError, RecursionError):
        return frozenset()
    addresses = [str(address) for job in jobs for address in job.values()]
    return frozenset(host for address in addresses if (host := _host(address)))


def _tasks(tasks: Any) -> dict[int, Any]:
    """Return index → address; a job may be a list, or an object from index to address."""
    if isinstance(tasks, dict):
        numbered = {read_number(index): address for index, address in tasks.items()}
        return {index: address for index, address in numbered.items() if index is not None}
    return dict(enumerate(tasks)) if isinstance(tasks, list) else {0: tasks}


def _judge_task(
    jobs: dict[str, dict[int, Any]], task: dict[str, Any], where: str
) -> Iterator[Finding]:
    kind, index = task.get("type"), task.get("index")
    if not jobs:
        return
    if kind is None or index is None:
        missing = "type" if kind is None else "index"
        yield _error(
            "tf-config-task",
            f"TF_CONFIG names a cluster and not which task this is ('task' has no {missing!r}).",
            'add to TF_CONFIG: "task": {"type": "worker", "index": 0}  (another index on each)',
            where,
        )
        return
    if str(kind) == "evaluator" and "evaluator" not in jobs:
        return  # an evaluator is no part of the cluster
    if str(kind) not in jobs:
        close = nearest(str(kind), list(jobs)) or min(jobs)
        yield _error(
            "tf-config-task",
            f"This task is a {kind!r}, and the cluster in TF_CONFIG has only {_listed(jobs)}.",
            f'write "task": {{"type": "{close}", "index": {index}}}, or add {kind!r} to "cluster"',
            where,
        )
        return
    if read_number(index) not in jobs[str(kind)]:
        last = max(jobs[str(kind)], default=0)
        yield _error(
            "tf-config-index",
            f"This task is {kind} {index}, and the cluster has {len(jobs[str(kind)])} of them: "
            f"indices 0 to {last}.",
            f'write "index": 0 to {last} in "task"; indices count from 0',
            where,
        )


def _judge_addresses(
    jobs: dict[str, dict[int, Any]], unresolved: frozenset[str], where: str
) -> Iterator[Finding]:
    addresses = [str(address) for tasks in jobs.values() for address in tasks.values()]
    twice = [address for address, count in Counter(addresses).items() if count > 1]
    if twice:
        yield _error(
            "tf-config-duplicate",
            f"TF_CONFIG gives the address {twice[0]!r} to {addresses.count(twice[0])} tasks.",
            "give every task an address of its own: another host or another port",
            where,
        )
    for address in dict.fromkeys(addresses):
        port = address.rpartition(":")[2]
        if ":" not in address or not 0 < (read_number(port) or 0) < 65536:
            yield _error(
                "tf-config-address",
                f"TF_CONFIG has the address {address!r}, which is no host:port.",
                f"write it with a port, such as {address.partition(':')[0] or 'host'}:2222",
                where,
            )
    for host in sorted({_host(address) for address in addresses} & unresolved):
        yield _error(
            "tf-config-host",
            f"TF_CONFIG names the host {host!r}, which this machine cannot resolve.",
            f"getent hosts {host}  must answer: correct the name, or write the IP address",
            where,
        )


def _judge_jobs(jobs: dict[str, dict[int, Any]], where: str) -> Iterator[Finding]:
    for job in jobs:
        close = nearest(job, list(_JOBS))
        if job not in _JOBS and close:
            yield _error(
                "tf-config-job",
                f"TF_CONFIG has a job {job!r}; strategies know {', '.join(_JOBS)}.",
                f'write "{close}" in its place',
                where,
            )
    if "ps" in jobs and not {"chief", "master", "coordinator"} & jobs.keys():
        yield Finding(
            "tf-config-chief",
            "warning",
            "TF_CONFIG has parameter servers and no chief.",
            "ParameterServerStrategy is run by the chief; estimators wait for one to begin.",
            'add to "cluster": "chief": ["host:2222"]',
            where,
        )
    for job in ("chief", "master"):
        if len(jobs.get(job, ())) > 1:
            yield _error(
                "tf-config-chief",
                f"TF_CONFIG has {len(jobs[job])} tasks of the job {job!r}; there is one at most.",
                'move the others to "worker"',
                where,
            )


def _host(address: str) -> str:
    return address.rpartition("://")[2].rpartition(":")[0].strip("[]")


def _listed(jobs: dict[str, Any]) -> str:
    return ", ".join(repr(job) for job in sorted(jobs)) or "nothing"


def _json_fix(text: str) -> str:
    if "'" in text and '"' not in text:
        return "JSON has double quotes: in Python write os.environ['TF_CONFIG'] = json.dumps({...})"
    return _write(EXAMPLE)


def _write(example: str) -> str:
    return f"export TF_CONFIG='{example}'"


def _error(code: str, what: str, fix: str, where: str) -> Finding:
    return Finding(code, "error", what, _WHY, fix, where)


RULES = (environment_config,)
