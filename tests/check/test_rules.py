"""Each rule about a machine, on facts that are written down here."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from placewise.check.finding import Finding, exit_status, sort_findings
from placewise.check.machine import (
    Amd,
    CardFacts,
    DeviceFile,
    Driver,
    Folder,
    Health,
    Limits,
    MachineFacts,
    Processor,
    Requirement,
    System,
    Torch,
)
from placewise.check.reading.machine import simulated_cards
from placewise.check.rules import judge_machine
from placewise.check.torch_build import architectures, runs_on
from placewise.devices.pci import Slot

GIB = 1 << 30
NVIDIA, AMD = Slot("0000:3b:00.0", "NVIDIA"), Slot("0000:03:00.0", "AMD")
HEALTHY = MachineFacts(
    slots=(NVIDIA,),
    driver=Driver(version="580.82", cuda=(13, 0)),
    cards=simulated_cards("A100"),
    torch=Torch("2.13.0", cuda="13.0"),
)


def with_card(**changes: Any) -> tuple[CardFacts, ...]:
    """Return the card of the healthy machine, with changes to its health."""
    return (replace(HEALTHY.cards[0], health=Health(**changes)),)


def of_cluster(cluster: Any, task: Any = None) -> dict[str, str]:
    """Return the variable that describes a cluster."""
    task = {"type": "worker", "index": 0} if task is None else task
    return {"TF_CONFIG": json.dumps({"cluster": cluster, "task": task})}


AMD_MACHINE: dict[str, Any] = {
    "slots": (AMD,),
    "cards": (),
    "driver": Driver(problem="LibraryNotFound", is_module_loaded=False),
    "torch": Torch("2.13.0", hip="6.4"),
    "files": (DeviceFile("/dev/kfd"),),
    "amd": Amd(True, ("gfx90a",)),
}

CASES: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "the package that asks the driver is missing": (
        {"driver": Driver(problem="PackageMissing"), "cards": ()},
        "nvml-missing",
        "unusable",
        "pip install nvidia-ml-py",
    ),
    "the driver fails in a way without a rule": (
        {"driver": Driver(problem="GpuIsLost", detail="GPU is lost"), "cards": ()},
        "driver-error",
        "unusable",
        "sudo dmesg",
    ),
    "a driver and no card": (
        {"cards": (), "slots": ()},
        "driver-without-card",
        "unusable",
        "--simulate",
    ),
    "all cards lost": (
        {"cards": (), "driver": Driver(version="580.82", lost_cards=2)},
        "card-lost",
        "unusable",
        "sudo reboot",
    ),
    "no access to the GPU from Linux under Windows": (
        {
            "system": System(is_wsl=True),
            "cards": (),
            "slots": (),
            "driver": Driver(problem="LibraryNotFound"),
        },
        "windows-driver",
        "unusable",
        "wsl --update",
    ),
    "a Mac without an Apple processor": (
        {
            "system": System("darwin"),
            "cards": (),
            "slots": (),
            "driver": Driver(problem="LibraryNotFound"),
        },
        "mac-without-gpu",
        "unusable",
        "--simulate",
    ),
    "a driver of Debian": (
        {
            "system": System(distribution="debian"),
            "cards": (),
            "driver": Driver(problem="LibraryNotFound"),
        },
        "driver-missing",
        "unusable",
        "sudo apt install nvidia-driver",
    ),
    "a pod without GPUs": (
        {
            "system": System(container="kubernetes"),
            "cards": (),
            "driver": Driver(problem="LibraryNotFound"),
        },
        "container-without-gpus",
        "unusable",
        "nvidia.com/gpu: 1",
    ),
    "device files of a group": (
        {"files": (DeviceFile("/dev/nvidia0", False, "video"),), "system": System(user="me")},
        "device-permissions",
        "unusable",
        "sudo usermod -aG video me",
    ),
    "AMD's device files": (
        AMD_MACHINE | {"files": (DeviceFile("/dev/kfd", False),)},
        "device-permissions-amd",
        "unusable",
        "sudo usermod -aG render,video",
    ),
    "an AMD card and a torch for CUDA": (
        AMD_MACHINE | {"torch": Torch("2.13.0", cuda="13.0")},
        "torch-wrong-vendor",
        "unusable",
        "choose a ROCm build",
    ),
    "an AMD card in a container": (
        AMD_MACHINE | {"files": (), "system": System(container="docker")},
        "amd-driver",
        "unusable",
        "--device /dev/kfd",
    ),
    "AMD cards hidden": (
        AMD_MACHINE | {"variables": {"HIP_VISIBLE_DEVICES": "-1"}},
        "masked-amd",
        "unusable",
        "unset HIP_VISIBLE_DEVICES",
    ),
    "a card newer than torch": (
        {"torch": Torch("2.13.0", cuda="12.6"), "cards": simulated_cards("B200")},
        "capability-unsupported",
        "unusable",
        "CUDA 13.0 build",
    ),
    "a card that no released torch has kernels for": (
        {"cards": simulated_cards("K80")},
        "capability-unsupported",
        "unusable",
        "build torch from source",
    ),
    "one of two cards without kernels": (
        {"cards": simulated_cards("A100@01:00.0,P100@02:00.0")},
        "capability-unsupported",
        "warning",
        "CUDA 12.6 build",
    ),
    "a package missing": (
        {"requirements": (Requirement("keras", "==3.15.1", None),)},
        "package-version",
        "error",
        "pip install 'keras==3.15.1'",
    ),
    "a scheduler that gave no GPU": (
        {"variables": {"CUDA_VISIBLE_DEVICES": "NoDevFiles"}},
        "masked",
        "unusable",
        "srun --gres=gpu:1",
    ),
    "a card named twice": (
        {"variables": {"CUDA_VISIBLE_DEVICES": "0,0"}},
        "mask-mistake",
        "unusable",
        "export CUDA_VISIBLE_DEVICES=0",
    ),
    "a simulated machine that is none": (
        {"variables": {"PLACEWISE_SIMULATE": "4xNothing"}},
        "simulate-mistake",
        "error",
        "unset PLACEWISE_SIMULATE",
    ),
    "a least number of multiprocessors that no card has": (
        {"variables": {"TF_MIN_GPU_MULTIPROCESSOR_COUNT": "500"}},
        "multiprocessors",
        "unusable",
        "unset TF_MIN_GPU_MULTIPROCESSOR_COUNT",
    ),
    "a least number of multiprocessors that is none": (
        {"variables": {"TF_MIN_GPU_MULTIPROCESSOR_COUNT": "many"}},
        "multiprocessors",
        "warning",
        "unset TF_MIN_GPU_MULTIPROCESSOR_COUNT",
    ),
    "memory that is no amount": (
        {"variables": {"PLACEWISE_MEMORY": "lots"}},
        "memory-setting",
        "error",
        "export PLACEWISE_MEMORY=growth",
    ),
    "a repair that waits": (
        {"cards": with_card(repair_pending=True)},
        "memory-errors",
        "error",
        "--gpu-reset",
    ),
    "too little power": (
        {"cards": with_card(slowed_by=("power brake from outside",))},
        "slowed-down",
        "warning",
        "power cables",
    ),
    "persistence mode off": (
        {"cards": with_card(is_persistent=False)},
        "persistence",
        "note",
        "sudo nvidia-smi -pm 1",
    ),
    "a cluster that is no object": (
        {"variables": {"TF_CONFIG": "[]"}},
        "tf-config-form",
        "error",
        "export TF_CONFIG=",
    ),
    "a cluster without a task": (
        {"variables": of_cluster({"worker": ["a:1"]}, {})},
        "tf-config-task",
        "error",
        '"task": {"type": "worker"',
    ),
    "an address without a port": (
        {"variables": of_cluster({"worker": ["a"]})},
        "tf-config-address",
        "error",
        "a:2222",
    ),
    "a job misspelt": (
        {"variables": of_cluster({"wroker": ["a:1"]}, {"type": "wroker", "index": 0})},
        "tf-config-job",
        "error",
        'write "worker"',
    ),
    "parameter servers without a chief": (
        {"variables": of_cluster({"worker": ["a:1"], "ps": ["b:1"]})},
        "tf-config-chief",
        "warning",
        '"chief"',
    ),
    "two chiefs": (
        {"variables": of_cluster({"chief": ["a:1", "b:1"], "worker": ["c:1"]})},
        "tf-config-chief",
        "error",
        'move the others to "worker"',
    ),
    "a setting that placewise does not have": (
        {"variables": {"PLACEWISE_COLOUR": "red"}},
        "variable-unknown",
        "warning",
        "unset PLACEWISE_COLOUR",
    ),
    "a setting of placewise misspelt": (
        {"variables": {"PLACEWISE_MEMROY": "0.4"}},
        "variable-misspelt",
        "warning",
        "export PLACEWISE_MEMORY=0.4",
    ),
    "a log level that is none": (
        {"variables": {"TF_CPP_MIN_LOG_LEVEL": "ERROR"}},
        "log-level",
        "warning",
        "export TF_CPP_MIN_LOG_LEVEL=2",
    ),
    "a log level that hides errors": (
        {"variables": {"TF_CPP_MIN_LOG_LEVEL": "3"}},
        "log-level",
        "note",
        "export TF_CPP_MIN_LOG_LEVEL=2",
    ),
    "all memory kept for the system": (
        {"variables": {"TF_DEVICE_MIN_SYS_MEMORY_IN_MB": "99999999"}},
        "system-memory",
        "error",
        "unset TF_DEVICE_MIN_SYS_MEMORY_IN_MB",
    ),
    "another backend of Keras": (
        {"variables": {"KERAS_BACKEND": "jax"}},
        "keras-backend",
        "warning",
        "export KERAS_BACKEND=tensorflow",
    ),
    "waiting for every kernel": (
        {"variables": {"CUDA_LAUNCH_BLOCKING": "1"}},
        "launch-blocking",
        "warning",
        "unset CUDA_LAUNCH_BLOCKING",
    ),
    "a number of threads that is none": (
        {"variables": {"OMP_NUM_THREADS": "all"}},
        "threads-mistake",
        "warning",
        "export OMP_NUM_THREADS=8",
    ),
    "one thread": (
        {"variables": {"OMP_NUM_THREADS": "1"}},
        "threads-one",
        "note",
        "export OMP_NUM_THREADS=8",
    ),
    "threads of Intel's library that spin": (
        {"variables": {"KMP_BLOCKTIME": "infinite"}},
        "threads-spin",
        "warning",
        "unset KMP_BLOCKTIME",
    ),
    "one core of many": (
        {"processor": Processor(cores=64, allowed=1)},
        "affinity",
        "warning",
        "taskset -cp 0-63",
    ),
    "a full home folder": (
        {"home": Folder("/home/me", free_bytes=1 << 20)},
        "home-full",
        "warning",
        "du -xh ~",
    ),
    "a temporary folder that is closed": (
        {"temporary": Folder("/tmp", is_writable=False)},
        "tmp-unusable",
        "warning",
        "export TMPDIR=",
    ),
    "shared memory that is full": (
        {"shared_memory": Folder("/dev/shm", total_bytes=8 * GIB, free_bytes=0)},
        "shared-memory",
        "warning",
        "ls -lS /dev/shm",
    ),
    "little shared memory outside of a container": (
        {"shared_memory": Folder("/dev/shm", total_bytes=1 << 20, free_bytes=1 << 20)},
        "shared-memory",
        "warning",
        "remount,size=8G",
    ),
    "a container with little memory": (
        {"processor": Processor(memory_limit_bytes=GIB), "system": System(container="docker")},
        "host-memory",
        "warning",
        "docker run --memory=8g",
    ),
    "few processes": (
        {"limits": Limits(processes=50)},
        "process-count",
        "warning",
        "ulimit -u 4096",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_rule_names_what_is_wrong(name: str) -> None:
    changes, code, severity, fix = CASES[name]
    findings = judge_machine(replace(HEALTHY, **changes))
    assert [(finding.code, finding.severity) for finding in findings] == [(code, severity)]
    assert fix in findings[0].fix


def test_nothing_is_said_about_a_healthy_machine() -> None:
    assert judge_machine(HEALTHY) == []


def test_nothing_is_said_about_the_driver_of_a_simulated_machine() -> None:
    facts = MachineFacts(simulated="K40c", cards=simulated_cards("K40c"), torch=Torch("2.13.0"))
    assert judge_machine(facts) == []


@pytest.mark.parametrize("value", ["", "9" * 5000, "-1", "\u0663", "[" * 5000, "{}", "0x1", "null"])
def test_any_value_of_a_variable_can_be_judged(value: str) -> None:
    names = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "TF_CONFIG", "OMP_NUM_THREADS")
    names += ("TF_MIN_GPU_MULTIPROCESSOR_COUNT", "TF_DEVICE_MIN_SYS_MEMORY_IN_MB")
    names += ("PLACEWISE_SIMULATE", "PLACEWISE_MEMORY", "LD_LIBRARY_PATH", "TF_CPP_MIN_LOG_LEVEL")
    for finding in judge_machine(replace(HEALTHY, variables=dict.fromkeys(names, value))):
        assert finding.what and finding.why and finding.fix


def test_an_apple_processor_needs_no_driver() -> None:
    facts = MachineFacts(
        system=System("darwin", architecture="arm64"), driver=Driver(problem="LibraryNotFound")
    )
    assert judge_machine(facts) == []


def test_intels_cards_need_no_driver_of_nvidia() -> None:
    facts = MachineFacts(
        driver=Driver(problem="LibraryNotFound", is_module_loaded=False),
        torch=Torch("2.13.0", xpu="20250100"),
        files=(DeviceFile("/dev/dri/renderD128"),),
    )
    assert judge_machine(facts) == []


def test_an_evaluator_need_not_be_part_of_the_cluster() -> None:
    variables = of_cluster({"worker": ["a:1"]}, {"type": "evaluator", "index": 0})
    assert judge_machine(replace(HEALTHY, variables=variables)) == []


def test_the_kernels_of_a_generation_run_on_its_later_cards() -> None:
    built = architectures(Torch("2.13.0", cuda="12.6")) or ()
    runs = {card: runs_on(card, built) for card in ((6, 1), (8, 9), (9, 0), (3, 5), (10, 0))}
    assert runs == {(6, 1): True, (8, 9): True, (9, 0): True, (3, 5): False, (10, 0): False}


def test_volta_was_in_some_releases_of_one_build() -> None:
    has = {
        version: (7, 0) in (architectures(Torch(version, cuda="12.8")) or ())
        for version in ("2.7.1", "2.8.0", "2.10.0+cu128", "2.11.0")
    }
    assert has == {"2.7.1": False, "2.8.0": True, "2.10.0+cu128": True, "2.11.0": False}
    assert architectures(Torch("9.0", cuda="99.9")) is None


def test_the_exit_status_is_that_of_the_worst_finding() -> None:
    def make(severity: Any) -> Finding:
        return Finding(severity, severity, "what", "why", "fix")

    assert [exit_status([make(word)]) for word in ("unusable", "error", "warning", "note")] == [
        2,
        1,
        1,
        0,
    ]
    assert exit_status([]) == 0
    mixed = [make("note"), make("unusable"), make("note"), make("warning")]
    assert [one.severity for one in sort_findings(mixed)] == ["unusable", "warning", "note"]
