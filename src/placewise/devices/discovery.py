"""What this machine has: every card, which of them the process sees, which of those are usable.

Called by the inventory, once; the answer does not change until a reset.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from placewise.devices import accelerator, simulated
from placewise.devices.environment import Environment
from placewise.devices.facts import Card
from placewise.devices.handles import PhysicalDevice
from placewise.devices.visibility import Visibility, look

logger = logging.getLogger("tensorflow")
CPU_0 = PhysicalDevice("/physical_device:CPU:0", "CPU")


@dataclass(frozen=True, slots=True)
class Gpu:
    """A card the process can use, and its CUDA index (which counts unusable ones too)."""

    card: Card
    cuda_index: int
    physical: PhysicalDevice


@dataclass(frozen=True, slots=True)
class Discovery:
    """The machine as this process sees it.

    `reasons` says why there is no GPU, or fewer than one might expect; `ignored` has the reason for
    each CUDA index that is seen and cannot be used.
    """

    environment: Environment
    visibility: Visibility
    gpus: tuple[Gpu, ...]
    reasons: tuple[str, ...]
    ignored: dict[int, str]
    machine: str | None = None
    unusable: tuple[Card, ...] = ()

    @property
    def physical(self) -> tuple[PhysicalDevice, ...]:
        """The physical devices of `tf.config`, CPU first."""
        return (CPU_0, *(gpu.physical for gpu in self.gpus))

    def gpu_of(self, physical: PhysicalDevice) -> Gpu | None:
        """Return the GPU behind a physical device, or None for the CPU."""
        number = physical.name.rpartition(":")[2]
        place = int(number) if physical.device_type == "GPU" else len(self.gpus)
        return self.gpus[place] if place < len(self.gpus) else None


def discover(environment: Environment, machine: str | None, has_contents: bool = True) -> Discovery:
    """Return what there is: the simulated `machine`, or the real one when it is None.

    Without contents the GPUs of a simulated machine are planned ones.
    """
    if machine is None:
        cards, minimum = accelerator.find(environment), accelerator.minimum_capability()
    else:
        cards, minimum = simulated.find(machine, has_contents), (3, 0)
    visibility = look(cards.cards, environment, cards.shown)
    reasons = list(cards.reasons)
    if cards.cards and not visibility.seen:
        reasons.append(f"{visibility.masked_by} hides all {len(cards.cards)} cards")
    reasons += visibility.notes
    ignored = _unusable(visibility, environment, minimum)
    gpus: list[Gpu] = []
    for index, seen in enumerate(visibility.seen):
        if index in ignored:
            reasons.append(ignored[index])
            logger.info(ignored[index])
        else:
            physical = PhysicalDevice(f"/physical_device:GPU:{len(gpus)}", "GPU")
            gpus.append(Gpu(seen.card, index, physical))
    return Discovery(
        environment, visibility, tuple(gpus), tuple(reasons), ignored, machine, cards.unusable
    )


def _unusable(
    visibility: Visibility, environment: Environment, minimum: tuple[int, int]
) -> dict[int, str]:
    """Return the reason for each seen card that TensorFlow's two filters leave out."""
    ignored: dict[int, str] = {}
    cores = [seen.card.multiprocessors for seen in visibility.seen]
    needed = _needed_multiprocessors(cores, environment.min_multiprocessors)
    for index, seen in enumerate(visibility.seen):
        card = seen.card
        if card.capability is not None and card.capability < minimum:
            ignored[index] = (
                f"Ignoring visible gpu device ({card.describe(index)}) with Cuda compute "
                f"capability {card.capability[0]}.{card.capability[1]}. The minimum required Cuda "
                f"capability is {minimum[0]}.{minimum[1]}."
            )
        elif 0 < card.multiprocessors < needed:
            ignored[index] = (
                f"Ignoring visible gpu device ({card.describe(index)}) with core count: "
                f"{card.multiprocessors}. The minimum required count is {needed}. You can adjust "
                "this requirement with the env var TF_MIN_GPU_MULTIPROCESSOR_COUNT."
            )
    return ignored


def _needed_multiprocessors(cores: list[int], asked: str | None) -> int:
    if asked is not None:
        try:
            return int(asked)
        except ValueError:
            logger.error("TF_MIN_GPU_MULTIPROCESSOR_COUNT is no number: %r. Ignored.", asked)
    return min(8, max(cores, default=8))
