"""Monitored sessions: initialized by themselves, with hooks around, made again when lost."""

import logging

import pytest

import placewise.v1 as tf
from placewise.training.hooked_run import HookedSession


class Told(tf.train.SessionRunHook):
    """Writes down what it is called with."""

    def __init__(self, fetch=None):
        self.calls, self.fetch = [], fetch

    def begin(self):
        self.calls.append("begin")

    def after_create_session(self, session, coord):
        self.calls.append("created")

    def before_run(self, run_context):
        self.calls.append(("before", run_context.original_args.fetches.name))
        return None if self.fetch is None else tf.train.SessionRunArgs({"x": self.fetch})

    def after_run(self, run_context, run_values):
        self.calls.append(("after", run_values.results))

    def end(self, session):
        self.calls.append("end")


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.INFO, "tensorflow")
    return lambda: [record.getMessage() for record in caplog.records]


def test_hooks_are_called_around_each_run(graph_mode):
    x = tf.constant(3.0, name="x")
    hook = Told(x)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(x) == 3.0
        assert not session.should_stop()
    assert hook.calls == [
        "begin",
        "created",
        ("before", "x:0"),
        ("after", {"x": 3.0}),
        "end",
    ]
    assert session.should_stop()


def test_the_graph_is_closed_while_it_runs_and_open_again_after(graph_mode, said):
    v = tf.get_variable("v", initializer=1.0)
    with tf.train.MonitoredSession() as session:
        assert session.run(v) == 1.0
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
            tf.constant(1)
    tf.constant(1)
    assert said() == [
        "Graph was finalized.",
        "Running local_init_op.",
        "Done running local_init_op.",
    ]


def test_an_error_of_the_program_skips_the_ends_of_hooks(graph_mode):
    hook = Told()
    with pytest.raises(ValueError, match="mine"), tf.train.MonitoredSession(hooks=[hook]):
        raise ValueError("mine")
    assert "end" not in hook.calls


def test_the_end_of_data_ends_the_session_quietly(graph_mode):
    queue = tf.train.input_producer([1, 2, 3], num_epochs=1, shuffle=False)
    taken, found = queue.dequeue(), []
    with tf.train.MonitoredSession() as session:
        while not session.should_stop():
            found.append(int(session.run(taken)))
    assert found == [1, 2, 3]


def test_a_lost_session_is_made_again(graph_mode, said):
    v = tf.get_variable("v", initializer=1.0)
    add = tf.assign_add(v, 1.0)

    class LosesOnce(tf.train.SessionRunHook):
        lost = False

        def after_run(self, run_context, run_values):
            if not self.lost:
                self.lost = True
                raise tf.errors.AbortedError(None, None, "gone")

    hook = Told()
    with tf.train.MonitoredSession(hooks=[LosesOnce(), hook]) as session:
        assert session.run(add) == 2.0
    assert hook.calls.count("begin") == 1 and hook.calls.count("created") == 2
    assert any(line.endswith("Error: gone") for line in said())


def test_a_singular_session_is_not_made_again(graph_mode):
    class Loses(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            raise tf.errors.AbortedError(None, None, "gone")

    x = tf.constant(1.0)
    with (
        pytest.raises(tf.errors.AbortedError, match="gone"),
        tf.train.SingularMonitoredSession(hooks=[Loses()]) as session,
    ):
        session.run(x)


def test_a_tensor_is_fed_by_one_only(graph_mode):
    x = tf.placeholder(tf.float32, name="x")
    y = x * 1
    hook = tf.train.FeedFnHook(lambda: {x: 9.0})
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(y) == 9.0
        with pytest.raises(RuntimeError, match="Same tensor is fed by a SessionRunHook and user"):
            session.run(y, {x: 1.0})


def test_a_step_function_runs_with_and_without_hooks(graph_mode):
    x = tf.constant(3.0, name="x")
    hook = Told()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run_step_fn(lambda step_context: step_context.session.run(x)) == 3.0
        assert hook.calls == ["begin", "created"]
        assert session.run_step_fn(lambda step_context: step_context.run_with_hooks(x)) == 3.0
        assert len(hook.calls) == 4
        with pytest.raises(ValueError, match="`step_fn` may either have one `step_context`"):
            session.run_step_fn(lambda: 3)


def test_a_model_that_stays_without_values_is_refused(graph_mode):
    tf.get_variable("v", initializer=1.0)
    scaffold = tf.train.Scaffold(init_op=tf.no_op())
    with pytest.raises(RuntimeError, match=r"not make model ready.*not initialized: v"):
        tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold))


