"""The step at which the workers of a cluster save before they end, agreed on by all."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Protocol

from placewise.core.errors import UnavailableError
from placewise.distribute.membership import membership
from placewise.distribute.worker_group import WorkerGroup, groups

_LEAVE_SECONDS = 60.0


class Agreement(Protocol):
    """Where a worker says at which step to save, and learns what another said."""

    rank: int

    def propose(self, step: int) -> None:
        """Say at which step to save, unless another worker has said so before."""

    def step(self) -> int | None:
        """Return the step that holds for all; None while nobody has said one."""

    def renew(self) -> None:
        """Forget the step that was saved, for the next one."""

    def leave(self) -> None:
        """Wait until all workers have saved, as far as others still need this one."""


class Alone:
    """The agreement of a process that trains alone."""

    rank = 0

    def __init__(self) -> None:
        self._step: int | None = None

    def propose(self, step: int) -> None:
        """Set the step unless it is set."""
        self._step = step if self._step is None else self._step

    def step(self) -> int | None:
        """Return the step."""
        return self._step

    def renew(self) -> None:
        """Forget the step."""
        self._step = None

    def leave(self) -> None:
        """Return at once."""


class AmongWorkers:
    """The agreement of workers that take their steps together, kept in their store.

    No worker is more than one step ahead of another, since a step needs all. So a step that one
    worker proposes, the one after its own, is still before every other worker when it asks.
    """

    def __init__(self, group: WorkerGroup) -> None:
        self._group, self.rank = group, group.member.rank
        self._round = 0

    @property
    def _key(self) -> str:
        return f"preemption/{self._round}"

    def propose(self, step: int) -> None:
        """Set the step in the store unless a worker has."""
        self._group.store.compare_set(self._key, "", str(step))

    def step(self) -> int | None:
        """Return the step that the store has."""
        try:
            store = self._group.store
            return int(store.get(self._key)) if store.check([self._key]) else None
        except RuntimeError as problem:
            name = self._group.member.names[0]
            raise UnavailableError(
                None, None, f"{name}, which keeps the step to save at, is gone: {problem}"
            ) from None

    def renew(self) -> None:
        """Begin another round."""
        self._round += 1

    def leave(self) -> None:
        """Say that this worker has saved; the first, which serves the store, waits for all."""
        with contextlib.suppress(RuntimeError):
            store, size = self._group.store, self._group.member.size
            store.set(f"{self._key}/saved/{self.rank}", "1")
            keys = [f"{self._key}/saved/{rank}" for rank in range(size)]
            deadline = time.monotonic() + _LEAVE_SECONDS
            while self.rank == 0 and not store.check(keys) and time.monotonic() < deadline:
                time.sleep(0.05)


def agreement_of(resolver: Any) -> Agreement:
    """Return the agreement of the workers that a resolver names."""
    spec = resolver.cluster_spec()
    if not spec:
        return Alone()
    member = membership(spec, resolver.task_type, resolver.task_id)
    if member is None:
        return Alone()
    for group in groups.by_number.values():
        if group.member == member:
            return AmongWorkers(group)
    raise RuntimeError(
        f"The {member.size} workers of the cluster have not met yet: make "
        "tf.distribute.MultiWorkerMirroredStrategy before PreemptionCheckpointHandler"
    )
