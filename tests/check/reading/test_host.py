"""The host: shares of a container, folders, hosts of a cluster."""

import time
from dataclasses import replace
from pathlib import Path

from placewise.check.machine import Folder, Limits
from placewise.check.reading import host
from tests.check.stand_ins import GIB, make_machine


def test_a_share_of_time_is_read_in_both_versions_of_control_groups(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    assert host.read_processor(machine.sources()).quota is None
    machine.write("/sys/fs/cgroup/cpu.max", "250000 100000\n")
    assert host.read_processor(machine.sources()).quota == 2.5
    machine.remove("/sys/fs/cgroup/cpu.max")
    machine.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "800000\n")
    machine.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    assert host.read_processor(machine.sources()).quota == 8
    machine.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n")
    assert host.read_processor(machine.sources()).quota is None


def test_a_limit_of_memory_is_read_in_both_versions_of_control_groups(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    assert host.read_processor(machine.sources()).memory_bytes == 65536000 * 1024
    machine.write("/sys/fs/cgroup/memory.max", "max\n")
    assert host.read_processor(machine.sources()).memory_limit_bytes is None
    machine.write("/sys/fs/cgroup/memory.max", f"{GIB}\n")
    assert host.read_processor(machine.sources()).memory_limit_bytes == GIB
    machine.remove("/sys/fs/cgroup/memory.max")
    machine.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    assert host.read_processor(machine.sources()).memory_limit_bytes is None


def test_the_lesser_limit_of_processes_holds(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.write("/sys/fs/cgroup/pids.max", "100\n")
    machine.limits = Limits(processes=5000)
    assert host.read_limits(machine.sources()).processes == 100


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    machine = make_machine(tmp_path)
    machine.sizes["/tmp"] = (10, 4)
    assert host.read_folder(machine.sources(), "/tmp") == Folder("/tmp", True, True, 10, 4)
    assert host.read_folder(machine.sources(), "/gone") == Folder("/gone", exists=False)


def test_a_name_server_that_does_not_answer_is_not_waited_for(tmp_path: Path) -> None:
    sources = replace(make_machine(tmp_path).sources(), resolve=lambda host: time.sleep(20) or True)
    before = time.monotonic()
    assert host.find_unresolved(sources, {"slow", "slower"}) == {"slow", "slower"}
    assert time.monotonic() - before < 5
