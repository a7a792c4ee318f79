"""Rules about reaching the driver: permissions of device files, and what a container was given."""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import DeviceFile, MachineFacts

_NOTHING = ("void", "none", "")
_GPUS = {
    "docker": "docker run --gpus all …",
    "podman": "podman run --device nvidia.com/gpu=all …",
    "kubernetes": "resources: {limits: {nvidia.com/gpu: 1}}  in the pod's container",
    "lxc": "lxc config device add NAME gpu gpu",
    "apptainer": "apptainer exec --nv …",
}


def container_without_gpus(facts: MachineFacts) -> Iterator[Finding]:
    """A container on a machine with cards was started without them."""
    system = facts.system
    if not system.container or not facts.is_real or facts.cards:
        return
    hidden = facts.variables.get("NVIDIA_VISIBLE_DEVICES")
    if hidden is not None and hidden in _NOTHING:
        yield Finding(
            "container-hides-gpus",
            "unusable",
            f"NVIDIA_VISIBLE_DEVICES={hidden!r} gives this container no GPU.",
            "The container runtime reads it when the container starts.",
            f"start the container with -e NVIDIA_VISIBLE_DEVICES=all, or {_GPUS['docker']}",
        )
        return
    on_host = facts.slots_of("NVIDIA") or facts.driver.is_module_loaded
    if facts.driver.problem in ("LibraryNotFound", "DriverNotLoaded") and on_host:
        yield Finding(
            "container-without-gpus",
            "unusable",
            f"This container ({system.container}) was started without the machine's NVIDIA cards.",
            "A container sees the card and the driver only when they are handed in.",
            _GPUS.get(system.container, _GPUS["docker"]),
        )


def driver_capabilities(facts: MachineFacts) -> Iterator[Finding]:
    """The container was given only a part of the driver."""
    text = facts.variables.get("NVIDIA_DRIVER_CAPABILITIES")
    if text is None or not facts.system.container or not text.strip():
        return
    parts = {part.strip() for part in text.split(",")}
    missing = [] if "all" in parts else sorted({"compute", "utility"} - parts)
    if missing:
        yield Finding(
            "container-capabilities",
            "unusable" if "compute" in missing else "warning",
            f"NVIDIA_DRIVER_CAPABILITIES={text!r} leaves out {' and '.join(missing)}.",
            "compute brings CUDA's library into the container, utility the one that lists cards.",
            "start the container with -e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
        )


def device_permissions(facts: MachineFacts) -> Iterator[Finding]:
    """Files of a driver are there, and this user may not open them."""
    closed = [file for file in facts.files if not file.can_use and file.path != "/dev/dxg"]
    refused = facts.driver.problem == "NoPermission"
    nvidia = [file for file in closed if file.path.startswith("/dev/nvidia")]
    if nvidia or refused:
        yield _closed("device-permissions", nvidia, facts)
    amd = [file for file in closed if not file.path.startswith("/dev/nvidia")]
    if amd and facts.has_amd():
        yield _closed("device-permissions-amd", amd, facts)


def _closed(code: str, files: list[DeviceFile], facts: MachineFacts) -> Finding:
    names = ", ".join(file.path for file in files) or "the NVIDIA driver"
    user = facts.system.user or "$USER"
    groups = {file.group for file in files} - {"", "root"}
    if groups:
        fix = f"sudo usermod -aG {','.join(sorted(groups))} {user}, then log in again"
    elif code == "device-permissions-amd":
        fix = f"sudo usermod -aG render,video {user}, then log in again"
    else:
        fix = f"sudo chmod a+rw {' '.join(file.path for file in files) or '/dev/nvidia*'}"
    return Finding(
        code,
        "unusable",
        f"The user {user} may not open {names}.",
        "A program reaches the card through these files.",
        fix,
    )


def unified_memory_file(facts: MachineFacts) -> Iterator[Finding]:
    """CUDA needs a second kernel module, whose file is made on first use by a root process."""
    paths = {file.path for file in facts.files}
    if "/dev/nvidiactl" not in paths or "/dev/nvidia-uvm" in paths or not facts.cards:
        return
    in_container = "start the container with --device /dev/nvidia-uvm, or --gpus all"
    yield Finding(
        "uvm-missing",
        "unusable",
        "/dev/nvidia-uvm is missing, though the driver runs.",
        "nvidia-smi works without it; CUDA fails to start (unknown error 999).",
        in_container if facts.system.container else "sudo nvidia-modprobe -u -c=0",
    )


RULES = (
    container_without_gpus,
    driver_capabilities,
    device_permissions,
    unified_memory_file,
)
