"""`placewise --version`: what a bug report needs to say, without loading torch."""

from __future__ import annotations

import platform
from importlib import metadata

from placewise import __version__, native
from placewise.api.v1 import __version__ as v1_version
from placewise.devices import nvml
from placewise.devices.accelerator import torch_build
from placewise.monitor import amd, apple, nvidia
from placewise.monitor.intel import IntelReader

_DRIVERS = {"amd": "amdgpu", "intel": "i915 or xe", "apple": "Metal"}


def version_text() -> str:
    """Return the versions of placewise and of what it runs on, a line each."""
    driver, cards = _driver_and_cards()
    rows = (
        ("placewise", f"{_installed('placewise')}, answers as TensorFlow {_answers()}"),
        ("torch", _torch()),
        ("keras", _installed("keras")),
        ("python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        ("native", native.state),
        ("driver", driver),
        ("cards", cards),
    )
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


def _answers() -> str:
    return f"{__version__}, or {v1_version} to programs of TensorFlow 1"


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "is not installed"


def _torch() -> str:
    built = torch_build() or {}
    names = {"cuda": "CUDA", "hip": "ROCm", "xpu": "XPU"}
    kinds = ", ".join(f"{names[kind]} {version}" for kind, version in built.items())
    version = _installed("torch")
    return version if "not" in version else f"{version}, built for {kinds or 'CPU only'}"


def _driver_and_cards() -> tuple[str, str]:
    """Return the driver's version and the names of the cards, or why there are none."""
    try:
        module = nvml.load()
        names = nvidia.card_names(module)
        return f"NVIDIA {nvidia.driver_version(module)}".rstrip(), _counted(names)
    except nvml.UnavailableError as error:
        others = [*amd.read_system(), *IntelReader().read({})]
        if platform.system() == "Darwin":
            others += apple.read_cards(None)
        if not others:
            return f"none: {error}", "none"
        names = [_DRIVERS[card.vendor] for card in others]
        return ", ".join(dict.fromkeys(names)), _counted([card.name for card in others])


def _counted(names: list[str]) -> str:
    """Return names, each once, with how many there are.

    >>> _counted(["Tesla V100", "Tesla V100", "Tesla K40c"])
    '2x Tesla V100, Tesla K40c'
    """
    counts = {name: names.count(name) for name in names}
    return (
        ", ".join(f"{count}x {name}" if count > 1 else name for name, count in counts.items())
        or "none"
    )
