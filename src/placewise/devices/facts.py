"""What is known about a card: its model's data sheet, and the card in this machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


@dataclass(frozen=True, slots=True)
class Model:
    """The data sheet of a card. Rates are dense peaks per second; None is "has no such unit"."""

    name: str
    aliases: tuple[str, ...]
    vendor: str
    architecture: str
    memory_bytes: int
    bandwidth: float
    fp32: float
    tf32: float | None
    fp16: float | None
    bf16: float | None
    int8: float | None
    capability: tuple[int, int] | None
    multiprocessors: int
    bus: str
    bus_bandwidth: float
    link: str = ""
    link_bandwidth: float | None = None
    source: str = ""  # the document that states the figures


@dataclass(frozen=True, slots=True)
class Host:
    """What was said of a host: None where nothing was."""

    memory_bytes: int | None = None
    cores: int | None = None


@dataclass(frozen=True, slots=True)
class Slice:
    """One MIG instance of a card."""

    uuid: str
    gpu_instance: int
    compute_instance: int
    name: str
    total_bytes: int
    free_bytes: int
    multiprocessors: int


@dataclass(frozen=True, slots=True)
class Card:
    """One card of this machine, real or simulated."""

    name: str
    vendor: str
    total_bytes: int
    free_bytes: int
    capability: tuple[int, int] | None
    multiprocessors: int
    bus_id: str
    uuid: str
    speed: float
    torch_type: str
    simulated: bool = False
    model: Model | None = None
    slices: tuple[Slice, ...] = ()
    numa_node: int | None = None

    def describe(self, index: int) -> str:
        """Return TensorFlow's description of the card that CUDA shows as `index`."""
        said = f"device: {index}, name: {self.name}, pci bus id: {self.bus_id or '<undefined>'}"
        if self.capability is not None:
            said += f", compute capability: {self.capability[0]}.{self.capability[1]}"
        return said

    def cut(self, part: Slice) -> Card:
        """Return the card that a process sees which was given one MIG slice."""
        return replace(
            self,
            name=f"{self.name} {part.name}",
            total_bytes=part.total_bytes,
            free_bytes=part.free_bytes,
            multiprocessors=part.multiprocessors,
            uuid=part.uuid,
            slices=(),
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What a kind of device found: cards in bus order, or the reasons why there are none.

    `shown` has the UUIDs that the driver shows, in its order, where the driver was asked; None
    means that its rules are still to be applied. `unusable` cards are there, but not to be run on.
    """

    cards: tuple[Card, ...] = ()
    reasons: tuple[str, ...] = ()
    shown: tuple[str, ...] | None = None
    unusable: tuple[Card, ...] = ()
