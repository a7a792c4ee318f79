"""Real GPUs: NVIDIA cards through NVML, all others as torch's accelerator API lists them.

Says why there is none: no card, no driver, a torch built without it. torch is loaded only where
NVML does not serve (ROCm, XPU, backends of other packages), or where only CUDA itself knows the
order of cards that differ.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from placewise.devices import nvml, pci
from placewise.devices.cards import find_model
from placewise.devices.environment import Environment
from placewise.devices.facts import Card, Found, Slice

Part = TypeVar("Part", Card, Slice)

BACKENDS = "torch.backends"  # the entry points by which torch finds backends of other packages
_OWN_TYPES = ("cuda", "xpu", "mps")  # what torch itself may be built for
_BUILT_WITH = re.compile(r"^(cuda|hip|xpu)\b[^=]*=\s*['\"]([^'\"]+)", re.MULTILINE)


def torch_build() -> dict[str, str] | None:
    """Return what torch is built with, such as {"cuda": "12.8"}; None when there is no torch.

    Reads its version file: loading torch takes longer than all else here.
    """
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    try:
        text = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8")
    except OSError:
        return {}
    return dict(_BUILT_WITH.findall(text))


def minimum_capability(build: dict[str, str] | None = None) -> tuple[int, int]:
    """Return the least compute capability that torch's CUDA kernels are built for."""
    cuda = (torch_build() if build is None else build) or {}
    major = int(cuda.get("cuda", "12").partition(".")[0])
    return (7, 5) if major >= 13 else (5, 0)


def find(environment: Environment) -> Found:
    """Return the real GPUs of this machine, or the reasons why there are none."""
    build = torch_build()
    if build is None:
        return Found(reasons=("torch is not installed; pip install torch",))
    if sys.platform == "darwin":
        return find_apple()
    if "hip" in build or "xpu" in build:
        import torch  # noqa: PLC0415 - keeps torch out

        return find_with_torch(torch)
    torch = torch_with_backend()
    if torch is not None:
        return find_with_torch(torch)
    try:
        cards = nvml.find_cards(nvml.load())
    except nvml.UnavailableError as error:
        return Found(reasons=explain_absence(str(error), pci.find_slots(), build))
    return find_nvidia(with_own_reserve(cards, sys.modules.get("torch")), build, environment)


def with_own_reserve(cards: tuple[Card, ...], torch: Any) -> tuple[Card, ...]:
    """Return NVIDIA cards whose free memory includes what torch has reserved in this process.

    What it keeps in its cache it can use again, and a process that looks for the second time must
    not find less than before.
    """
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return cards
    reserved = {
        uuid: cuda.memory_reserved(index) for index, uuid in enumerate(shown_by_cuda(torch) or ())
    }
    return tuple(
        replace(
            with_more_free(card, reserved.get(card.uuid, 0)),
            slices=tuple(with_more_free(part, reserved.get(part.uuid, 0)) for part in card.slices),
        )
        for card in cards
    )


def with_more_free(part: Part, more_bytes: int) -> Part:
    """Return a card, or a slice of one, of which this process may have more."""
    return replace(part, free_bytes=min(part.free_bytes + more_bytes, part.total_bytes))


def torch_with_backend() -> Any:
    """Return torch if it has cards through a backend of another package, else None.

    torch is loaded only where such a package is installed; one loaded by hand counts as well.
    """
    if "torch" not in sys.modules and not importlib.metadata.entry_points(group=BACKENDS):
        return None
    import torch  # noqa: PLC0415 - keeps torch out

    accelerator = torch.accelerator.current_accelerator()
    # Only the type of the others is looked at: to ask CUDA whether it is there would start it.
    if accelerator is None or accelerator.type in _OWN_TYPES:
        return None
    return torch if torch.accelerator.is_available() else None


def find_nvidia(cards: tuple[Card, ...], build: dict[str, str], environment: Environment) -> Found:
    """Return NVIDIA cards, if this torch can run on them."""
    if not cards:
        return Found(reasons=("the NVIDIA driver runs, and knows no card",))
    if "cuda" not in build:
        names = ", ".join(dict.fromkeys(card.name for card in cards))
        return Found(
            reasons=(
                f"torch is built for CPU only, so {len(cards)} NVIDIA "
                f"card{'s' if len(cards) > 1 else ''} ({names}) cannot be used; install a CUDA "
                "build of torch: https://pytorch.org/get-started/locally",
            ),
            unusable=cards,
        )
    if environment.order == "PCI_BUS_ID" or len({card.name for card in cards}) == 1:
        return Found(cards)
    import torch  # noqa: PLC0415 - keeps torch out

    # CUDA's guess at the fastest of different cards is its own secret.
    return Found(cards, shown=shown_by_cuda(torch))


