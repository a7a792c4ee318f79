"""A program under `placewise run` publishes what it does, and says goodbye unless it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from placewise.monitor import status_files
from placewise.monitor.status_files import Entry

PROGRAM = """
import threading
assert threading.active_count() == 1, threading.enumerate()
import tensorflow as tf
weight = tf.Variable(tf.ones([512, 512]))
@tf.function
def train():
    weight.assign_sub(0.01 * weight)
while True:
    train()
"""


@pytest.fixture
def status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACEWISE_STATUS", str(tmp_path / "status"))


@pytest.fixture
def start(status: None) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    started = []

    def run(*words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "placewise", "run", *words]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, text=True))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


def wait_for(condition: Callable[[Entry], bool]) -> Entry:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for entry in status_files.read_all():
            if condition(entry):
                return entry
        time.sleep(0.05)
    raise AssertionError("it was not published within a minute")


def test_training_is_seen_and_a_killed_program_is_named(
    start: Callable[..., subprocess.Popen[str]],
) -> None:
    child = start("--simulate", "2xV100", "-c", PROGRAM, "epochs=3")
    training = wait_for(lambda entry: entry.status.phase == "training").status
    assert training.pid == child.pid
    assert training.steps > 0
    assert training.steps_per_second is not None
    assert training.steps_per_second > 0
    assert (training.machine, training.program[:3]) == ("2xV100", "-c ")
    first, second = training.devices
    assert first.used_bytes >= 1 << 20
    assert second.used_bytes == 0
    later = wait_for(lambda entry: entry.status.steps > training.steps)
    assert later.is_alive
    child.kill()
    child.wait()
    dead = wait_for(lambda entry: entry.is_alive is False)
    assert dead.status.pid == child.pid
    assert status_files.read_all() == [], "it is named once"


def test_a_program_that_ends_leaves_nothing(
    start: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    text = "import os, sys\nif os.fork() == 0: sys.exit()\nos.wait()\nsys.stdin.read()"
    child = start("-c", text)
    assert wait_for(lambda entry: True).is_alive, "a fork that ends takes nothing with it"
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(timeout=20) == 0
    assert os.listdir(tmp_path / "status") == []


def test_a_stopped_program_is_silent(start: Callable[..., subprocess.Popen[str]]) -> None:
    child = start("-c", "import sys; sys.stdin.read()")
    wait_for(lambda entry: True)
    child.send_signal(signal.SIGSTOP)
    time.sleep(0.6)
    before = wait_for(lambda entry: True).status.updated
    time.sleep(0.7)
    entry = wait_for(lambda entry: True)
    assert (entry.status.updated, entry.is_alive) == (before, True)
