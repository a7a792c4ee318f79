"""The runtime's own object for a device; the named tuples of `tf.config` are in `handles`."""

from __future__ import annotations

import secrets
from typing import Any

from placewise.devices.facts import Card
from placewise.devices.handles import LogicalDevice as LogicalDevice
from placewise.devices.handles import PhysicalDevice as PhysicalDevice
from placewise.devices.names import LOCAL_JOB


class Device:
    """A device of the runtime. Compared by identity; unchanged while the inventory stands.

    `torch_device` is where its kernels run: a simulated GPU computes on the host.
    `memory_limit_bytes` is None for a CPU, which has no limit. `account` counts what lives on it.
    """

    __slots__ = (
        "account",
        "asked_growth",
        "asked_limit_bytes",
        "card",
        "cuda_index",
        "description",
        "grows",
        "incarnation",
        "index",
        "kind",
        "local_name",
        "memory_limit_bytes",
        "name",
        "physical",
        "simulated",
        "torch_device",
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
        memory_limit_bytes: int | None = None,
        grows: bool = False,
        asked: tuple[int | None, bool] | None = None,
    ) -> None:
        self.kind = kind
        self.index = index
        self.local_name = f"/device:{kind}:{index}"
        self.name = f"{LOCAL_JOB}{self.local_name}"
        self.physical = physical
        self.torch_device = torch_device
        self.card = card
        self.cuda_index = cuda_index
        self.simulated = card is not None and card.simulated
        self.memory_limit_bytes = memory_limit_bytes
        self.grows = grows
        # What the program asked for, before the command line's policy bounded it.
        self.asked_limit_bytes, self.asked_growth = asked or (memory_limit_bytes, grows)
        self.description = "" if card is None or cuda_index is None else card.describe(cuda_index)
        self.incarnation = secrets.randbits(64)
        # Counts a result's bytes, `account(value, op)`; None where nobody counts. Set by memory.
        self.account: Any = None

    @property
    def logical(self) -> LogicalDevice:
        """The LogicalDevice that `tf.config` lists for it."""
        return LogicalDevice(self.local_name, self.kind)

    def same_as(self, other: Device) -> bool:
        """Return whether two objects stand for the same device with the same settings."""
        return all(
            getattr(self, field) == getattr(other, field)
            for field in Device.__slots__
            if field not in ("account", "incarnation")
        )

    def __repr__(self) -> str:
        return f"<Device {self.name}>"
