"""Ending a process: only one's own, and never another with the same number."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from placewise.cli.top import ending
from placewise.cli.top.snapshot import ProcessLine
from placewise.monitor import processes


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()
    assert process.stdin is not None
    process.stdin.close()


def line_of(pid: int) -> ProcessLine:
    facts = processes.find(pid)
    assert facts is not None
    return ProcessLine(pid, facts.user, facts.uid, facts.start, facts.parent, facts.command)


def test_ones_own_process_is_ended(child: subprocess.Popen[bytes]) -> None:
    assert ending.send(line_of(child.pid), signal.SIGTERM) == f"SIGTERM sent to pid {child.pid}"
    assert child.wait(timeout=10) == -signal.SIGTERM
    assert "is not among" in (ending.refusal(replace(ProcessLine(3), is_known=False)) or "")


def test_a_process_of_another_user_is_refused(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = replace(line_of(child.pid), user="zoe", uid=4242)
    monkeypatch.setattr(os, "getuid", lambda: 4243)
    expected = f"pid {child.pid} belongs to zoe: only zoe and root may end it"
    assert ending.refusal(line) == expected
    assert ending.send(line, signal.SIGKILL) == expected
    assert child.poll() is None


def test_a_later_process_with_the_same_number_is_left_alone(
    child: subprocess.Popen[bytes],
) -> None:
    line = replace(line_of(child.pid), start=1)
    assert ending.send(line, signal.SIGKILL) == f"pid {child.pid} has ended already"
    assert child.poll() is None


@pytest.mark.parametrize("pid", [0, 1, os.getpid()], ids=["none", "first", "own"])
def test_what_must_not_be_ended(pid: int) -> None:
    line = ProcessLine(pid, "root", os.getuid(), 1)
    assert ending.refusal(line) == f"pid {pid} is not for ending from here"