def shown_by_cuda(torch: Any) -> tuple[str, ...] | None:
    """Return the UUIDs of CUDA's devices, in its order; None when it does not tell."""
    try:
        count = torch.cuda.device_count()
        uuids = [str(torch.cuda.get_device_properties(index).uuid) for index in range(count)]
    except (AttributeError, RuntimeError):
        return None
    return tuple(uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}" for uuid in uuids)


def explain_absence(driver: str, slots: list[pci.Slot], build: dict[str, str]) -> tuple[str, ...]:
    """Return why no GPU was found: what the driver says, what is on the bus, how torch is built."""
    reasons = []
    present = [slot for slot in slots if slot.vendor == "NVIDIA"]
    if present:
        where = ", ".join(slot.bus_id for slot in present)
        reasons.append(f"there is an NVIDIA card ({where}), but {driver}")
    else:
        reasons.append(f"no NVIDIA card was found: {driver}")
    reasons += [
        f"there is an {slot.vendor} card ({slot.bus_id}), which needs a torch built for "
        f"{'ROCm' if slot.vendor == 'AMD' else 'XPU'}"
        for slot in slots
        if slot.vendor == "AMD"
    ]
    if not build:
        reasons.append("torch is built for CPU only")
    return tuple(reasons)


def find_with_torch(torch: Any) -> Found:
    """Return the cards that torch's accelerator API lists; the driver has masked them already."""
    if not torch.accelerator.is_available():
        return Found(reasons=("torch finds no accelerator: no card, or no driver for it",))
    kind = torch.accelerator.current_accelerator().type
    cards = tuple(
        _read_card(torch, kind, index) for index in range(torch.accelerator.device_count())
    )
    return Found(cards, shown=tuple(card.uuid for card in cards))


def _read_card(torch: Any, kind: str, index: int) -> Card:
    """Return what torch tells of a card; a backend need not have properties, nor a memory count."""
    read = getattr(torch.get_device_module(kind), "get_device_properties", None)
    facts: Any = None if read is None else read(index)
    name = getattr(facts, "name", None) or kind
    model = find_model(name)
    try:
        free, total = torch.accelerator.get_memory_info(index)
        free = min(free + _reserved_bytes(torch, index), total)
    except (AttributeError, RuntimeError):
        free = total = getattr(facts, "total_memory", 0) or _host_bytes()
    bus_id = ""
    if hasattr(facts, "pci_bus_id"):
        bus_id = f"{facts.pci_domain_id:04x}:{facts.pci_bus_id:02x}:{facts.pci_device_id:02x}.0"
    cores = getattr(facts, "multi_processor_count", 0) or getattr(facts, "max_compute_units", 0)
    return Card(
        name=name,
        vendor=model.vendor if model else {"cuda": "amd", "xpu": "intel"}.get(kind, kind),
        total_bytes=total,
        free_bytes=free,
        capability=None,
        multiprocessors=cores,
        bus_id=bus_id,
        uuid=f"GPU-{getattr(facts, 'uuid', None) or index}",
        speed=model.fp32 if model else 0.0,
        torch_type=kind,
        model=model,
    )


def _reserved_bytes(torch: Any, index: int) -> int:
    """Return what torch has taken of a card in this process, used or not."""
    try:
        return int(torch.accelerator.memory_reserved(index))
    except (AttributeError, RuntimeError):  # an allocator need not count
        return 0


def _host_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def find_apple(name: str | None = None) -> Found:
    """Return the GPU of an Apple processor, which shares the machine's memory."""
    if platform.machine() != "arm64":
        return Found(reasons=("this Mac has no Apple processor, so torch has no GPU here",))
    asked = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
    if name is None:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=5, check=False)
        name = done.stdout.strip() or "Apple GPU"
    model = find_model(name)
    total = _host_bytes()
    card = Card(
        name=name,
        vendor="apple",
        total_bytes=total,
        # Metal advises a process to keep to three quarters of the memory all share.
        free_bytes=total * 3 // 4,
        capability=None,
        multiprocessors=model.multiprocessors if model else 0,
        bus_id="",
        uuid="GPU-apple",
        speed=model.fp32 if model else 0.0,
        torch_type="mps",
        model=model,
    )
    return Found((card,), shown=(card.uuid,))
