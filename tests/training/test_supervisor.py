"""The supervisor: session, checkpoints, summaries and threads of a training program."""

import itertools
import logging
import time
from unittest.mock import Mock

import pytest

import placewise.v1 as tf
from placewise.training import session_manager


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.INFO, "tensorflow")
    return lambda: [record.getMessage() for record in caplog.records]


def model():
    step = tf.Variable(0, name="global_step", trainable=False)
    v = tf.Variable(2.0, name="v")
    tf.summary.scalar("value", v)
    return v, tf.assign_add(step, 1)


def test_it_saves_and_summarizes_beside_the_program_and_resumes(graph_mode, said, tmp_path):
    folder = str(tmp_path)
    saved, recorded = f"Saving checkpoint to path {folder}/model.ckpt", "Recording summary at step "
    with tf.Graph().as_default():
        _, add = model()
        supervisor = tf.train.Supervisor(
            logdir=folder, save_summaries_secs=0.05, save_model_secs=0.05
        )
        with supervisor.managed_session() as session:
            for _ in range(1000):  # until both services had their turn, on a slow machine too
                session.run(add)
                time.sleep(0.03)
                is_saved = not str(tf.train.latest_checkpoint(folder) or "-0").endswith("-0")
                if is_saved and any(line.startswith(recorded) for line in said()):
                    break
        assert supervisor.should_stop()
    assert (tmp_path / "graph.pbtxt").exists() and (tmp_path / "checkpoint").exists()
    (events,) = tmp_path.glob("events*")
    kinds = [event.WhichOneof("what") for event in tf.train.summary_iterator(str(events))]
    assert kinds[:4] == ["file_version", "graph_def", "meta_graph_def", "session_log"]
    assert "summary" in kinds and kinds[-1] == "session_log"
    with tf.Graph().as_default():
        model()
        supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0, summary_op=None)
        with supervisor.managed_session() as session:
            assert session.run(supervisor.global_step) >= 1
    lines = said()
    for line in ("Starting standard services.", "Starting queue runners."):
        assert lines.count(line) == 2
    assert any(line.startswith(recorded) for line in lines)
    assert saved in lines


def test_without_a_folder_it_says_that_nothing_is_saved(graph_mode, said):
    v, _ = model()
    with tf.train.Supervisor().managed_session() as session:
        assert session.run(v) == 2.0
    assert "Standard services need a 'logdir' passed to the SessionManager" in said()


def test_an_error_of_the_program_is_raised_at_the_end(graph_mode, said):
    model()
    supervisor = tf.train.Supervisor()
    with pytest.raises(ValueError, match="mine"), supervisor.managed_session():
        raise ValueError("mine")
    assert any(line.startswith("Error reported to Coordinator: ") for line in said())


def test_the_end_of_data_is_no_error(graph_mode):
    model()
    with tf.train.Supervisor().managed_session():
        raise tf.errors.OutOfRangeError(None, None, "end")


def test_a_loop_calls_its_function_until_the_end(graph_mode):
    model()
    supervisor, called = tf.train.Supervisor(), []
    with supervisor.managed_session():
        supervisor.loop(0.01, called.append, args=(1,))
        time.sleep(0.1)
    assert len(called) > 2


def test_a_train_loop_calls_a_step_until_a_stop(graph_mode):
    v, _ = model()
    supervisor, called = tf.train.Supervisor(), []

    def step(session, name):
        called.append((name, float(session.run(v))))
        if len(called) == 3:
            supervisor.request_stop()

    tf.train.basic_train_loop(supervisor, step, args=("x",))
    assert called == [("x", 2.0)] * 3


def test_a_session_manager_says_what_has_no_value(graph_mode):
    v = tf.Variable(2.0, name="v")
    missing, nothing = tf.report_uninitialized_variables(), tf.no_op()
    init = tf.global_variables_initializer()
    manager = tf.train.SessionManager(ready_op=missing, recovery_wait_secs=0.01)
    with pytest.raises(RuntimeError, match=r"ready\.  Init op: NoOp.*initialized: v"):
        manager.prepare_session("", init_op=nothing)
    assert manager.prepare_session("", init_op=init).run(v) == 2.0
    with pytest.raises(tf.errors.DeadlineExceededError, match="not ready after waiting 0 secs"):
        manager.wait_for_session("", max_wait_secs=0.03)
    with pytest.raises(RuntimeError, match="no init_op or init_fn or local_init_op was given"):
        tf.train.SessionManager().prepare_session("")


class Interrupted(Exception):
    """Ends a wait at its first pause."""


def test_a_session_manager_warns_when_it_waits_long(graph_mode, monkeypatch, caplog):
    tf.Variable(2.0, name="v")
    monkeypatch.setattr(session_manager, "_LONG_SECS", 0.0)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    monkeypatch.setattr(session_manager, "time", Mock(**{"sleep.side_effect": Interrupted}))
    session_manager.time.monotonic.side_effect = itertools.count()
    with pytest.raises(Interrupted):
        manager.wait_for_session("")
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "Waiting for model to be ready" in warnings[0]
    assert "not initialized: v" in warnings[0]
