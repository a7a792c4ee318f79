"""The runtime's own object for a device; the named tuples of `tf.config` are in `handles`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from placewise.devices.budget import Budget
from placewise.devices.facts import Card
from placewise.devices.handles import LogicalDevice as LogicalDevice
from placewise.devices.handles import PhysicalDevice as PhysicalDevice
from placewise.devices.names import LOCAL_JOB, own_task

if TYPE_CHECKING:  # dtypes load NumPy, which listing devices does not need
    from placewise.core.dtypes import DType

# torch's device for tensors that have a shape and no contents. All planned GPUs share it: torch
# tells no two of them apart, so nobody may ask a content which GPU it is on.
NO_CONTENTS = "meta"
_WIDE_UNSIGNED = frozenset({"uint16", "uint32", "uint64"})
# What torch lacks on kinds of GPUs, beside the wide unsigned integers, which it lacks on all.
_MISSING_TYPES = {"mps": frozenset({"float64", "complex64", "complex128"})}


def missing_types(torch_device: str) -> frozenset[str]:
    """Return the names of dtypes that torch lacks on a device with memory of its own."""
    if torch_device in ("cpu", NO_CONTENTS):
        return frozenset()
    return _WIDE_UNSIGNED | _MISSING_TYPES.get(torch_device.partition(":")[0], frozenset())


class Device:
    """A device of the runtime. Compared by identity; unchanged while the inventory stands.

    `torch_device` is where its kernels run: a simulated GPU computes on the host, and only a real
    one `has_own_memory`, which the host cannot read.
    `budget` says what memory it was made to have, None for a CPU, which has no limit; what is in
    force is for `claims` to say. `account` counts what lives on it. `machine` is what it is of.
    `has_contents` is False for a planned GPU: its tensors have shapes and nothing in them.
    `task` begins its name, where it is not this process's own; the placer prefers devices of a
    lower `order`, which is 0 for those of the own task.
    `remote` runs what belongs on it, if it is a device of another process; else it is None.
    `is_host`: it is the CPU, whose memory is the host's and is not counted.
    `unsupported_types` are the names of dtypes that torch has no kernels for there.
    """

    __slots__ = (
        "account",
        "budget",
        "card",
        "cuda_index",
        "description",
        "has_contents",
        "has_own_memory",
        "incarnation",
        "index",
        "is_host",
        "kind",
        "local_name",
        "machine",
        "name",
        "order",
        "physical",
        "remote",
        "simulated",
        "torch_device",
        "unsupported_types",
    )

    def __init__(
        self,
        kind: str,
        index: int,
        physical: PhysicalDevice,
        *,
        torch_device: str = "cpu",
        card: Card | None = None,
        cuda_index: int | None = None,
        budget: Budget | None = None,
        machine: object = None,
        task: str | None = None,
        order: int = 0,
    ) -> None:
        self.kind = kind
        self.is_host = kind == "CPU"
        self.index = index
        self.local_name = f"/device:{kind}:{index}"
        self.name = f"{task or own_task()}{self.local_name}"
        self.order = order
        self.remote: Any = None
        self.physical = physical
        self.torch_device = torch_device
        self.has_own_memory = torch_device != "cpu"
        self.has_contents = torch_device != NO_CONTENTS
        self.unsupported_types = missing_types(torch_device)
        self.card = card
        self.cuda_index = cuda_index
        self.simulated = card is not None and card.simulated
        self.budget = budget
        self.machine = machine
        self.description = "" if card is None or cuda_index is None else card.describe(cuda_index)
        self.incarnation = secrets.randbits(64)
        # Counts a result's bytes, `account(value, op)`; None where nobody counts. Set by memory.
        self.account: Any = None

    @property
    def is_accelerator(self) -> bool:
        """Whether it is a GPU, real or simulated: ops prefer it, and copies to it are told of."""
        return not self.is_host

    @property
    def allocator_name(self) -> str:
        """What TensorFlow calls the allocator of its memory."""
        return "cpu" if self.is_host else f"{self.kind}_{self.index}_bfc"

    def lacking(self, types: Iterable[DType]) -> frozenset[DType]:
        """Return those of some dtypes that torch has no kernels for here."""
        names = self.unsupported_types
        return frozenset(dtype for dtype in types if dtype.name in names) if names else frozenset()

    @property
    def memory_limit_bytes(self) -> int | None:
        """The bytes it was made to have; None for a CPU."""
        return None if self.budget is None else self.budget.limit_bytes

    @property
    def grows(self) -> bool:
        """Whether it was made to take its memory as needed."""
        return self.budget is not None and self.budget.grows

    @property
    def logical(self) -> LogicalDevice:
        """The LogicalDevice that `tf.config` lists for it."""
        named = self.local_name if self.name.startswith(LOCAL_JOB) else self.name
        return LogicalDevice(named, self.kind)

    def same_as(self, other: Device) -> bool:
        """Return whether two objects stand for the same device with the same settings."""
        return self.budget == other.budget and self.works_as(other)

    def works_as(self, other: Device) -> bool:
        """Return whether two objects stand for the same device, whoever set its memory."""
        return (self.memory_limit_bytes, self.grows) == (
            other.memory_limit_bytes,
            other.grows,
        ) and all(
            getattr(self, field) == getattr(other, field)
            for field in Device.__slots__
            if field not in ("account", "budget", "incarnation", "machine")
        )

    def __repr__(self) -> str:
        return f"<Device {self.name}>"
