"""Rules about how torch was built: for which cards, and for which driver.

The table of architectures is that of the released wheels of torch for Linux on x86, from the CUDA
support matrix in torch's RELEASE.md and its earlier release notes.
"""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts, Torch
from placewise.check.numbers import read_number
from placewise.devices.facts import Card

WHERE = "https://pytorch.org/get-started/locally"

# CUDA of the build → compute capabilities that it has kernels for. A kernel for 8.6 runs on 8.9:
# within a generation, on the same or a later minor number.
_BUILDS: dict[str, tuple[tuple[int, int], ...]] = {
    "11.8": ((3, 7), (5, 0), (6, 0), (7, 0), (7, 5), (8, 0), (8, 6), (9, 0)),
    "12.1": ((5, 0), (6, 0), (7, 0), (7, 5), (8, 0), (8, 6), (9, 0)),
    "12.4": ((5, 0), (6, 0), (7, 0), (7, 5), (8, 0), (8, 6), (9, 0)),
    "12.6": ((5, 0), (6, 0), (7, 0), (7, 5), (8, 0), (8, 6), (9, 0)),
    "12.8": ((7, 5), (8, 0), (8, 6), (9, 0), (10, 0), (12, 0)),
    "12.9": ((7, 0), (7, 5), (8, 0), (8, 6), (9, 0), (10, 0), (12, 0)),
    "13.0": ((7, 5), (8, 0), (8, 6), (9, 0), (10, 0), (11, 0), (12, 0)),
    "13.2": ((7, 5), (8, 0), (8, 6), (9, 0), (10, 0), (11, 0), (12, 0)),
}
_RELEASED = ["12.6", "13.0"]  # for the torch that placewise needs; the first has old cards
_VOLTA_IN_12_8 = ((2, 8), (2, 9), (2, 10))  # these releases had 7.0 as well
# The oldest driver for each major version of CUDA: minor versions are compatible among themselves.
_OLDEST_DRIVER = {11: "450.80", 12: "525.60", 13: "580.65"}


def architectures(torch: Torch) -> tuple[tuple[int, int], ...] | None:
    """Return the compute capabilities a build has kernels for; None if it is not in the table."""
    cuda = ".".join(torch.cuda.split(".")[:2])
    known = _BUILDS.get(cuda)
    if known is None or cuda != "12.8":
        return known
    release = tuple(read_number(part) for part in torch.version.split(".")[:2])
    return ((7, 0), *known) if release in _VOLTA_IN_12_8 else known


def runs_on(capability: tuple[int, int], built: tuple[tuple[int, int], ...]) -> bool:
    """Return whether a kernel of this list runs on a card of a compute capability."""
    return any(major == capability[0] and minor <= capability[1] for major, minor in built)


def torch_missing(facts: MachineFacts) -> Iterator[Finding]:
    """torch is not installed."""
    if facts.torch is None:
        yield Finding(
            "torch-missing",
            "unusable",
            "torch is not installed in this Python.",
            "Every operation of placewise is computed by torch.",
            "pip install torch",
        )


def built_for_another(facts: MachineFacts) -> Iterator[Finding]:
    """The build of torch cannot drive this maker's cards."""
    torch = facts.torch
    if torch is None or not facts.is_real or facts.system.platform == "darwin":
        return
    built = "CUDA" if torch.cuda else "ROCm" if torch.hip else "XPU" if torch.xpu else "the CPU"
    if facts.has_nvidia() and not torch.cuda:
        names = ", ".join(dict.fromkeys(item.card.name for item in facts.cards)) or "NVIDIA card"
        yield Finding(
            "torch-cpu-only" if built == "the CPU" else "torch-wrong-vendor",
            "unusable",
            f"torch {torch.version} is built for {built} only, and the card is an NVIDIA one "
            f"({names}).",
            "This torch has no CUDA kernels, so the card stays idle.",
            f"choose a CUDA build of torch: {WHERE}  (CUDA {_fitting_build(facts)})",
        )
    elif facts.has_amd() and not facts.has_nvidia() and not torch.hip:
        yield Finding(
            "torch-cpu-only" if built == "the CPU" else "torch-wrong-vendor",
            "unusable",
            f"torch {torch.version} is built for {built} only, and the card is an AMD one.",
            "AMD cards need a torch that is built for ROCm.",
            f"choose a ROCm build of torch: {WHERE}",
        )


def _fitting_build(facts: MachineFacts) -> str:
    """Return the newest CUDA build that is released and that the driver and all cards can use."""
    driver = facts.driver.cuda[0] if facts.driver.cuda else 13
    needed = [item.card.capability for item in facts.cards if item.card.capability]
    fitting = [
        cuda
        for cuda in _RELEASED
        if (read_number(cuda.partition(".")[0]) or 0) <= driver
        and all(runs_on(card, _BUILDS[cuda]) for card in needed)
    ]
    return (fitting or _RELEASED)[-1]


def driver_too_old(facts: MachineFacts) -> Iterator[Finding]:
    """The driver is of an earlier major version of CUDA than torch's build."""
    if facts.torch is None or not facts.torch.cuda or facts.driver.cuda is None:
        return
    if not facts.is_real:
        return
    major = read_number(facts.torch.cuda.partition(".")[0]) or 0
    if facts.driver.cuda[0] >= major:
        return
    served = "{}.{}".format(*facts.driver.cuda)
    yield Finding(
        "driver-too-old",
        "unusable",
        f"torch is built for CUDA {facts.torch.cuda}, and driver {facts.driver.version} serves "
        f"CUDA {served} at most.",
        "CUDA does not start on a driver of an earlier major version; torch then says that there "
        "is no GPU.",
        f"update the NVIDIA driver to {_OLDEST_DRIVER.get(major, 'a current version')} or later",
    )


def capability_unsupported(facts: MachineFacts) -> Iterator[Finding]:
    """torch has no kernels for the generation of a card."""
    if facts.torch is None or not facts.torch.cuda or not facts.is_real:
        return
    built = architectures(facts.torch)
    if built is None:
        return
    without = [
        item.card
        for item in facts.cards
        if item.card.capability is not None and not runs_on(item.card.capability, built)
    ]
    if without:
        yield _no_kernels(facts, without, built)


def _no_kernels(
    facts: MachineFacts, cards: list[Card], built: tuple[tuple[int, int], ...]
) -> Finding:
    names = ", ".join(
        dict.fromkeys(f"{card.name} ({_text(card.capability or (0, 0))})" for card in cards)
    )
    torch = facts.torch or Torch()
    build = _build_for([card.capability for card in cards if card.capability])
    return Finding(
        "capability-unsupported",
        "unusable" if len(cards) == len(facts.cards) else "warning",
        f"torch {torch.version} (CUDA {torch.cuda}) has no kernels for {names}; it has those for "
        f"compute capability {', '.join(map(_text, built))}.",
        'The first operation on the card fails: "no kernel image is available for execution on '
        'the device".',
        f"choose the CUDA {build} build of torch: {WHERE}"
        if build
        else "hide the card (CUDA_VISIBLE_DEVICES) or build torch from source for it",
    )


def _build_for(capabilities: list[tuple[int, int]]) -> str:
    """Return the newest released build that has kernels for all; empty if there is none."""
    fitting = [
        cuda for cuda in _RELEASED if all(runs_on(card, _BUILDS[cuda]) for card in capabilities)
    ]
    return fitting[-1] if fitting else ""


def _text(capability: tuple[int, int]) -> str:
    return f"{capability[0]}.{capability[1]}"


RULES = (
    torch_missing,
    built_for_another,
    driver_too_old,
    capability_unsupported,
)
