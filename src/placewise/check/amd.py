"""Rules about AMD cards: their driver, what hides them, and whether torch has kernels for them."""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts

# What the released ROCm builds have kernels for.
_GFX = frozenset(
    [
        "gfx900",
        "gfx906",
        "gfx908",
        "gfx90a",
        "gfx942",
        "gfx950",
        "gfx1030",
        "gfx1100",
        "gfx1101",
        "gfx1102",
        "gfx1150",
        "gfx1151",
        "gfx1200",
        "gfx1201",
    ]
)


def rocm_architecture(facts: MachineFacts) -> Iterator[Finding]:
    """The ROCm build has no kernels for an AMD card."""
    if facts.torch is None or not facts.torch.hip or "HSA_OVERRIDE_GFX_VERSION" in facts.variables:
        return
    without = [name for name in facts.amd.architectures if name not in _GFX]
    if without:
        yield Finding(
            "rocm-architecture",
            "unusable" if len(without) == len(facts.amd.architectures) else "warning",
            f"torch for ROCm {facts.torch.hip} has no kernels for {', '.join(without)}.",
            "The first operation on the card fails or ends the program.",
            f"export HSA_OVERRIDE_GFX_VERSION={_nearest_gfx(without[0])}  "
            "(uses the kernels of the nearest card)",
        )


def _nearest_gfx(name: str) -> str:
    """Return the version to pretend: consumer cards share the instructions of their generation."""
    generation = name.removeprefix("gfx")[:-2]
    return {"10": "10.3.0", "11": "11.0.0", "12": "12.0.0"}.get(generation, "9.0.0")


def amd_driver(facts: MachineFacts) -> Iterator[Finding]:
    """An AMD card is there, and the kernel does not offer it for computing."""
    if not facts.slots_of("AMD") or facts.torch is None or not facts.torch.hip:
        return
    if not facts.is_real:
        return
    paths = {file.path for file in facts.files}
    if facts.amd.is_module_loaded and "/dev/kfd" in paths:
        return
    container = facts.system.container
    yield Finding(
        "amd-driver",
        "unusable",
        "There is an AMD card, and /dev/kfd is missing: "
        + ("the container was not given it." if container else "its driver is not loaded."),
        "ROCm reaches the card through /dev/kfd and /dev/dri.",
        "start the container with --device /dev/kfd --device /dev/dri --group-add render"
        if container
        else "sudo modprobe amdgpu",
    )


def amd_mask(facts: MachineFacts) -> Iterator[Finding]:
    """One of ROCm's variables hides all AMD cards."""
    for name in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):
        text = facts.variables.get(name)
        if text is not None and text.strip() in ("", "-1") and facts.has_amd() and facts.is_real:
            yield Finding(
                "masked-amd",
                "unusable",
                f"{name}={text!r} hides every AMD card from the process.",
                "An empty list or -1 means: no GPU.",
                f"unset {name}",
            )


RULES = (rocm_architecture, amd_driver, amd_mask)
