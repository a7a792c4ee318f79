"""What automatic placement reads and returns: tasks, devices, links, and the assignment."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Task:
    """One operation of a step. Its position among the tasks is its turn in the step.

    `seconds` has the duration by kind of device. A task whose kind is missing cannot run there.
    """

    name: str
    seconds: Mapping[str, float]
    outputs: tuple[int, ...] = ()  # bytes of each tensor it makes
    inputs: tuple[tuple[int, int], ...] = ()  # (task, which of its outputs); earlier tasks only
    after: tuple[int, ...] = ()  # tasks that it waits for without reading from them
    resident_bytes: int = 0  # held from step to step: a variable or slot
    is_state: bool = False  # its outputs are memory that is held anyway, counted here or elsewhere
    scratch_bytes: int = 0  # needed only while it runs
    group: Hashable = None  # tasks of one group share a device
    partner: int | None = None  # the forward task that a backward task belongs to
    device: str | None = None  # where it must run
    in_step: bool = True  # False: it runs beside (initialisers), takes memory but no time


class DeviceLimit(NamedTuple):
    """A device that tasks may be put on. Without a limit it is not filled: that of the host."""

    name: str  # "GPU:0"
    kind: str  # key of `Task.seconds`
    limit_bytes: int | None = None
    is_choice: bool = True  # False: only tasks that must run there do


class Link(NamedTuple):
    """How long a copy takes: latency, then bytes at a rate."""

    latency_seconds: float
    bytes_per_second: float

    def seconds(self, nbytes: int) -> float:
        """Return how long a copy of that many bytes takes."""
        return self.latency_seconds + nbytes / self.bytes_per_second


LinkBetween = Callable[[str, str], Link]  # of the names of two devices
# The duration of a step with the tasks on these devices; None: the devices cannot serve it.
Clock = Callable[[tuple[str, ...]], float | None]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A device for each task, with what that is estimated to cost."""

    devices: tuple[str, ...]  # one per task
    reasons: tuple[str, ...]  # one per task; empty for those that had no choice
    seconds: float  # the estimated step
    peak_bytes: Mapping[str, int]  # by device
    fits: bool
    is_served: bool = True  # False: it fits, but the caller's clock refused it
    # The cards filled in order, by groups and by layers, where that fits.
    in_order: tuple[Assignment, ...] = ()
    method: str = ""  # the start that led here
    has_assumed_sizes: bool = False  # some sizes of tensors were not known

    @property
    def filled_seconds(self) -> float | None:
        """The estimated step if the cards were filled in order; None: that does not fit."""
        return min((filling.seconds for filling in self.in_order), default=None)


def check(tasks: Sequence[Task], devices: Sequence[DeviceLimit]) -> None:
    """Raise ValueError for tasks that are out of order or that no device can run."""
    names = {device.name for device in devices}
    for number, task in enumerate(tasks):
        if any(source >= number or source < 0 for source, _ in task.inputs):
            raise ValueError(f"Task {task.name!r} reads from a task that comes after it")
        if task.device is not None and task.device not in names:
            raise ValueError(
                f"Task {task.name!r} must run on {task.device}, which is not among "
                f"{', '.join(sorted(names))}"
            )
