"""The host and its processes, from copies of /proc and from this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from placewise.monitor import processes
from placewise.monitor.host import HostReader


def test_load_and_memory_follow_from_the_kernels_figures(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  100 0 100 700 100 0 0 0 0 0\n")
    (tmp_path / "meminfo").write_text("MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\n")
    reader = HostReader(tmp_path)
    (tmp_path / "stat").write_text("cpu  160 0 120 810 110 0 0 0 0 0\n")
    host = reader.read()
    assert host.load_percent == 40
    assert (host.memory_used_bytes, host.memory_total_bytes) == (600 << 10, 1000 << 10)


def test_no_time_has_passed(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  100 0 100 700 100 0 0 0 0 0\n")
    assert HostReader(tmp_path).read().load_percent is None


def test_this_process_is_found() -> None:
    facts = processes.find(os.getpid())
    assert facts is not None
    assert (facts.uid, facts.parent) == (os.getuid(), os.getppid())
    assert "python" in facts.command
    assert not facts.is_zombie


def test_names_with_brackets_and_spaces(tmp_path: Path) -> None:
    folder = tmp_path / "5"
    folder.mkdir()
    fields = " ".join(["S", "1", *["0"] * 17, "777", "0"])
    (folder / "stat").write_text(f"5 (a) b (c)) {fields}\n")
    (folder / "cmdline").write_bytes(b"")
    facts = processes.find(5, tmp_path)
    assert facts is not None
    assert (facts.command, facts.parent, facts.start) == ("[a) b (c)]", 1, 777)


def test_a_process_that_has_ended_is_a_zombie_then_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    facts = processes.find(child.pid)
    assert facts is not None
    assert facts.is_zombie
    child.wait()
    assert processes.find(child.pid) is None


def test_who_has_a_file_open(tmp_path: Path) -> None:
    path = tmp_path / "placewise-lease-1-2.json"
    with path.open("w"):
        assert processes.find_openers("/placewise-lease-1-") == [os.getpid()]
    assert processes.find_openers("/placewise-lease-1-") == []


def test_ancestors_are_found_up_to_the_first_process() -> None:
    own = processes.find_all([os.getpid()])
    known = processes.with_ancestors(own)
    assert os.getppid() in known
    assert 1 not in known
