"""Which worker of which cluster this process is, checked before anyone waits for anyone.

A cluster comes from TF_CONFIG (or another resolver) or from torchrun's environment. What is wrong
with it is said at once, in the words TensorFlow uses, and what to do.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placewise.training.cluster import ClusterSpec


from placewise.core import environment

_TYPES = ("chief", "worker", "evaluator", "ps", None)
_TORCHRUN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


@dataclass(frozen=True, slots=True)
class Membership:
    """The workers that train together, and which one this is."""

    rank: int
    addresses: tuple[str, ...]  # of all workers: host:port; port 0 where torchrun says none
    names: tuple[str, ...]  # 'chief 0 (host:port)'
    meeting_host: str
    meeting_port: int
    is_served: bool  # does somebody else (torchrun's agent) serve the meeting place?
    attempt: str = "0"  # which restart this is: what an earlier one left behind does not count

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self.addresses)

    @property
    def is_local(self) -> bool:
        """Are all workers on this machine, as far as addresses tell?"""
        return is_loopback(self.meeting_host) and all(
            is_loopback(host_of(address)) for address in self.addresses
        )


def torchrun_membership() -> Membership | None:
    """Return what torchrun's environment says; None when torchrun did not start this process."""
    given = {name: environment.read(name) for name in _TORCHRUN}
    if given["RANK"] is None or given["WORLD_SIZE"] is None:
        return None
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise ValueError(
            f"The environment has RANK and WORLD_SIZE but not {', '.join(missing)}: start the "
            "workers with torchrun or `placewise run --workers`, or set TF_CONFIG."
        )
    rank, size = _number("RANK", given["RANK"]), _number("WORLD_SIZE", given["WORLD_SIZE"])
    if not 0 <= rank < size:
        raise ValueError(f"RANK is {rank}, which is not one of the {size} of WORLD_SIZE")
    host, port = str(given["MASTER_ADDR"]), _number("MASTER_PORT", given["MASTER_PORT"])
    return Membership(
        rank,
        (f"{host}:0",) * size,
        tuple(f"worker {i}" for i in range(size)),
        host,
        port,
        is_served=environment.read("TORCHELASTIC_USE_AGENT_STORE") == "True",
        attempt=environment.read("TORCHELASTIC_RESTART_COUNT") or "0",
    )


def _number(name: str, text: str | None) -> int:
    try:
        return int(str(text))
    except ValueError:
        raise ValueError(f"{name} must be a number, got {text!r}") from None


def membership(spec: ClusterSpec, task_type: Any, task_id: Any) -> Membership | None:
    """Return the membership a cluster gives this task; None if it trains alone.

    Under torchrun the cluster names the tasks, and torchrun the place where they meet.
    """
    jobs = {job: spec.job_tasks(job) for job in spec.jobs}
    _check_task(jobs, task_type, task_id)
    if task_type == "evaluator":
        return None
    order = [(job, i) for job in ("chief", "worker") for i in range(len(jobs.get(job, ())))]
    if (task_type, task_id) not in order:
        raise ValueError(f"There is no id for task_type {task_type!r}")
    addresses = tuple(str(jobs[job][i]) for job, i in order)
    _check_addresses(order, addresses)
    rank = order.index((task_type, task_id))
    if len(order) == 1:
        return None
    names = tuple(
        f"{job} {i} ({address})" for (job, i), address in zip(order, addresses, strict=True)
    )
    started = torchrun_membership()
    if started is not None and started.size == len(order) and started.rank == rank:
        return Membership(
            rank,
            addresses,
            names,
            started.meeting_host,
            started.meeting_port,
            started.is_served,
            started.attempt,
        )
    return Membership(rank, addresses, names, host_of(addresses[0]), port_of(addresses[0]), False)


def _check_task(jobs: dict[str, Any], task_type: str | None, task_id: int | None) -> None:
    unknown = [job for job in jobs if job not in _TYPES]
    if task_type not in _TYPES or unknown:
        wrong = task_type if task_type not in _TYPES else unknown[0]
        raise ValueError(f"Unrecognized task_type: {wrong}, valid task types are: {_TYPES}")
    if task_type is None or task_id is None:
        raise ValueError(
            "When `cluster_spec` is given, you must also specify `task_type` and `task_id`. Set "
            '"task": {"type": "worker", "index": 0} in TF_CONFIG.'
        )
    if len(jobs.get("chief", ())) > 1:
        raise ValueError("There must be at most one 'chief' job.")
    if len(jobs.get("evaluator", ())) > 1:
        raise ValueError("There must be at most one 'evaluator' job.")
    if task_type == "evaluator":
        return
    count = len(jobs.get(task_type, ()))
    if count and not 0 <= task_id < count:
        raise ValueError(
            f"The `task_id` {task_id} exceeds the maximum id of {task_type}. There are {count}: "
            f"{', '.join(map(str, jobs[task_type]))}; indexes begin at 0."
        )


def _check_addresses(order: list[tuple[str, int]], addresses: tuple[str, ...]) -> None:
    seen: dict[str, str] = {}
    for (job, index), address in zip(order, addresses, strict=True):
        name = f"{job} {index}"
        host_of(address)
        port_of(address)
        if address in seen:
            raise ValueError(
                f"{seen[address]} and {name} of the cluster have the same address {address}; "
                "every task needs one of its own"
            )
        seen[address] = name
    near = [name for address, name in seen.items() if is_loopback(host_of(address))]
    far = [a for a in addresses if not is_loopback(host_of(a))]
    if near and far:
        raise ValueError(
            f"The cluster names this very machine for {', '.join(near)} (localhost or 127.0.0.1), "
            f"but others at {', '.join(far)}: to those, localhost means themselves. Give every "
            "task the name by which the other machines reach it."
        )


def host_of(address: str) -> str:
    """Return the host of host:port."""
    host, colon, _ = address.rpartition(":")
    if not colon or not host:
        raise ValueError(f"The address {address!r} in the cluster must be host:port")
    return host.strip("[]")


def port_of(address: str) -> int:
    """Return the port of host:port."""
    port = address.rpartition(":")[2]
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(
            f"The address {address!r} in the cluster must end with a port from 1 to 65535"
        )
    return int(port)


def is_loopback(host: str) -> bool:
    """Return True for names that mean the very machine they are used on."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
