"""Rules about the NVIDIA driver: whether it is there, answers, and fits its own library."""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import MachineFacts

SIMULATE = "placewise run --simulate 4xV100 program.py"

_INSTALL = {
    "ubuntu": "sudo ubuntu-drivers install, then sudo reboot",
    "debian": "sudo apt install nvidia-driver, then sudo reboot",
    "fedora": "sudo dnf install akmod-nvidia (from RPM Fusion), then sudo reboot",
    "arch": "sudo pacman -S nvidia, then sudo reboot",
}
_INSTALL_ELSEWHERE = "install the driver from https://www.nvidia.com/drivers, then restart"


def no_card(facts: MachineFacts) -> Iterator[Finding]:
    """There is no card at all: the machine is fine, and has nothing to run GPU programs on."""
    if facts.has_nvidia() or facts.has_amd() or facts.system.platform == "darwin":
        return
    if facts.system.is_wsl or facts.driver.problem == "" or _has_intel(facts):
        return
    build = "" if facts.torch is None or facts.torch.cuda else "; torch is built for the CPU only"
    yield Finding(
        "no-card",
        "unusable",
        f"This machine has no NVIDIA card and no NVIDIA driver{build}.",
        "Programs run on the CPU. A program that asks for a GPU stops with an error.",
        f"{SIMULATE}  (runs it as if there were four cards)",
    )


def _has_intel(facts: MachineFacts) -> bool:
    """Return whether torch is built for Intel's cards, and the kernel offers one for computing."""
    offered = any(file.path.startswith("/dev/dri/render") for file in facts.files)
    return bool(facts.torch and facts.torch.xpu and offered)


def mac_without_gpu(facts: MachineFacts) -> Iterator[Finding]:
    """torch drives the GPUs of Apple's own processors only."""
    system = facts.system
    if system.platform == "darwin" and system.architecture != "arm64" and facts.is_real:
        yield Finding(
            "mac-without-gpu",
            "unusable",
            "This Mac has no Apple processor, so torch has no GPU here.",
            "Programs run on the CPU. A program that asks for a GPU stops with an error.",
            SIMULATE,
        )


def driver_missing(facts: MachineFacts) -> Iterator[Finding]:
    """A card is on the bus and the driver's library is not installed."""
    slots = facts.slots_of("NVIDIA")
    if facts.driver.problem != "LibraryNotFound" or not slots or facts.system.container:
        return
    if facts.system.is_wsl:
        return
    where = ", ".join(slot.bus_id for slot in slots)
    yield Finding(
        "driver-missing",
        "unusable",
        f"There is an NVIDIA card ({where}), and no NVIDIA driver is installed.",
        "Without the driver no program can use the card.",
        _INSTALL.get(facts.system.distribution, _INSTALL_ELSEWHERE),
    )


def module_not_loaded(facts: MachineFacts) -> Iterator[Finding]:
    """The driver is installed, and the kernel has not loaded it."""
    if facts.driver.problem != "DriverNotLoaded" or facts.system.container:
        return
    if facts.driver.is_nouveau_loaded:
        yield Finding(
            "driver-nouveau",
            "unusable",
            "The open driver nouveau has the NVIDIA card, so NVIDIA's own driver cannot load.",
            "CUDA needs NVIDIA's own driver.",
            "echo 'blacklist nouveau' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf && "
            "sudo update-initramfs -u && sudo reboot",
        )
        return
    yield Finding(
        "driver-not-loaded",
        "unusable",
        "The NVIDIA driver is installed, and its kernel module is not loaded.",
        "This happens after a new kernel for which the module was not built, or with Secure Boot.",
        "sudo modprobe nvidia  (its message says what is missing)",
    )


def version_mismatch(facts: MachineFacts) -> Iterator[Finding]:
    """The driver was updated while the old kernel module still runs."""
    driver = facts.driver
    known = driver.module_version and driver.library_version
    differs = known and driver.module_version != driver.library_version
    if driver.problem != "LibRmVersionMismatch" and not (differs and driver.problem == "Unknown"):
        return
    versions = (
        f": library {driver.library_version}, kernel module {driver.module_version}"
        if known
        else ""
    )
    yield Finding(
        "driver-mismatch",
        "unusable",
        f"The NVIDIA driver's library and its kernel module have different versions{versions}.",
        "The driver was updated while the old one was running; CUDA refuses to start until the "
        "new one is loaded.",
        "sudo reboot",
    )


