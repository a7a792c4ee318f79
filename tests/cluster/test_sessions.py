"""Sessions on clusters: servers of one process, reached directly or over gRPC."""

import gc
import threading
import time

import numpy as np
import pytest

import placewise.v1 as tf
from placewise.cluster import sessions
from placewise.cluster.task import tasks
from tests.cluster.processes import free_port


@pytest.fixture
def servers(graph_mode):
    """Servers of two parameter servers and two workers, by job and task."""
    cluster = {job: [f"localhost:{free_port()}" for _ in range(2)] for job in ("ps", "worker")}
    made = {
        (job, task): tf.train.Server(cluster, job_name=job, task_index=task)
        for job in cluster
        for task in range(2)
    }
    yield made
    for server in made.values():
        server._task_server.stop()


@pytest.fixture(params=["in the master's process", "over gRPC"])
def session_on(request, monkeypatch):
    """Returns a function that opens a session on a server, each way."""

    def open_session(server, **options):
        if request.param == "over gRPC":
            with monkeypatch.context() as patch:
                patch.setattr(tasks, "by_target", {})
                return tf.Session(server.target, **options)
        return tf.Session(server.target, **options)

    return open_session


def line(setter):
    """Build a small regression under a device function; return what is run of it."""
    with tf.device(setter):
        x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None])
        weights = tf.get_variable("weights", initializer=tf.zeros([2]))
        bias = tf.get_variable("bias", initializer=0.0)
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.reduce_sum(x * weights, 1) + bias - y))
        train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    return x, y, loss, train, [weights, bias, step]


def trained(session, built, steps=5):
    """Train for some steps, and return the losses and the state at the end."""
    x, y, loss, train, state = built
    session.run(tf.global_variables_initializer())
    inputs = np.random.RandomState(0).randn(16, 2).astype("f")
    outputs = inputs @ np.array([1, 2], "f") + 3
    losses = [session.run([loss, train], {x: inputs, y: outputs})[0] for _ in range(steps)]
    return losses, session.run(state)


def test_a_model_on_parameter_servers_trains_as_in_one_process(servers, session_on):
    with tf.Graph().as_default(), tf.Session() as session:
        expected, expected_state = trained(session, line(None))
    with tf.Graph().as_default():
        built = line(tf.train.replica_device_setter(2, worker_device="/job:worker/task:0"))
        with session_on(servers["worker", 0]) as session:
            losses, state = trained(session, built)
            devices = {v.op.device for v in tf.global_variables()}
    assert {"/job:ps/task:0", "/job:ps/task:1"} <= devices
    np.testing.assert_allclose(losses, expected, rtol=1e-6)
    for value, known in zip(state, expected_state, strict=True):
        np.testing.assert_allclose(value, known, rtol=1e-6)


def test_replicas_in_one_graph_give_the_numbers_of_one_task(servers):
    def build(devices):
        with tf.device(devices[0]):
            v = tf.get_variable("v", initializer=[1.0, 2.0, 3.0])
        gradients = []
        for number, device in enumerate(devices):
            with tf.device(device):
                loss = tf.reduce_sum(tf.square(v * float(number + 1)))
                gradients.append(tf.gradients(loss, v)[0])
        with tf.device(devices[0]):
            return v, v.assign_sub(0.01 * tf.add_n(gradients))

    results = []
    for devices, target in (
        (["/cpu:0", "/cpu:0"], ""),
        (["/job:worker/task:0", "/job:worker/task:1"], servers["worker", 0].target),
    ):
        with tf.Graph().as_default():
            v, update = build(devices)
            with tf.Session(target) as session:
                session.run(v.initializer)
                results.append([session.run(update) for _ in range(3)])
    np.testing.assert_array_equal(results[0], results[1])


def test_variables_stay_when_sessions_end_and_are_shared(servers, session_on):
    with tf.device("/job:ps/task:1"):
        v = tf.Variable(1.0)
    with session_on(servers["worker", 0]) as session:
        session.run(v.initializer)
        session.run(v.assign_add(1.0))
    with session_on(servers["worker", 1]) as session:
        assert session.run(v) == 2.0
    tf.Session.reset(servers["worker", 0].target)
    with (
        session_on(servers["worker", 1]) as session,
        pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Attempting to use uninitialized value Variable",
        ),
    ):
        session.run(v)


