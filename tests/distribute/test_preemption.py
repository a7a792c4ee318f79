"""A process that is told to end saves a checkpoint and exits; workers do so after the same step."""

import os
import re
import signal
import time

import pytest

import placewise as tf
from tests.distribute.test_workers import config, free_ports, started

experimental = tf.distribute.experimental
ALONE = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec({}))

PROGRAM = """
import sys, time
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
print("devices", strategy.extended.worker_devices, tf.constant(1.0).device, flush=True)
with strategy.scope():
    v = tf.Variable(0.0)
print("variable", v.device, flush=True)
checkpoint = tf.train.Checkpoint(v=v)
handler = tf.distribute.experimental.PreemptionCheckpointHandler(
    strategy.cluster_resolver, checkpoint, sys.argv[1])

@tf.function
def step():
    def replica():
        context = tf.distribute.get_replica_context()
        return context.all_reduce("sum", tf.constant(1.0))
    return strategy.run(replica)

while handler.total_run_calls < 2000:
    total = handler.run(step)
    v.assign(float(handler.total_run_calls))
    print("step", handler.total_run_calls, flush=True)
    time.sleep(0.02)
"""


@pytest.fixture(autouse=True)
def signals():
    handler = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, handler)


def test_a_signal_lets_the_next_step_finish_and_then_saves_and_exits(tmp_path, caplog):
    v = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), tmp_path, max_to_keep=3)
    handler = experimental.PreemptionCheckpointHandler(ALONE, manager)
    handler.run(v.assign_add, 1.0)
    os.kill(os.getpid(), signal.SIGTERM)
    handler.run(v.assign_add, 1.0)
    with pytest.raises(SystemExit) as exited:
        handler.run(v.assign_add, 1.0)
    assert exited.value.code == 42
    assert "saved after 2 steps" in caplog.text

    again = tf.Variable(0.0)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=again), tmp_path, max_to_keep=3)
    handler = experimental.PreemptionCheckpointHandler(ALONE, manager)
    assert (handler.total_run_calls, float(again)) == (2, 2.0)


def test_a_watcher_a_save_function_and_an_exit_function_take_their_places(tmp_path):
    done, told = [], []
    settings = experimental.TerminationConfig(
        termination_watcher_fn=lambda: bool(told),
        exit_fn=lambda: done.append("exit"),
        save_fn=lambda: done.append("save"),
    )
    handler = experimental.PreemptionCheckpointHandler(
        ALONE, tf.train.Checkpoint(v=tf.Variable(0.0)), str(tmp_path), settings
    )
    told.append(True)
    deadline = time.monotonic() + 10
    while not done and time.monotonic() < deadline:
        handler.run(time.sleep, 0.05)
    handler.run(time.sleep, 0.0)
    assert done == ["save", "exit"]


def test_in_a_grace_period_training_goes_on_until_a_second_save(tmp_path):
    done = []
    settings = experimental.TerminationConfig(
        grace_period=0.5, exit_fn=lambda: done.append("exit"), save_fn=lambda: done.append("save")
    )
    handler = experimental.PreemptionCheckpointHandler(
        ALONE, tf.train.Checkpoint(v=tf.Variable(0.0)), str(tmp_path), settings
    )
    begin = time.monotonic()
    os.kill(os.getpid(), signal.SIGTERM)
    while "exit" not in done and time.monotonic() < begin + 10:
        handler.run(time.sleep, 0.02)
    assert done == ["save", "save", "exit"]
    assert 0.2 < time.monotonic() - begin < 0.8
    assert handler.total_run_calls > 5


def test_a_checkpoint_needs_a_folder():
    with pytest.raises(tf.errors.InvalidArgumentError, match="`checkpoint_dir` must be passed"):
        experimental.PreemptionCheckpointHandler(ALONE, tf.train.Checkpoint(v=tf.Variable(0.0)))


def test_workers_save_after_the_same_step_and_name_their_devices_after_their_tasks(tmp_path):
    addresses = [f"localhost:{port}" for port in free_ports(2)]
    runs = [
        started(["-c", PROGRAM, tmp_path], TF_CONFIG=config(addresses, index)) for index in range(2)
    ]
    lines = [iter(run.stdout.readline, "") for run in runs]
    said = [[], []]
    for index in range(2):
        for line in lines[index]:
            said[index].append(line)
            if line.startswith("step 3"):
                break
    runs[1].send_signal(signal.SIGTERM)
    rest = [run.communicate(timeout=60)[0] for run in runs]
    said = ["".join(before) + after for before, after in zip(said, rest, strict=True)]
    assert [run.returncode for run in runs] == [42, 42], said
    saved = {re.search(r"saved after (\d+) steps", text)[1] for text in said}
    assert len(saved) == 1
    restored = tf.Variable(0.0)
    tf.train.Checkpoint(v=restored).restore(tf.train.latest_checkpoint(tmp_path)).expect_partial()
    assert float(restored) == float(saved.pop())
    for index, text in enumerate(said):
        name = f"/job:worker/replica:0/task:{index}/device:CPU:0"
        assert f"devices ('{name}',) {name}" in text
        assert f"variable {name}" in text


def test_a_watcher_hears_the_signal_and_lets_others_hear_it():
    heard = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    try:
        watcher = tf.distribute.experimental.PreemptionWatcher()
        assert watcher.preemption_message is None
        os.kill(os.getpid(), signal.SIGTERM)
        assert "SIGTERM" in watcher.preemption_message
        assert heard == [signal.SIGTERM]
        watcher.block_until_worker_exit()  # no cluster: nobody to wait for
    finally:
        signal.signal(signal.SIGTERM, before)
