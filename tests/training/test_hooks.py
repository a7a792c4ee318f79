"""Hooks that stop, log, count, feed and save."""

import json
import logging

import numpy as np
import pytest

import placewise.v1 as tf


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.INFO, "tensorflow")
    return lambda: [record.getMessage() for record in caplog.records]


def counted():
    step = tf.train.create_global_step()
    return step, tf.assign_add(step, 1)


def run_with(hooks, fetch, feeds=None):
    with tf.train.MonitoredSession(hooks=hooks) as session:
        while not session.should_stop():
            session.run(fetch, feeds)


def test_it_stops_after_so_many_steps_and_computes_at_the_end(graph_mode):
    step, add = counted()
    last = tf.train.FinalOpsHook(step)
    run_with([tf.train.StopAtStepHook(num_steps=3), last], add)
    assert last.final_ops_values == 3


def test_values_are_logged_every_so_many_runs(graph_mode, said):
    _, add = counted()
    x = tf.constant([1.5, 0.0], name="x")
    hooks = [
        tf.train.StopAtStepHook(num_steps=3),
        tf.train.LoggingTensorHook({"value": x}, every_n_iter=2),
        tf.train.LoggingTensorHook(["x:0"], at_end=True),
        tf.train.LoggingTensorHook(["x:0"], every_n_iter=3, formatter=lambda v: f"own {len(v)}"),
    ]
    run_with(hooks, add)
    lines = [line.partition(" (")[0] for line in said() if "=" in line or "own" in line]
    assert lines == ["value = [1.5 0. ]", "own 1", "value = [1.5 0. ]", "x:0 = [1.5 0. ]"]


def test_a_loss_that_is_no_number_stops_it(graph_mode, said):
    _, add = counted()
    loss = tf.placeholder_with_default(1.0, [])
    with pytest.raises(tf.train.NanLossDuringTrainingError, match="NaN loss during training"):
        run_with([tf.train.NanTensorHook(loss)], add, {loss: np.nan})
    run_with([tf.train.NanTensorHook(loss, fail_on_nan_loss=False)], add, {loss: np.nan})
    assert said().count("Model diverged with loss = NaN.") == 2


def test_steps_per_second_are_logged(graph_mode, said):
    _, add = counted()
    run_with([tf.train.StopAtStepHook(num_steps=4), tf.train.StepCounterHook(every_n_steps=2)], add)
    assert sum(line.startswith("global_step/sec: ") for line in said()) == 1


def test_a_step_that_does_not_grow_is_told_of(graph_mode, said):
    tf.train.create_global_step()
    x = tf.constant(1)
    with tf.train.MonitoredSession(hooks=[tf.train.StepCounterHook()]) as session:
        session.run(x)
        session.run(x)
    assert any("global step (tf.train.get_global_step) has not been" in line for line in said())


def test_listeners_hear_of_checkpoints_and_may_stop(graph_mode, tmp_path):
    heard = []

    class Listener(tf.train.CheckpointSaverListener):
        def before_save(self, session, global_step_value):
            heard.append(("before", int(global_step_value)))

        def after_save(self, session, global_step_value):
            heard.append(("after", int(global_step_value)))
            return global_step_value >= 2

        def end(self, session, global_step_value):
            heard.append(("end", int(global_step_value)))

    _, add = counted()
    hook = tf.train.CheckpointSaverHook(
        str(tmp_path), save_steps=2, saver=tf.train.Saver(), listeners=[Listener()]
    )
    run_with([hook], add)
    assert heard == [("before", 0), ("after", 0), ("before", 2), ("after", 2), ("end", 2)]
    tf.summary.FileWriterCache.clear()


def test_a_timeline_is_written_now_and_then(graph_mode, tmp_path):
    _, add = counted()
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    run_with([tf.train.StopAtStepHook(num_steps=4), hook], add)
    written = sorted(tmp_path.glob("timeline-*.json"))
    assert written and json.loads(written[0].read_text())["traceEvents"]
    tf.summary.FileWriterCache.clear()


def test_waiting_ends_when_the_step_is_reached(graph_mode, said):
    step, add = counted()
    with tf.train.MonitoredSession(hooks=[tf.train.GlobalStepWaiterHook(0)]) as session:
        assert session.run(add) == 1
    with tf.train.MonitoredSession(
        tf.train.ChiefSessionCreator(tf.train.Scaffold(init_op=step.assign(5))),
        hooks=[tf.train.GlobalStepWaiterHook(5)],
    ) as session:
        session.run(add)
    assert "Done waiting." in said()


def test_a_timer_is_due_at_first_and_every_so_many_steps():
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    assert timer.should_trigger_for_step(0)
    assert timer.update_last_triggered_step(0) == (None, None)
    assert [timer.should_trigger_for_step(step) for step in (0, 2, 3)] == [False, False, True]
    assert timer.update_last_triggered_step(3)[1] == 3
    timer.reset()
    assert timer.last_triggered_step() is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.train.StopAtStepHook(), "One of num_steps or last_step must be"),
        (lambda: tf.train.StopAtStepHook(1, 2), "Only one of num_steps or last_step"),
        (lambda: tf.train.LoggingTensorHook(["a"]), "exactly one of every_n_iter and"),
        (lambda: tf.train.LoggingTensorHook(["a"], every_n_iter=0), "invalid every_n_iter=0."),
        (lambda: tf.train.StepCounterHook(1, 2), "exactly one of every_n_steps and"),
        (lambda: tf.train.SummarySaverHook(), "Exactly one of scaffold or summary_op"),
        (lambda: tf.train.SecondOrStepTimer(), "Either every_secs or every_steps"),
        (lambda: tf.train.SecondOrStepTimer(1, 2), "Can not provide both every_secs and"),
    ],
)
def test_what_cannot_be_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_hook_that_counts_needs_a_global_step(graph_mode):
    tf.constant(1)
    with pytest.raises(RuntimeError, match="Global step should be created to use StopAtStepHook"):
        tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(num_steps=1)])