def test_reset_drops_the_containers_it_names(servers):
    with tf.device("/job:ps/task:0"):
        kept = tf.Variable(1.0, name="kept")
        with tf.container("dropped"):
            dropped = tf.Variable(2.0, name="dropped")
    with tf.Session(servers["worker", 0].target) as session:
        session.run(tf.global_variables_initializer())
    tf.Session.reset(servers["worker", 0].target, ["dropped"])
    with tf.Session(servers["worker", 0].target) as session:
        assert session.run(kept) == 1.0
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(dropped)


def test_a_session_that_was_reset_is_aborted(servers):
    with tf.device("/job:ps/task:0"):
        one = tf.constant(1.0) + 1.0
    session = tf.Session(servers["worker", 0].target)
    assert session.run(one) == 2.0
    tf.Session.reset(servers["worker", 0].target)
    with pytest.raises(tf.errors.AbortedError, match="is not found"):
        session.run(one)
    session.close()


def test_isolated_sessions_have_variables_of_their_own(servers, session_on):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    config = tf.ConfigProto(isolate_session_state=True)
    with session_on(servers["worker", 0], config=config) as session:
        session.run(v.initializer)
        assert session.run(v) == 1.0
    with (
        session_on(servers["worker", 0]) as session,
        pytest.raises(tf.errors.FailedPreconditionError),
    ):
        session.run(v)


def test_device_filters_leave_tasks_out(servers, session_on):
    config = tf.ConfigProto(device_filters=["/job:ps/task:0", "/job:worker/task:0"])
    with tf.device("/job:ps/task:1"):
        x = tf.constant(1.0) + 1.0
    with session_on(servers["worker", 0], config=config) as session:
        names = [device.name for device in session.list_devices()]
        assert names == [
            "/job:worker/replica:0/task:0/device:CPU:0",
            "/job:ps/replica:0/task:0/device:CPU:0",
        ]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"):
            session.run(x)


def test_a_queue_is_shared_and_its_waits_block_nobody_else(servers, session_on):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]], shared_name="queue")
        taken = queue.dequeue()
        put = queue.enqueue(7.0)
        other = tf.constant(1.0) + 1.0
    results = []
    with session_on(servers["worker", 0]) as first, session_on(servers["worker", 1]) as second:
        waiting = threading.Thread(target=lambda: results.append(first.run(taken)))
        waiting.start()
        assert second.run(other) == 2.0
        second.run(put)
        waiting.join(20)
    assert results == [7.0]


def test_a_wait_ends_at_its_timeout_and_when_its_session_closes(servers, session_on):
    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]], shared_name="queue")
        taken = queue.dequeue()
    session = session_on(servers["worker", 0])
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(taken, options=tf.RunOptions(timeout_in_ms=200))
    problems = []

    def wait():
        try:
            session.run(taken)
        except tf.errors.OpError as problem:
            problems.append(problem)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.5)
    session.close()
    thread.join(10)
    assert not thread.is_alive()
    assert isinstance(problems[0], (tf.errors.CancelledError, tf.errors.AbortedError))


def test_loops_branches_strings_and_large_tensors_travel(servers, session_on):
    with tf.device("/job:ps/task:0"):
        x = tf.placeholder(tf.float32, [None])
        count = tf.while_loop(lambda i: i < 10, lambda i: i + 2, [tf.constant(1)])
        chosen = tf.cond(x[0] > 0, lambda: x * 2.0, lambda: x * 3.0)
        words = tf.constant(["a", "bc"])
    with tf.device("/job:worker/task:1"):
        joined = tf.string_join([words, words])
        doubled = chosen * 2.0
    with session_on(servers["worker", 0]) as session:
        large = np.arange(1, 300_001, dtype="f")
        assert session.run(count) == 11
        assert session.run(joined).tolist() == [b"aa", b"bcbc"]
        np.testing.assert_array_equal(session.run(doubled, {x: large}), large * 4)
        np.testing.assert_array_equal(session.run(doubled, {x: -large}), -large * 6)
        more = tf.constant(3.0) + session.run(count)
        assert session.run(more) == 14.0


