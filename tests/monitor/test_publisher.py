"""What a running program publishes of itself."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

import placewise as tf
from placewise.core.activity import activity, phase
from placewise.core.runtime import runtime
from placewise.devices import inventory
from placewise.monitor import publisher, status_files
from placewise.monitor.publisher import Publisher


@pytest.fixture
def publishing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    monkeypatch.setenv("PLACEWISE_STATUS", str(tmp_path / "status"))
    file = status_files.create()
    assert file is not None
    return Publisher(file, "placewise run train.py", "train.py")


def test_the_thread_publishes_and_stops(publishing: Publisher) -> None:
    thread = threading.Thread(target=publishing.run)
    thread.start()
    deadline = time.monotonic() + 10
    while not (entries := status_files.read_all()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert (entries[0].status.program, entries[0].is_alive) == ("train.py", True)
    publishing.stop()
    thread.join(10)
    assert not thread.is_alive()
    assert status_files.read_all() == []


def test_phases(publishing: Publisher) -> None:
    assert publishing.status().phase == "starting"
    with phase("compiling"):
        assert publishing.status().phase == "compiling"
    activity.steps += 5
    time.sleep(0.01)
    status = publishing.status()
    assert (status.phase, status.steps) == ("training", 5)
    assert status.steps_per_second is not None
    assert status.steps_per_second > 0


def test_the_rate_is_that_of_the_last_seconds(
    publishing: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(publisher.time, "monotonic", lambda: now[0])
    for _ in range(100):  # long before the first step
        publishing.status()
        now[0] += 0.5
    for _ in range(40):
        activity.steps += 2
        rate = publishing.status().steps_per_second
        now[0] += 0.5
    assert rate == 4.0
    for _ in range(20):
        last = publishing.status()
        now[0] += 0.5
    assert (last.steps_per_second, last.phase) == (0.0, "running")


def test_importing_is_seen(tmp_path: Path, publishing: Publisher) -> None:
    (tmp_path / "slow_module.py").write_text(
        "import builtins\nphase = builtins.publishing_for_test.status().phase\n"
    )
    import builtins

    builtins.publishing_for_test = publishing  # type: ignore[attr-defined]
    sys.path.insert(0, str(tmp_path))
    try:
        import slow_module  # type: ignore[import-not-found]

        assert slow_module.phase == "importing"
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("slow_module", None)
        del builtins.publishing_for_test  # type: ignore[attr-defined]


def test_memory_of_simulated_cards(publishing: Publisher) -> None:
    with inventory.simulate("2xV100"):
        with tf.device("GPU:1"):
            kept = tf.zeros([1 << 20])
        status = publishing.status()
        assert status.machine == "2xV100"
        assert [(gpu.name, gpu.simulated) for gpu in status.devices] == [
            ("GPU:0", True),
            ("GPU:1", True),
        ]
        assert status.devices[0].used_bytes == 0
        assert 4 << 20 <= status.devices[1].used_bytes < 5 << 20
        del kept


def test_looking_starts_no_devices(publishing: Publisher) -> None:
    assert publishing.status().devices == ()
    assert not inventory.initialized()


def test_programs_run_one_after_another_leave_no_threads(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PLACEWISE_STATUS", str(tmp_path / "status"))
    with runtime.fresh():
        for name in ("first.py", "second.py"):
            publisher.start(f"placewise run {name}", name)
        deadline = time.monotonic() + 10
        while not (entries := status_files.read_all()):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert [entry.status.program for entry in entries] == ["second.py"]
    assert status_files.read_all() == []