def driver_refuses(facts: MachineFacts) -> Iterator[Finding]:
    """The driver answers with an error that has no rule of its own."""
    known = {"", "LibraryNotFound", "DriverNotLoaded", "LibRmVersionMismatch", "NoPermission"}
    problem = facts.driver.problem
    if problem in known or problem == "PackageMissing" or not facts.is_real:
        return
    if facts.system.container:
        yield Finding(
            "container-lost-gpu",
            "unusable",
            f"The container has lost its GPUs: the driver answers {facts.driver.detail!r}.",
            "systemd on the host was reloaded and took the right to the devices from the running "
            "container.",
            "restart the container; to keep it from coming back, start it with "
            "--device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm",
        )
        return
    yield Finding(
        "driver-error",
        "unusable",
        f"The NVIDIA driver answers with an error: {facts.driver.detail or problem}.",
        "No program can use the card while the driver does not answer.",
        "sudo dmesg | grep -i nvrm  (names the cause); sudo reboot mostly helps",
    )


def card_lost(facts: MachineFacts) -> Iterator[Finding]:
    """A card no longer answers on the bus."""
    count = facts.driver.lost_cards
    if count:
        yield Finding(
            "card-lost",
            "warning" if facts.cards else "unusable",
            f"{count} NVIDIA card{'s do' if count > 1 else ' does'} not answer: lost on the PCI "
            "bus.",
            "A card that overheats or has too little power leaves the bus until a restart; "
            "programs that use it fail.",
            "sudo reboot  (if it comes back: check power cables and cooling)",
        )


def driver_knows_no_card(facts: MachineFacts) -> Iterator[Finding]:
    """The driver runs and lists no card."""
    if facts.driver.problem or facts.cards or not facts.is_real or facts.driver.lost_cards:
        return
    if facts.slots_of("NVIDIA"):
        yield Finding(
            "driver-knows-no-card",
            "unusable",
            "The NVIDIA driver runs, and does not serve the card that is on the PCI bus.",
            "The driver is too old or too new for this card, or the card is passed to a virtual "
            "machine (vfio-pci).",
            "lspci -nnk -d 10de:  (shows which driver has the card); "
            + _INSTALL.get(facts.system.distribution, _INSTALL_ELSEWHERE),
        )
    elif facts.driver.version and not facts.has_amd():
        yield Finding(
            "driver-without-card",
            "unusable",
            "The NVIDIA driver runs, and there is no NVIDIA card.",
            "In a virtual machine or container the card has to be handed in from outside.",
            SIMULATE,
        )


def package_missing(facts: MachineFacts) -> Iterator[Finding]:
    """The package that asks the driver is not installed."""
    if facts.driver.problem == "PackageMissing" and facts.slots_of("NVIDIA"):
        yield Finding(
            "nvml-missing",
            "unusable",
            "The package nvidia-ml-py is not installed.",
            "placewise asks the driver for the cards through it.",
            "pip install nvidia-ml-py",
        )


def windows_driver(facts: MachineFacts) -> Iterator[Finding]:
    """Linux under Windows uses the driver of Windows."""
    if not facts.system.is_wsl or not facts.driver.problem:
        return
    if any(file.path == "/dev/dxg" for file in facts.files):
        what = "This is Linux under Windows (WSL 2), and Windows has no NVIDIA driver for it."
        fix = "install the NVIDIA driver in Windows (not in Linux), then in Windows: wsl --shutdown"
    else:
        what = "This is Linux under Windows, without access to the GPU (/dev/dxg is missing)."
        fix = "in Windows: wsl --update, and wsl --set-version <distribution> 2"
    yield Finding(
        "windows-driver",
        "unusable",
        what,
        "WSL reaches the card through the driver of Windows.",
        fix,
    )


RULES = (
    no_card,
    mac_without_gpu,
    driver_missing,
    module_not_loaded,
    version_mismatch,
    driver_refuses,
    card_lost,
    driver_knows_no_card,
    package_missing,
    windows_driver,
)