def test_an_error_of_another_task_has_its_class_and_its_node(servers, session_on):
    with tf.device("/job:ps/task:1"):
        x = tf.placeholder(tf.int32, [])
        gathered = tf.gather(tf.constant([1.0, 2.0]), x, name="gathered")
    with tf.device("/job:worker/task:0"):
        result = gathered + 1.0
    with session_on(servers["worker", 0]) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in") as caught:
            session.run(result, {x: 5})
        assert "[[node gathered (defined at tests/cluster/test_sessions.py" in str(caught.value)
        assert session.run(result, {x: 1}) == 3.0


def test_metadata_has_the_steps_of_all_tasks(servers, session_on):
    with tf.device("/job:ps/task:0"):
        a = tf.random_normal([4], name="a")
    with tf.device("/job:worker/task:1"):
        b = tf.square(a, name="b")
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with session_on(servers["worker", 0]) as session:
        session.run(b, options=options, run_metadata=metadata)
    stats = {
        item.device: [node.node_name for node in item.node_stats]
        for item in metadata.step_stats.dev_stats
    }
    assert "b" in stats["/job:worker/replica:0/task:1/device:CPU:0"]
    assert any(name.startswith("a") for name in stats["/job:ps/replica:0/task:0/device:CPU:0"])


def test_placement_is_logged_with_the_names_of_tasks(servers, capfd):
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, name="v")
    config = tf.ConfigProto(log_device_placement=True)
    with tf.Session(servers["worker", 0].target, config=config) as session:
        session.run(v.initializer)
    assert "v: /job:ps/replica:0/task:0/device:CPU:0" in capfd.readouterr().err


def test_random_numbers_go_on_from_run_to_run(servers):
    def drawn(device, target):
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            with tf.device(device):
                x = tf.random_uniform([2])
                y = x + 0.0
            with tf.Session(target) as session:
                return [session.run(x), session.run(y), session.run([x, y])[0]]

    expected = drawn(None, "")
    assert len(np.unique(expected)) == 6
    np.testing.assert_array_equal(drawn("/job:ps/task:0", servers["worker", 0].target), expected)


def test_partial_runs_and_callables_work_on_a_cluster(servers, session_on):
    with tf.device("/job:ps/task:0"):
        x = tf.placeholder(tf.float32, [])
        y = tf.placeholder(tf.float32, [])
        double = 2.0 * x
        total = double + y
    with session_on(servers["worker", 0]) as session:
        handle = session.partial_run_setup([double, total], [x, y])
        assert session.partial_run(handle, double, {x: 2.0}) == 4.0
        assert session.partial_run(handle, total, {y: 1.0}) == 5.0
        assert session.make_callable(total, [x, y])(1.0, 2.0) == 4.0


def test_a_target_that_nobody_serves_is_an_error_in_time(graph_mode, monkeypatch):
    monkeypatch.setenv("PLACEWISE_CLUSTER_START_TIMEOUT", "0.5")
    with pytest.raises(tf.errors.DeadlineExceededError, match="grpc://localhost:1"):
        tf.Session("grpc://localhost:1")
    cluster = {"worker": [f"localhost:{free_port()}", f"localhost:{free_port()}"]}
    server = tf.train.Server(cluster, job_name="worker", task_index=0)
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"too long for /job:worker/task:1"):
        tf.Session(server.target)


def test_an_endless_loop_ends_at_its_timeout_and_when_its_session_closes(servers, session_on):
    with tf.device("/job:ps/task:1"):
        endless = tf.while_loop(lambda i: tf.constant(True), lambda i: i + 1, [0])
    session = session_on(servers["worker", 0])
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(endless, options=tf.RunOptions(timeout_in_ms=200))
    threading.Timer(0.3, session.close).start()
    with pytest.raises((tf.errors.CancelledError, tf.errors.AbortedError)):
        session.run(endless)


