"""Gradients of several replicas: gathered, averaged, applied once."""

import threading

import numpy as np
import pytest

import placewise.compat.v1 as tf

pytestmark = pytest.mark.usefixtures("graph_mode")


def test_an_accumulator_averages_and_drops_what_is_stale():
    gathered = tf.ConditionalAccumulator(tf.float32, [2])
    x = tf.placeholder(tf.float32, [2])
    step = tf.placeholder(tf.int64, [])
    bring, take = gathered.apply_grad(x, step), gathered.take_grad(2)
    count, later = gathered.num_accumulated(), gathered.set_global_step(3)
    with tf.Session() as session:
        session.run(bring, {x: [1.0, 2.0], step: 0})
        session.run(bring, {x: [3.0, 4.0], step: 0})
        assert session.run(count) == 2
        assert session.run(take).tolist() == [2.0, 3.0]
        session.run(bring, {x: [1.0, 1.0], step: 0})  # the step is 1 now
        assert session.run(count) == 0
        session.run(later)
        session.run(bring, {x: [1.0, 1.0], step: 2})
        assert session.run(count) == 0
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(take, options=tf.RunOptions(timeout_in_ms=50))


def test_a_sparse_accumulator_averages_row_by_row():
    gathered = tf.SparseConditionalAccumulator(tf.float32, [4, 1])
    one = gathered.apply_grad([0, 2], [[1.0], [2.0]])
    two = gathered.apply_grad([2], [[4.0]])
    taken = gathered.take_indexed_slices_grad(2)
    with tf.Session() as session:
        session.run([one, two])
        found = session.run(taken)
    assert found.indices.tolist() == [0, 2]
    assert found.values.tolist() == [[1.0], [3.0]]


def test_a_step_is_made_of_all_replicas_gradients():
    v = tf.Variable([1.0, 2.0])
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [2])
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.GradientDescentOptimizer(1.0), replicas_to_aggregate=2
    )
    train = optimizer.minimize(tf.reduce_sum(v * x), global_step=step)
    hook = optimizer.make_session_run_hook(True, num_tokens=0)
    with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
        workers = [
            threading.Thread(target=lambda a=a: session.run(train, {x: [a, a]})) for a in (1.0, 3.0)
        ]
        for each in workers:
            each.start()
        for each in workers:
            each.join(20)
        value, count = session.run([v, step])
    np.testing.assert_allclose(value, [-1.0, 0.0])  # less the average, 2
    assert count == 1


def test_what_comes_before_apply_gradients_is_refused():
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.0), 1)
    with pytest.raises(ValueError, match="should be called after apply_gradients"):
        optimizer.get_chief_queue_runner()
    with pytest.raises(ValueError, match="Global step is required to check staleness"):
        optimizer.apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])


@pytest.mark.parametrize("is_served", [False, True])
def test_a_chief_stops_although_nobody_brings_gradients(graph_mode, is_served):
    server = tf.train.Server.create_local_server() if is_served else None
    step = tf.train.get_or_create_global_step()
    weight = tf.get_variable("weight", initializer=1.0)
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, 1)
    train = optimizer.minimize(weight * weight, global_step=step)
    tokens, runner = optimizer.get_init_tokens_op(), optimizer.get_chief_queue_runner()
    assert runner.name == "dummy_queue"
    supervisor = tf.train.Supervisor(
        local_init_op=optimizer.chief_init_op,
        ready_for_local_init_op=optimizer.ready_for_local_init_op,
        global_step=step,
        stop_grace_secs=60,  # an error if the thread has not ended by then
    )
    session = supervisor.prepare_or_wait_for_session(server.target if server else "")
    session.run(tokens)
    supervisor.start_queue_runners(session, [runner])
    for _ in range(3):
        session.run(train)
    supervisor.stop()
    session.close()
    if server is not None:
        server._task_server.stop()
