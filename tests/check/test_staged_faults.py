"""Faults staged on a healthy machine: `placewise check` names each, with the fix that mends it.

Each fault runs the whole command (reading, rules, printing) on a folder that stands for the root of
a machine and on stand-ins for its driver.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from placewise.check.machine import Limits
from placewise.cli.check import check
from placewise.cli.main import build_parser
from placewise.devices.nvml import Process
from tests.check.stand_ins import GIB, Fault, Machine, Nvml, a100, make_machine, nvml_error

STAGED: dict[str, tuple[Fault, str, str, int]] = {}


def fault(code: str, fix: str, status: int) -> Any:
    """Register a fault: the code of the finding, a part of its fix, and the exit status."""

    def register(stage: Fault) -> Fault:
        STAGED[stage.__name__] = stage, code, fix, status
        return stage

    return register


@fault("no-card", "placewise run --simulate", 2)
def no_card_at_all(machine: Machine) -> None:
    machine.without_cards()
    machine.set_torch()


@fault("driver-missing", "sudo ubuntu-drivers install", 2)
def driver_not_installed(machine: Machine) -> None:
    machine.without_driver()


@fault("driver-not-loaded", "sudo modprobe nvidia", 2)
def kernel_module_not_loaded(machine: Machine) -> None:
    machine.without_driver("DriverNotLoaded")


@fault("driver-nouveau", "blacklist nouveau", 2)
def nouveau_has_the_card(machine: Machine) -> None:
    machine.without_driver("DriverNotLoaded")
    machine.write("/proc/modules", "nouveau 1 2 - Live\n")


@fault("driver-mismatch", "sudo reboot", 2)
def driver_updated_without_restart(machine: Machine) -> None:
    machine.nvml = Nvml(fails=nvml_error("LibRmVersionMismatch"))
    machine.write("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.590.10")


@fault("card-lost", "sudo reboot", 1)
def one_of_two_cards_lost(machine: Machine) -> None:
    machine.nvml = Nvml(a100(0), a100(1, is_lost=True))


@fault("driver-knows-no-card", "lspci -nnk", 2)
def card_passed_to_a_virtual_machine(machine: Machine) -> None:
    machine.nvml = Nvml()


@fault("device-permissions", "sudo chmod a+rw /dev/nvidia0", 2)
def device_file_closed(machine: Machine) -> None:
    machine.closed.add("/dev/nvidia0")


@fault("uvm-missing", "sudo nvidia-modprobe -u", 2)
def unified_memory_file_missing(machine: Machine) -> None:
    machine.remove("/dev/nvidia-uvm")


@fault("container-without-gpus", "docker run --gpus all", 2)
def container_without_gpus(machine: Machine) -> None:
    machine.without_driver()
    machine.write("/.dockerenv")


@fault("container-hides-gpus", "NVIDIA_VISIBLE_DEVICES=all", 2)
def container_told_to_hide_gpus(machine: Machine) -> None:
    machine.without_driver()
    machine.write("/.dockerenv")
    machine.variables["NVIDIA_VISIBLE_DEVICES"] = "void"


@fault("container-capabilities", "NVIDIA_DRIVER_CAPABILITIES=compute,utility", 2)
def container_without_cuda(machine: Machine) -> None:
    machine.write("/.dockerenv")
    machine.variables["NVIDIA_DRIVER_CAPABILITIES"] = "utility"


@fault("container-lost-gpu", "restart the container", 2)
def container_lost_its_gpus(machine: Machine) -> None:
    machine.write("/.dockerenv")
    machine.nvml = Nvml(fails=nvml_error("Unknown", "Unknown Error"))


@fault("windows-driver", "wsl --shutdown", 2)
def windows_without_driver(machine: Machine) -> None:
    machine.without_cards()
    machine.write("/proc/version", "Linux version 5.15.0-microsoft-standard-WSL2\n")
    machine.write("/dev/dxg")


@fault("torch-missing", "pip install torch", 2)
def torch_not_installed(machine: Machine) -> None:
    machine.has_torch = False
    del machine.versions["torch"]


@fault("torch-cpu-only", "choose a CUDA build of torch", 2)
def torch_for_the_cpu(machine: Machine) -> None:
    machine.set_torch()


@fault("torch-wrong-vendor", "choose a CUDA build of torch", 2)
def torch_for_amd_with_an_nvidia_card(machine: Machine) -> None:
    machine.set_torch(hip="6.4")


@fault("driver-too-old", "update the NVIDIA driver to 580.65 or later", 2)
def driver_older_than_torch(machine: Machine) -> None:
    machine.nvml.driver, machine.nvml.cuda = "535.183.01", 12020


@fault("capability-unsupported", "choose the CUDA 12.6 build", 2)
def card_too_old_for_torch(machine: Machine) -> None:
    machine.nvml = Nvml(a100(name="Tesla P100-PCIE-16GB", cudacomputecapability=(6, 0)))


@fault("foreign-cuda", "unset LD_LIBRARY_PATH", 1)
def another_cuda_before_that_of_torch(machine: Machine) -> None:
    machine.variables["LD_LIBRARY_PATH"] = "/usr/local/cuda-11.8/lib64"


@fault("package-version", "pip install 'numpy>=2.0'", 1)
def numpy_too_old(machine: Machine) -> None:
    machine.versions["numpy"] = "1.26.4"


@fault("masked", "unset CUDA_VISIBLE_DEVICES", 2)
def all_cards_masked(machine: Machine) -> None:
    machine.variables["CUDA_VISIBLE_DEVICES"] = "-1"


@fault("mask-mistake", "export CUDA_VISIBLE_DEVICES=0,1", 1)
def mask_beyond_the_machine(machine: Machine) -> None:
    machine.nvml = Nvml(a100(0), a100(1))
    machine.variables["CUDA_VISIBLE_DEVICES"] = "0,7,1"


@fault("mask-mistake", "export CUDA_VISIBLE_DEVICES=0", 2)
def mask_with_an_unknown_uuid(machine: Machine) -> None:
    machine.variables["CUDA_VISIBLE_DEVICES"] = "GPU-deadbeef"


@fault("mask-mistake", "export CUDA_VISIBLE_DEVICES=0", 2)
def mask_that_is_no_list(machine: Machine) -> None:
    machine.variables["CUDA_VISIBLE_DEVICES"] = "gpu0"


@fault("index-confusion", "export CUDA_DEVICE_ORDER=PCI_BUS_ID", 1)
def slower_card_first_on_the_bus(machine: Machine) -> None:
    machine.nvml = Nvml(a100(0, name="Tesla T4", cudacomputecapability=(7, 5)), a100(1))


@fault("order-mistake", "export CUDA_DEVICE_ORDER=PCI_BUS_ID", 1)
def order_misspelt(machine: Machine) -> None:
    machine.variables["CUDA_DEVICE_ORDER"] = "PCI_BUS"


@fault("mig-empty", "sudo nvidia-smi mig -i 0 -cgi 7g.40gb -C", 2)
def mig_without_instances(machine: Machine) -> None:
    machine.nvml = Nvml(a100(migmode=(1, 1), slices=[]))


@fault("mig-one-instance", "export CUDA_VISIBLE_DEVICES=MIG-b", 1)
def mig_with_two_instances(machine: Machine) -> None:
    part = {"name": f"{a100()['name']} MIG 3g.20gb", "total": 20 * GIB, "computeinstanceid": 0}
    slices = [part | {"uuid": f"MIG-{name}", "gpuinstanceid": i} for i, name in enumerate("ab")]
    machine.nvml = Nvml(a100(migmode=(1, 1), slices=slices))


@fault("compute-mode", "sudo nvidia-smi -i 0 -c DEFAULT", 2)
def computing_prohibited(machine: Machine) -> None:
    machine.nvml = Nvml(a100(computemode=2))


@fault("simulated", "unset PLACEWISE_SIMULATE", 1)
def simulation_left_on(machine: Machine) -> None:
    machine.variables["PLACEWISE_SIMULATE"] = "4xV100"


@fault("memory-taken", "placewise run --gpus free", 1)
def memory_taken_by_another(machine: Machine) -> None:
    process = Process(4711, "python", 30 * GIB)
    busy = a100(0, used=30 * GIB, computerunningprocesses=[_Running(process)])
    machine.nvml = Nvml(busy, a100(1))


class _Running:
    """A process as the library lists it."""

    def __init__(self, process: Process) -> None:
        self.pid, self.usedGpuMemory = process.pid, process.used_bytes


@fault("leased", "placewise run --gpus free", 1)
def card_leased(machine: Machine) -> None:
    machine.leases[a100()["uuid"]] = ("pid 42 since 2026-11-17 10:00:00 (placewise run x.py)",)


@fault("memory-errors", "sudo nvidia-smi -i 0 --gpu-reset", 1)
def memory_broken(machine: Machine) -> None:
    machine.nvml = Nvml(a100(totaleccerrors=3))


@fault("slowed-down", "cooler air", 1)
def card_too_hot(machine: Machine) -> None:
    machine.nvml = Nvml(a100(currentclocksthrottlereasons=0x60, temperature=92))


@fault("narrow-link", "slot with 16 lanes", 1)
def card_in_a_narrow_slot(machine: Machine) -> None:
    machine.nvml = Nvml(a100(currpcielinkwidth=4))


@fault("tf-config-json", "json.dumps", 1)
def cluster_in_python_quotes(machine: Machine) -> None:
    machine.variables["TF_CONFIG"] = "{'cluster': {'worker': ['a:1']}}"


@fault("tf-config-index", "indices count from 0", 1)
def task_beyond_the_cluster(machine: Machine) -> None:
    machine.variables["TF_CONFIG"] = _config(["a:1", "b:1"], "worker", 2)


@fault("tf-config-task", '"type": "worker"', 1)
def task_of_an_unknown_job(machine: Machine) -> None:
    machine.variables["TF_CONFIG"] = _config(["a:1", "b:1"], "workers", 0)


@fault("tf-config-duplicate", "an address of its own", 1)
def two_tasks_at_one_address(machine: Machine) -> None:
    machine.variables["TF_CONFIG"] = _config(["a:1", "a:1"], "worker", 0)


@fault("tf-config-host", "getent hosts nowhere", 1)
def host_that_nobody_knows(machine: Machine) -> None:
    machine.variables["TF_CONFIG"] = _config(["a:1", "nowhere:1"], "worker", 0)
    machine.unknown_hosts.add("nowhere")


def _config(workers: list[str], kind: str, index: int) -> str:
    cluster = {"worker": workers}
    return json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})


@fault("variable-misspelt", "export TF_FORCE_GPU_ALLOW_GROWTH=true", 1)
def growth_misspelt(machine: Machine) -> None:
    machine.variables["TF_FORCE_GPU_ALLOW_GROWHT"] = "true"


@fault("variable-misspelt", "export CUDA_VISIBLE_DEVICES=0", 1)
def mask_misspelt(machine: Machine) -> None:
    machine.variables["CUDA_VISIBLE_DEVICE"] = "0"


@fault("growth-value", "export TF_FORCE_GPU_ALLOW_GROWTH=true", 1)
def growth_with_a_number(machine: Machine) -> None:
    machine.variables["TF_FORCE_GPU_ALLOW_GROWTH"] = "1"


@fault("threads-quota", "export OMP_NUM_THREADS=4", 0)
def container_with_a_share_of_time(machine: Machine) -> None:
    machine.cores = (64, 64)
    machine.write("/sys/fs/cgroup/cpu.max", "400000 100000\n")


@fault("threads-too-many", "export OMP_NUM_THREADS=16", 1)
def more_threads_than_cores(machine: Machine) -> None:
    machine.variables["OMP_NUM_THREADS"] = "64"


@fault("threads-spin", "export OMP_WAIT_POLICY=passive", 1)
def threads_that_spin(machine: Machine) -> None:
    machine.variables["OMP_WAIT_POLICY"] = "ACTIVE"


@fault("shared-memory", "docker run --shm-size=8g", 1)
def little_shared_memory(machine: Machine) -> None:
    machine.write("/.dockerenv")
    machine.sizes["/dev/shm"] = (64 << 20, 64 << 20)


@fault("tmp-full", "export TMPDIR=", 1)
def disk_full(machine: Machine) -> None:
    machine.sizes["/tmp"] = (500 * GIB, 100 << 20)


@fault("tmp-unusable", "mkdir -p /scratch/me", 1)
def temporary_folder_gone(machine: Machine) -> None:
    machine.variables["TMPDIR"] = "/scratch/me"


@fault("open-files", "ulimit -n 4096", 1)
def few_open_files(machine: Machine) -> None:
    machine.limits = Limits(open_files=256, open_files_most=4096)


@fault("address-space", "ulimit -v unlimited", 2)
def addresses_limited(machine: Machine) -> None:
    machine.limits = Limits(address_space_bytes=16 * GIB)


@fault("amd-driver", "sudo modprobe amdgpu", 2)
def amd_card_without_driver(machine: Machine) -> None:
    machine.without_cards()
    machine.put_on_bus("0000:03:00.0", "0x1002")
    machine.set_torch(hip="6.4")


@fault("rocm-architecture", "export HSA_OVERRIDE_GFX_VERSION=10.3.0", 2)
def amd_card_without_kernels(machine: Machine) -> None:
    machine.without_cards()
    machine.put_on_bus("0000:03:00.0", "0x1002")
    machine.set_torch(hip="6.4")
    machine.write("/proc/modules", "amdgpu 1 2 - Live\n")
    machine.write("/dev/kfd")
    machine.write("/sys/class/kfd/kfd/topology/nodes/1/properties", "gfx_target_version 100301\n")


def run(machine: Machine, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Run `placewise check` on the machine; return the exit status and what it printed."""
    status = check(build_parser().parse_args(["check", *words]), machine.sources())
    return status, capsys.readouterr().out


