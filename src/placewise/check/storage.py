"""Rules about room for data: temporary files, shared memory, the host's memory, and limits."""

from __future__ import annotations

from collections.abc import Iterator

from placewise.check.finding import Finding
from placewise.check.machine import Folder, MachineFacts
from placewise.core.sizes import size_text
from placewise.devices.facts import GIB, MIB

_LITTLE_BYTES = GIB
_SMALL_SHARED_BYTES = 512 * MIB
_FEW_FILES = 1024
_FEW_PROCESSES = 256
_SMALL_MEMORY_BYTES = 2 * GIB


def temporary_folder(facts: MachineFacts) -> Iterator[Finding]:
    """Temporary files cannot be written, or have no room."""
    folder = facts.temporary
    if not folder.exists or not folder.is_writable:
        state = "does not exist" if not folder.exists else "cannot be written to"
        yield Finding(
            "tmp-unusable",
            "warning",
            f"The folder for temporary files, {folder.path}, {state}.",
            "Checkpoints, caches of datasets and compiled kernels are written there first.",
            f"mkdir -p {folder.path}" if not folder.exists else "export TMPDIR=$HOME/tmp",
        )
    elif folder.free_bytes < _LITTLE_BYTES:
        yield _full("tmp-full", folder, "export TMPDIR=/folder/on/a/larger/disk")


def home_folder(facts: MachineFacts) -> Iterator[Finding]:
    """The disk of the home folder is full."""
    if facts.home.exists and facts.home.free_bytes < _LITTLE_BYTES:
        yield _full("home-full", facts.home, "du -xh ~ | sort -h | tail  (shows what takes it)")


def _full(code: str, folder: Folder, fix: str) -> Finding:
    return Finding(
        code,
        "warning",
        f"{folder.path} has {size_text(folder.free_bytes)} left.",
        "Downloaded data, caches and checkpoints fail half-way with: no space left on device.",
        fix,
    )


def shared_memory(facts: MachineFacts) -> Iterator[Finding]:
    """Shared memory is too small for batches that processes hand to each other."""
    folder = facts.shared_memory
    if folder is None or facts.system.platform != "linux":
        return
    container = facts.system.container
    if not folder.exists:
        size, fix = "is missing", "sudo mount -t tmpfs -o size=8G tmpfs /dev/shm"
    elif folder.total_bytes < _SMALL_SHARED_BYTES:
        size = f"has {size_text(folder.total_bytes)}"
        fix = "sudo mount -o remount,size=8G /dev/shm"
    elif folder.free_bytes < 64 * MIB:
        size = f"is full ({size_text(folder.free_bytes)} left)"
        fix = "ls -lS /dev/shm  (remove what ended programs have left there)"
        container = ""
    else:
        return
    if container in ("docker", "podman"):
        fix = f"{container} run --shm-size=8g …"
    elif container == "kubernetes":
        fix = "mount an emptyDir with medium: Memory at /dev/shm in the pod"
    yield Finding(
        "shared-memory",
        "warning",
        f"Shared memory (/dev/shm) {size}.",
        "Processes that load data hand batches over through it, and NCCL its buffers: they end "
        "with a bus error.",
        fix,
    )


def host_memory(facts: MachineFacts) -> Iterator[Finding]:
    """The container may have little memory."""
    limit = facts.processor.memory_limit_bytes
    if limit is not None and limit < _SMALL_MEMORY_BYTES:
        yield Finding(
            "host-memory",
            "warning",
            f"This container may have {size_text(limit)} of memory.",
            "Loading CUDA's libraries takes more than 1 GiB; the kernel ends the program without "
            "a word (exit status 137).",
            "docker run --memory=8g …"
            if facts.system.container != "kubernetes"
            else "resources: {limits: {memory: 8Gi}}  in the pod's container",
        )


def open_files(facts: MachineFacts) -> Iterator[Finding]:
    """Few files may be open at once."""
    limit = facts.limits.open_files
    if limit is not None and limit < _FEW_FILES:
        most = facts.limits.open_files_most
        target = 65536 if most is None else min(most, 65536)
        yield Finding(
            "open-files",
            "warning",
            f"A process may have {limit} files open.",
            "Datasets of many files and loading processes fail with: too many open files.",
            f"ulimit -n {target}"
            if target > limit
            else "raise nofile in /etc/security/limits.conf",
        )


def address_space(facts: MachineFacts) -> Iterator[Finding]:
    """The size of a process is limited: CUDA reserves more addresses than there is memory."""
    limit = facts.limits.address_space_bytes
    if limit is None:
        return
    yield Finding(
        "address-space",
        "unusable" if facts.has_nvidia() and limit < 64 * GIB else "warning",
        f"ulimit -v allows a process {size_text(limit)} of addresses.",
        "CUDA reserves addresses for all memory of all cards at its start, and fails: out of "
        "memory.",
        "ulimit -v unlimited",
    )


def process_count(facts: MachineFacts) -> Iterator[Finding]:
    """Few threads may be started."""
    limit = facts.limits.processes
    if limit is not None and limit < _FEW_PROCESSES:
        yield Finding(
            "process-count",
            "warning",
            f"This user or container may have {limit} processes and threads.",
            "torch and data loading start some for each core, and fail: can't start new thread.",
            "docker run --pids-limit=-1 …" if facts.system.container else "ulimit -u 4096",
        )


RULES = (
    temporary_folder,
    home_folder,
    shared_memory,
    host_memory,
    open_files,
    address_space,
    process_count,
)