def test_init_fn_is_called_with_scaffold_and_session(graph_mode):
    v = tf.get_variable("v", initializer=1.0)
    assign = v.assign(5.0)
    scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: session.run(assign))
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)) as session:
        assert session.run(v) == 5.0


def training_step():
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=3.0)
    loss = tf.square(w - 1.0, name="loss")
    tf.summary.scalar("cost", loss)
    return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


def train(folder, last_step):
    ran = 0
    with tf.Graph().as_default():
        loss, train_op = training_step()
        hooks = [tf.train.StopAtStepHook(last_step=last_step), tf.train.NanTensorHook(loss)]
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder,
            hooks=hooks,
            save_checkpoint_steps=3,
            save_summaries_steps=2,
            log_step_count_steps=2,
        ) as session:
            while not session.should_stop():
                session.run(train_op)
                ran += 1
    return ran


def test_training_is_saved_summarized_and_resumed(graph_mode, said, tmp_path):
    folder = str(tmp_path)
    assert train(folder, 5) == 5
    assert tf.train.latest_checkpoint(folder) == f"{folder}/model.ckpt-5"
    assert train(folder, 7) == 2
    lines = said()
    assert f"Saving checkpoints for 3 into {folder}/model.ckpt." in lines
    assert f"Restoring parameters from {folder}/model.ckpt-5" in lines
    tf.summary.FileWriterCache.clear()
    (events,) = tmp_path.glob("events*")
    found = [
        (event.step, value.tag)
        for event in tf.train.summary_iterator(str(events))
        for value in event.summary.value
    ]
    assert [pair for pair in found if pair[1] == "cost"] == [
        (1, "cost"),
        (3, "cost"),
        (5, "cost"),
        (6, "cost"),
    ]
    assert (3, "global_step/sec") in found


class AbortsFromThread(tf.train.SessionRunHook):
    """Asks the first session's coordinator to stop because a worker was lost."""

    is_lost = False

    def after_create_session(self, session, coord):
        self.coord = coord

    def after_run(self, run_context, run_values):
        if not self.is_lost:
            self.is_lost = True
            self.coord.request_stop(tf.errors.AbortedError(None, None, "gone"))


def test_a_worker_lost_in_a_thread_does_not_end_training(graph_mode):
    x, hook = tf.constant(1.0), Told()
    with tf.train.MonitoredSession(hooks=[AbortsFromThread(), hook]) as session:
        session.run(x)
        assert not session.should_stop()
        assert session.run(x) == 1.0
    assert hook.calls.count("created") == 2


def test_a_step_is_run_again_as_a_whole_when_the_session_is_lost(graph_mode):
    class LosesOnce(tf.train.SessionRunHook):
        is_lost = False

        def before_run(self, run_context):
            if not self.is_lost:
                self.is_lost = True
                raise tf.errors.AbortedError(None, None, "gone")

    x, steps = tf.constant(1.0), []

    def step(step_context):
        steps.append(1)
        return step_context.run_with_hooks(x)

    with tf.train.MonitoredSession(hooks=[LosesOnce()]) as session:
        assert session.run_step_fn(step) == 1.0
    assert len(steps) == 2


def test_options_of_hooks_are_merged(graph_mode):
    seen = []

    class Asks(tf.train.SessionRunHook):
        def __init__(self, timeout):
            self.options = tf.RunOptions(
                timeout_in_ms=timeout, report_tensor_allocations_upon_oom=timeout > 10
            )

        def before_run(self, run_context):
            return tf.train.SessionRunArgs(None, options=self.options)

        def after_run(self, run_context, run_values):
            seen.append(run_values.options)

    x = tf.constant(1.0)
    with tf.train.MonitoredSession(hooks=[Asks(20000), Asks(10)]) as session:
        session.run(x)
    assert seen[0].timeout_in_ms == 20000 and seen[0].report_tensor_allocations_upon_oom


def test_a_session_can_be_wrapped_with_hooks():
    class Once(tf.train.SessionRunHook):
        def before_run(self, context):
            return tf.train.SessionRunArgs({"twice": doubled})

        def after_run(self, context, values):
            seen.append(values.results["twice"])
            if len(seen) == 2:
                context.request_stop()

    seen = []
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        doubled = x * 2.0
        hooked = HookedSession(session, [Once()])
        assert hooked.graph is session.graph
        assert [hooked.run(x + 1.0, {x: number}) for number in (1.0, 2.0)] == [2.0, 3.0]
        assert seen == [2.0, 4.0]
        assert hooked.should_stop()
        with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
            hooked.run(x, {x: 1.0})