def test_large_feeds_and_fetches_of_one_host_share_memory(servers, session_on, monkeypatch):
    mapped = []
    read = sessions.mapped
    monkeypatch.setattr(sessions, "mapped", lambda shared: mapped.append(1) or read(shared))
    values = np.arange(200_000, dtype="f").reshape(2, -1)
    x, mask = tf.placeholder(tf.float32, [2, None]), tf.placeholder(tf.bool, [300_000])
    with tf.device("/job:worker/task:0"):
        fetched = [x + 1, tf.cast(x, tf.float64), ~mask]
    session = session_on(servers["worker", 0])
    results = session.run(fetched, {x: values, mask: np.ones(300_000, bool)})
    np.testing.assert_array_equal(results[0], values + 1)
    np.testing.assert_array_equal(results[1], values.astype("d"))
    assert results[2].dtype == bool
    assert not results[2].any()
    results[0][0, 0] = 7  # it is the program's own
    assert session.run(fetched[0], {x: values})[0, 0] == 1
    assert len(mapped) == (2 if isinstance(session._cluster, sessions.Remote) else 0)


@pytest.mark.parametrize("use_resource", [True, False])
def test_branches_and_loops_use_state_of_several_tasks(servers, session_on, use_resource):
    variables = []
    for task in range(2):
        with tf.device(f"/job:ps/task:{task}"):
            name, value = f"v{task}_{use_resource}", task + 1.0
            variables.append(tf.get_variable(name, initializer=value, use_resource=use_resource))
    a, b = variables
    x = tf.placeholder(tf.float32, [])

    def body(i, total):
        added = a.assign_add(1.0)
        return i + 1, total + b.assign_add(added)

    with tf.device("/job:ps/task:0"):
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]], shared_name=f"q{use_resource}")
    with tf.device("/job:worker/task:1"):
        chosen = tf.cond(x > 0, lambda: a.assign_add(x) + b, lambda: b.assign_sub(x) * a)
        looped = tf.while_loop(lambda i, total: i < 3, body, [0, 0.0])
        waiting = tf.while_loop(lambda i: i < 9, lambda i: i + queue.dequeue() + b, [0.0])
    session = session_on(servers["worker", 0])
    session.run(tf.global_variables_initializer())
    # As TensorFlow computes them.
    assert [session.run(chosen, {x: value}) for value in (3.0, -2.0)] == [6, 16]
    assert [session.run(looped)[1] for _ in range(2)] == [46, 118]
    assert session.run(variables) == [10, 49]
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(waiting, options=tf.RunOptions(timeout_in_ms=300))


def _pipelines():
    numbers = tf.data.Dataset.range(6)
    offset = tf.constant(5, tf.int64)
    rows = {"a": np.arange(4.0), "b": (np.arange(4), np.array([b"x", b"y", b"z", b"w"]))}
    return {
        "map": numbers.map(lambda x: tf.cond(x > 2, lambda: x * 10 + offset, lambda: x)).batch(4),
        "filter": numbers.filter(lambda x: tf.equal(x % 2, 0)),
        "flat_map": numbers.flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: y + x)),
        "scan": numbers.apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s * x))),
        "rows": tf.data.Dataset.from_tensor_slices(rows)
        .map(lambda row: (row["a"] * 2, row["b"][1]))
        .shuffle(4, seed=3)
        .repeat(2),
    }


def _elements(session, iterator, element):
    session.run(iterator.initializer)
    taken = []
    while True:
        try:
            taken.append(str(session.run(element)))
        except tf.errors.OutOfRangeError:
            return taken


def test_datasets_and_their_functions_travel(servers, session_on):
    iterators = [tf.data.make_initializable_iterator(dataset) for dataset in _pipelines().values()]
    elements = [iterator.get_next() for iterator in iterators]
    with session_on(servers["worker", 0]) as session, tf.Session() as local:
        for iterator, element in zip(iterators, elements, strict=True):
            assert _elements(session, iterator, element) == _elements(local, iterator, element)


def test_a_dataset_that_calls_python_does_not_travel(servers, monkeypatch):
    dataset = tf.data.Dataset.from_generator(lambda: iter([1]), tf.int32)
    iterator = tf.data.make_initializable_iterator(dataset)
    monkeypatch.setattr(tasks, "by_target", {})
    with (
        tf.Session(servers["worker", 0].target) as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="cannot be read from a GraphDef"),
    ):
        session.run(iterator.initializer)


def test_a_server_that_the_program_drops_goes_on_answering(graph_mode):
    target = tf.train.Server.create_local_server().target
    gc.collect()
    with tf.Session(target) as session:
        assert session.run(tf.constant(2) + 3) == 5