@pytest.mark.parametrize("name", STAGED)
def test_a_staged_fault_is_named_with_its_fix(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage, code, fix, status = STAGED[name]
    machine = make_machine(tmp_path)
    stage(machine)
    found_status, out = run(machine, capsys, "--json")
    findings = json.loads(out)["findings"]
    assert [finding["code"] for finding in findings] == [code], findings
    assert fix in findings[0]["fix"]
    assert findings[0]["what"] and findings[0]["why"]
    assert found_status == status == json.loads(out)["status"]


def test_a_healthy_machine_gives_no_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = run(make_machine(tmp_path), capsys)
    assert status == 0
    assert out.splitlines()[1:] == [
        "NVIDIA driver 580.82.07 (CUDA 13.0)",
        "  nvidia-smi 0: NVIDIA A100-SXM4-40GB, 0.0 of 40.0 GiB used",
        "Threads of operations on the CPU: 16 (of 16 cores), sleep while they wait",
        "",
        "Nothing to complain about. Exit status 0.",
    ]


HEALTHY: dict[str, Fault] = {
    "two equal cards, one chosen": lambda machine: (
        setattr(machine, "nvml", Nvml(a100(0), a100(1))),
        machine.variables.update(CUDA_VISIBLE_DEVICES="1"),
    ),
    "a newer minor version of CUDA in torch than in the driver": lambda machine: (
        setattr(machine.nvml, "cuda", 12020),
        machine.set_torch(cuda="12.8"),
    ),
    "a card of the same generation, without kernels of its own": lambda machine: setattr(
        machine, "nvml", Nvml(a100(name="NVIDIA GeForce RTX 4090", cudacomputecapability=(8, 9)))
    ),
    "a desktop on the card": lambda machine: setattr(machine, "nvml", Nvml(a100(used=2 * GIB))),
    "a container with everything": lambda machine: (
        machine.write("/.dockerenv"),
        machine.variables.update(
            NVIDIA_VISIBLE_DEVICES="all", NVIDIA_DRIVER_CAPABILITIES="compute,utility"
        ),
    ),
    "a cluster as it should be": lambda machine: machine.variables.update(
        TF_CONFIG=_config(["a:1", "b:1"], "worker", 1)
    ),
    "settings as they should be": lambda machine: machine.variables.update(
        TF_FORCE_GPU_ALLOW_GROWTH="true",
        TF_CPP_MIN_LOG_LEVEL="2",
        TF_ENABLE_ONEDNN_OPTS="0",
        CUDA_PATH_V12_4="/usr/local/cuda",
        OMP_NUM_THREADS="16",
        PLACEWISE_MEMORY="0.4",
    ),
    "an AMD card with its driver": lambda machine: (
        machine.without_cards(),
        machine.put_on_bus("0000:03:00.0", "0x1002"),
        machine.set_torch(hip="6.4"),
        machine.write("/proc/modules", "amdgpu 1 2 - Live\n"),
        machine.write("/dev/kfd"),
        machine.write(
            "/sys/class/kfd/kfd/topology/nodes/1/properties", "gfx_target_version 90010\n"
        ),
    ),
}


@pytest.mark.parametrize("name", HEALTHY)
def test_what_is_in_order_raises_no_alarm(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = make_machine(tmp_path)
    HEALTHY[name](machine)
    status, out = run(machine, capsys, "--json")
    assert (status, json.loads(out)["findings"]) == (0, [])


def test_findings_are_ordered_by_severity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = make_machine(tmp_path)
    for name in ("threads_that_spin", "numpy_too_old", "all_cards_masked"):
        STAGED[name][0](machine)
    status, out = run(machine, capsys, "--json")
    severities = [finding["severity"] for finding in json.loads(out)["findings"]]
    assert (status, severities) == (2, ["unusable", "error", "warning"])


def test_at_least_thirty_faults_are_staged() -> None:
    assert len(STAGED) >= 30
