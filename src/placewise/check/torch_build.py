"""Rules about how torch was built: for which cards, and for which driver.

The table of architectures is that of the released wheels of torch for Linux on x86, from the CUDA
support matrix in torch's RELEASE.md and its earlier release notes.
"""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts, Requirement, Torch
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
_VOLTA_IN_12_8 = ((2, 8), (2, 9), (2, 10))  # these releases had 7.0 as well
# The oldest driver for each major version of CUDA: minor versions are compatible among themselves.
_OLDEST_DRIVER = {11: "450.80", 12: "525.60", 13: "580.65"}
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


def architectures(torch: Torch) -> tuple[tuple[int, int], ...] | None:
    """Return the compute capabilities a build has kernels for; None if it is not in the table."""
    cuda = ".".join(torch.cuda.split(".")[:2])
    known = _BUILDS.get(cuda)
    if known is None or cuda != "12.8":
        return known
    release = tuple(int(part) for part in torch.version.split(".")[:2] if part.isdecimal())
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
    """Return the newest CUDA build that the driver and all cards can use."""
    driver = facts.driver.cuda[0] if facts.driver.cuda else 13
    needed = [item.card.capability for item in facts.cards if item.card.capability]
    fitting = [
        cuda
        for cuda, built in _BUILDS.items()
        if int(cuda.partition(".")[0]) <= driver and all(runs_on(each, built) for each in needed)
    ]
    # 12.6 is the build that has kernels for the oldest cards and is still released.
    return fitting[-1] if fitting else "12.6"


def driver_too_old(facts: MachineFacts) -> Iterator[Finding]:
    """The driver is of an earlier major version of CUDA than torch's build."""
    if facts.torch is None or not facts.torch.cuda or facts.driver.cuda is None:
        return
    if not facts.is_real:
        return
    major = int(facts.torch.cuda.partition(".")[0])
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
    fitting = [
        cuda
        for cuda, built in _BUILDS.items()
        if all(runs_on(each, built) for each in capabilities)
    ]
    released = [cuda for cuda in fitting if cuda in ("12.6", "13.0")]
    return (released or fitting or [""])[-1]


def _text(capability: tuple[int, int]) -> str:
    return f"{capability[0]}.{capability[1]}"


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


def foreign_cuda_libraries(facts: MachineFacts) -> Iterator[Finding]:
    """LD_LIBRARY_PATH puts another CUDA before the one torch brings."""
    path = facts.variables.get("LD_LIBRARY_PATH", "")
    if facts.torch is None or not facts.torch.cuda:
        return
    major = facts.torch.cuda.partition(".")[0]
    for folder in path.split(":"):
        version = folder.partition("/cuda-")[2].partition("/")[0]
        if version and version.partition(".")[0] != major:
            yield Finding(
                "foreign-cuda",
                "warning",
                f"LD_LIBRARY_PATH has CUDA {version} ({folder}), and torch is built for CUDA "
                f"{facts.torch.cuda}.",
                "Libraries found there are loaded instead of those that torch brings along; cuDNN "
                "and cuBLAS then fail to start.",
                "unset LD_LIBRARY_PATH",
            )
            return


def requirements(facts: MachineFacts) -> Iterator[Finding]:
    """A package that placewise needs is missing, or has a version it does not work with."""
    for item in facts.requirements:
        if item.package == "torch" and item.installed is None:
            continue  # a rule of its own
        if not _is_met(item):
            state = "is not installed" if item.installed is None else f"is {item.installed}"
            yield Finding(
                "package-version",
                "error",
                f"The package {item.package} {state}, and placewise needs {item.needed}.",
                "Programs may fail at their first import or give other results.",
                f"pip install '{item.package}{item.needed}'",
            )


def _is_met(item: Requirement) -> bool:
    if item.installed is None:
        return False
    wanted = _numbers(item.needed.lstrip("><=!~"))
    installed = _numbers(item.installed)
    if item.needed.startswith(">="):
        return installed >= wanted
    if item.needed.startswith("=="):
        return installed == wanted
    return True


def _numbers(version: str) -> tuple[int, ...]:
    plain = version.partition("+")[0]
    digits = ["".join(c for c in part if c.isdigit()) for part in plain.split(".")]
    return tuple(int(part or 0) for part in ([*digits, "0", "0", "0"])[:3])


RULES = (
    torch_missing,
    built_for_another,
    driver_too_old,
    capability_unsupported,
    rocm_architecture,
    amd_driver,
    foreign_cuda_libraries,
    requirements,
)
