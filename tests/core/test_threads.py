"""Threads: waiting ones sleep, and there are no more than the process gets cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from placewise.core import threads

PROGRAM = """
import json, os, sys
import placewise as tf
before = "torch" in sys.modules
tf.constant(1.0) + 1.0
import torch
print(json.dumps([before, os.environ.get("OMP_WAIT_POLICY"), torch.get_num_threads()]))
"""


def run(**changes: str) -> list[object]:
    kept = {name: text for name, text in os.environ.items() if name[:4] not in ("OMP_", "GOMP")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env=kept | changes,
        timeout=300,
    )
    answer: list[object] = json.loads(done.stdout)
    return answer


def test_waiting_threads_sleep_before_torch_is_loaded() -> None:
    assert run() == [False, "PASSIVE", len(os.sched_getaffinity(0))]


CONVOLUTION = """
import placewise as tf
tf.config.experimental.enable_op_determinism() if {deterministic} else None
images, filters = tf.ones([64, 26, 26, 16]), tf.Variable(tf.ones([3, 3, 16, 32]))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.nn.conv2d(images, filters, 1, "VALID"))
print(tape.gradient(loss, filters).shape)
"""


@pytest.mark.parametrize("deterministic", [False, True])
def test_no_more_threads_are_awaited_than_openmp_may_start(deterministic: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CONVOLUTION.format(deterministic=deterministic)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OMP_THREAD_LIMIT": "1"},
        timeout=300,
    )
    assert done.stdout.strip() == "(3, 3, 16, 32)"


def test_what_the_user_set_about_threads_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in threads.WAITING:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GOMP_SPINCOUNT", "10")
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    threads.keep_from_spinning()
    assert "OMP_WAIT_POLICY" not in os.environ
    monkeypatch.delenv("GOMP_SPINCOUNT")
    threads.keep_from_spinning()
    assert os.environ.pop("OMP_WAIT_POLICY") == "PASSIVE"
    monkeypatch.setenv("OMP_NUM_THREADS", "64")
    assert threads.limit(64) is None


def test_openmp_may_not_start_fewer_threads_than_torch_asks_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.delenv("OMP_DYNAMIC", raising=False)
    threads.keep_the_number()
    assert "OMP_DYNAMIC" not in os.environ
    monkeypatch.setenv("OMP_DYNAMIC", "TRUE")
    threads.keep_the_number()
    assert os.environ["OMP_DYNAMIC"] == "FALSE"


def test_a_torch_that_is_loaded_already_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in threads.WAITING:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "torch", sys)
    threads.keep_from_spinning()
    assert "OMP_WAIT_POLICY" not in os.environ


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, None),
        ({"sys/fs/cgroup/cpu.max": "max 100000"}, None),
        ({"sys/fs/cgroup/cpu.max": "150000 100000"}, 1.5),
        (
            {
                "proc/self/cgroup": "0::/jobs/mine\n",
                "sys/fs/cgroup/jobs/cpu.max": "800000 100000",
                "sys/fs/cgroup/jobs/mine/cpu.max": "200000 100000",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "5:cpu,cpuacct:/mine\n4:memory:/mine\n",
                "sys/fs/cgroup/cpu/mine/cpu.cfs_quota_us": "50000",
                "sys/fs/cgroup/cpu/mine/cpu.cfs_period_us": "100000",
            },
            0.5,
        ),
    ],
)
def test_the_smallest_share_of_time_above_the_process_counts(
    tmp_path: Path, files: dict[str, str], quota: float | None
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert threads.read_quota(str(tmp_path)) == quota
    expected = len(os.sched_getaffinity(0))
    if quota is not None:
        expected = max(1, min(expected, -int(-quota // 1)))
    assert threads.usable_cores(str(tmp_path)) == expected


def test_fewer_threads_than_torch_chose_where_there_is_less_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in threads.COUNTING:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(threads, "usable_cores", lambda: 4)
    assert threads.limit(64) == 4
    assert threads.limit(4) is None
