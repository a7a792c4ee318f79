"""A machine as costs need it: the model of each GPU and the processor of the host.

The machines of a simulated cluster are one `MachineSpec`: GPUs are numbered through, and each task
has the CPU of its number.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from placewise.devices.cards import find_model
from placewise.devices.cluster_machine import TaskMachine, is_cluster, parse_cluster_machine
from placewise.devices.facts import GIB, Model
from placewise.devices.machine import parse_host, parse_machine, task_number


@dataclass(frozen=True, slots=True)
class Processor:
    """The host's CPU, all sockets together. `core_flops` is one core's peak in float32."""

    cores: int
    core_flops: float
    bandwidth: float
    memory_bytes: int
    name: str = "Intel Xeon E5-2698 v4"


# Two sockets of the processor that DGX-1 has and cloud machines of its time resemble: 20 cores of
# 2.2 GHz with two 8-wide multiply-add units each, four channels of DDR4-2400 a socket (Intel ARK).
DEFAULT_PROCESSOR = Processor(
    cores=40, core_flops=2.2e9 * 32, bandwidth=2 * 76.8e9, memory_bytes=512 * GIB
)
# What cloud machines and workstations have for each card, where nothing is said.
_CARD_CORES, _CARD_MEMORY_BYTES = 8, 64 * GIB


# Boards with two GPUs, which share a slot and its power: clocks fall when both are busy.
BOARDS_OF_TWO = frozenset({"Tesla K10.G1.8GB", "Tesla K80", "Tesla M60"})
_SHARED_POWER = 0.94


@dataclass(frozen=True, slots=True)
class MachineSpec:
    """The cards in the order of their device numbers, their memory, and the host.

    Of a cluster, `tasks` has the task of each card, by number, and `machines` the tasks.
    """

    text: str
    models: tuple[Model, ...]
    memory_bytes: tuple[int, ...]
    processor: Processor = DEFAULT_PROCESSOR
    tasks: tuple[int, ...] = ()
    machines: tuple[TaskMachine, ...] = ()

    @classmethod
    def parse(cls, text: str) -> MachineSpec:
        """Return the machine that a description means: `4xV100@nvlink,host:64GiB/32cores`.

        Raises ValueError for a description that `devices.machine` does not understand.

        >>> MachineSpec.parse("2xK80,host:64GiB").devices
        ('CPU:0', 'GPU:0', 'GPU:1')
        """
        # TensorFlow numbers cards by bus id.
        cards = sorted(parse_machine(text), key=lambda card: card.bus_id)
        host = parse_host(text)
        base = DEFAULT_PROCESSOR
        task_of = task_number if is_cluster(text) else lambda card: 0
        # Each machine of a cluster has a host, for its own cards.
        most = max(Counter(map(task_of, cards)).values(), default=1)
        cores = host.cores or min(base.cores, _CARD_CORES * max(most, 1))
        processor = Processor(
            cores,
            base.core_flops,
            # A machine with fewer cores has fewer sockets and channels.
            base.bandwidth * min(1.0, max(cores, 8) / base.cores),
            host.memory_bytes or _CARD_MEMORY_BYTES * max(most, 1),
            base.name,
        )
        models = _side_by_side(tuple(card.model or _unknown(card.name) for card in cards))
        spec = cls(text, models, tuple(card.total_bytes for card in cards), processor)
        if not is_cluster(text):
            return spec
        machines = parse_cluster_machine(text)
        return replace(spec, tasks=tuple(map(task_number, cards)), machines=machines)

    @property
    def devices(self) -> tuple[str, ...]:
        """The short names of all devices, the host first."""
        hosts = (f"CPU:{index}" for index in range(max(len(self.machines), 1)))
        return (*hosts, *(f"GPU:{index}" for index in range(len(self.models))))

    def task(self, device: str) -> int:
        """Return the number of a device's task; 0 where there is no cluster."""
        if not self.machines:
            return 0
        index = int(device.rpartition(":")[2])
        of_kind = range(len(self.machines)) if device.startswith("CPU") else self.tasks
        return of_kind[min(index, len(of_kind) - 1)]

    def beside(self, device: str) -> int:
        """Return how many cards the machine of a device has."""
        if not self.machines:
            return len(self.models)
        return self.tasks.count(self.task(device))

    def model(self, device: str) -> Model | Processor:
        """Return what a device is: the card, or the host's processor. `device`: `GPU:1`."""
        kind, _, index = device.rpartition("/")[2].rpartition(":")
        if kind.upper().endswith("CPU"):
            return self.processor
        number = int(index)
        if not 0 <= number < len(self.models):
            raise ValueError(f"Machine {self.text!r} has no {device}: {', '.join(self.devices)}")
        return self.models[number]


def _side_by_side(models: tuple[Model, ...]) -> tuple[Model, ...]:
    """Return the models as they run beside each other: two GPUs of a board share its power."""
    pairs = {index for index in range(len(models)) if (index ^ 1) < len(models)}
    return tuple(
        replace(model, fp32=model.fp32 * _SHARED_POWER)
        if index in pairs and model.name in BOARDS_OF_TWO
        else model
        for index, model in enumerate(models)
    )


def _unknown(name: str) -> Model:
    model = find_model(name)
    if model is None:
        raise ValueError(f"no figures are known of {name}")
    return model
