"""Several processes train together: what they learn, and what happens when one is missing."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import placewise as tf

PROGRAM = Path(__file__).with_name("train_worker.py")
SHORT = tf.distribute.experimental.CommunicationOptions(timeout_seconds=1)


def free_ports(count):
    holders = [socket.socket() for _ in range(count)]
    for holder in holders:
        holder.bind(("127.0.0.1", 0))
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


def config(addresses, index=0, kind="worker", **jobs):
    cluster = {"worker": addresses, **jobs}
    return json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})


def started(arguments, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "placewise", "run", *arguments],
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def read(path):
    return json.loads(Path(path).read_text())


def test_two_workers_learn_what_one_process_does(tmp_path):
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    runs = [
        started([PROGRAM, "workers", tmp_path / "two"], TF_CONFIG=config(addresses, index))
        for index in range(2)
    ]
    runs.append(started([PROGRAM, "alone", tmp_path / "one"]))
    said = [run.communicate(timeout=180)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0], said
    one, first, second = (read(tmp_path / name) for name in ("one.0", "two.0", "two.1"))
    assert (first["replicas"], first["is_chief"], second["is_chief"]) == (2, True, False)
    np.testing.assert_allclose(first["losses"], one["losses"], rtol=1e-5)
    np.testing.assert_allclose(first["weights"], one["weights"], rtol=1e-5, atol=1e-6)
    assert second["weights"] == first["weights"]


def test_no_committed_step_is_lost_when_a_worker_is_killed_and_all_restart(tmp_path):
    alone = started([PROGRAM, "alone", tmp_path / "one"])
    run = started(
        [
            "--workers",
            "2",
            "--restarts",
            "1",
            PROGRAM,
            "workers",
            tmp_path / "two",
            tmp_path / "checkpoints",
        ]
    )
    said = run.communicate(timeout=180)[0]
    alone.communicate(timeout=180)
    assert run.returncode == 0, said
    assert "started anew, restart 1 of 1" in said
    one, two = read(tmp_path / "one.0"), read(tmp_path / "two.0")
    assert 2 <= two["begun_at"] <= 3  # the chief may not have come to save its third step
    assert two["steps"] == 6
    np.testing.assert_allclose(two["weights"], one["weights"], rtol=1e-5, atol=1e-6)


def test_a_worker_that_ends_is_named_by_the_others(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys, tensorflow as tf\n"
        "s = tf.distribute.MultiWorkerMirroredStrategy()\n"
        "for step in range(3):\n"
        "    if step == 2 and s.cluster_resolver.task_id == 1: os._exit(3)\n"
        "    try: s.reduce('SUM', tf.constant(1.0), axis=None)\n"
        "    except tf.errors.UnavailableError as e: print(e.message); sys.exit(7)\n"
    )
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    runs = [started([program], TF_CONFIG=config(addresses, index)) for index in range(2)]
    said = [run.communicate(timeout=180)[0] for run in runs]
    assert [run.returncode for run in runs] == [7, 3], said
    assert f"worker 1 ({addresses[1]}) ended while worker 0 ({addresses[0]})" in said[0]


WRONG = [
    ("{bad", "TF_CONFIG is not JSON"),
    ("[1]", "TF_CONFIG must be a JSON object"),
    (config(["localhost:1001", "localhost:1002"], 2), "`task_id` 2 exceeds the maximum id"),
    (config(["localhost:1001", "localhost:1002"], 0, "boss"), "Unrecognized task_type: boss"),
    (config(["localhost:1001", "b:1002"]), "to those, localhost means themselves"),
    (config(["a:1001", "a:1001"]), "worker 0 and worker 1 of the cluster have the same address"),
    (config(["a", "b:1"]), "The address 'a' in the cluster must be host:port"),
    (config(["a:0", "b:1"]), "must end with a port from 1 to 65535"),
    (config(["a:1"], chief=["b:1", "c:1"]), "There must be at most one 'chief' job"),
    ('{"cluster": {"worker": ["a:1"]}}', "you must also specify `task_type` and `task_id`"),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_with_a_cluster_is_said_before_anyone_waits(text, words, monkeypatch):
    monkeypatch.setenv("TF_CONFIG", text)
    begun = time.monotonic()
    with pytest.raises(ValueError, match=words):
        tf.distribute.MultiWorkerMirroredStrategy(communication_options=SHORT)
    assert time.monotonic() - begun < 1


def test_a_port_that_is_taken_is_named(monkeypatch):
    holder = socket.socket()
    holder.bind(("127.0.0.1", 0))
    holder.listen()
    port = holder.getsockname()[1]
    monkeypatch.setenv("TF_CONFIG", config([f"localhost:{port}", "localhost:1"]))
    with pytest.raises(tf.errors.UnavailableError, match=f"Port {port} of worker 0 .* is taken"):
        tf.distribute.MultiWorkerMirroredStrategy(communication_options=SHORT)
    holder.close()


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (0, "worker 0 .* waited for worker 1 .*, which did not come"),
        (1, "worker 1 .* waited for worker 0 .* to listen at"),
    ],
)
def test_whom_one_waited_for_in_vain_is_named(index, words, monkeypatch):
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    monkeypatch.setenv("TF_CONFIG", config(addresses, index))
    with pytest.raises(tf.errors.UnavailableError, match=words):
        tf.distribute.MultiWorkerMirroredStrategy(communication_options=SHORT)


def test_a_cluster_of_one_and_no_cluster_train_alone(monkeypatch):
    for text in ("", "{}", config(["localhost:1001"]), config(["a:1"], 0, "evaluator")):
        monkeypatch.setenv("TF_CONFIG", text)
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
        assert strategy.num_replicas_in_sync == 1
        with strategy.scope():
            variable = tf.Variable(1.0)
        strategy.run(lambda v=variable: v.assign_add(1.0))
        assert variable.numpy() == 2.0


def test_a_cluster_named_too_late_is_said(monkeypatch, caplog):
    monkeypatch.delenv("TF_CONFIG", raising=False)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    monkeypatch.setenv("TF_CONFIG", config(["a:1", "b:1"]))
    with caplog.at_level("WARNING"), strategy.scope():
        pass
    assert "TF_CONFIG was changed after MultiWorkerMirroredStrategy was made" in caplog.text


def test_torchruns_environment_is_read_and_checked(monkeypatch):
    from placewise.distribute.membership import torchrun_membership

    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match="but not MASTER_ADDR, MASTER_PORT"):
        torchrun_membership()
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    monkeypatch.setenv("MASTER_PORT", "1234")
    with pytest.raises(ValueError, match="RANK is 3, which is not one of the 2"):
        torchrun_membership()
    monkeypatch.setenv("RANK", "1")
    found = torchrun_membership()
    assert (found.rank, found.size, found.meeting_port) == (1, 2, 1234)
