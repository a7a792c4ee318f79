"""Clusters whose tasks are on this machine: specs, servers, sessions on their targets."""

import pytest

import placewise.v1 as tf


def test_a_spec_tells_its_jobs_and_tasks():
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {3: "c:3"}})
    assert spec.jobs == ["worker", "ps"]
    assert spec.as_dict() == {"worker": ["a:1", "b:2"], "ps": {3: "c:3"}}
    assert (spec.num_tasks("ps"), spec.task_indices("ps")) == (1, [3])
    assert spec.task_address("worker", 1) == "b:2"
    assert spec.job_tasks("ps") == [None, None, None, "c:3"]
    assert spec == tf.train.ClusterSpec(spec.as_cluster_def())
    assert str(spec) == "ClusterSpec({'ps': {3: 'c:3'}, 'worker': ['a:1', 'b:2']})"


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (3, TypeError, "`cluster` must be a dictionary mapping one or more job names"),
        ({"a": 3}, TypeError, "The tasks for job 'a' must be a list or a dictionary"),
        ({"a": [3]}, TypeError, "Task address 3 must be bytes or unicode"),
    ],
)
def test_what_is_no_cluster_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        tf.train.ClusterSpec(given)


def test_a_task_that_is_not_there_is_named():
    spec = tf.train.ClusterSpec({"worker": ["a:1"]})
    with pytest.raises(ValueError, match="No such job in cluster: 'nope'"):
        spec.num_tasks("nope")
    with pytest.raises(ValueError, match="No task with index 9 in job 'worker'"):
        spec.task_address("worker", 9)


def test_a_local_server_runs_sessions(graph_mode):
    server = tf.train.Server.create_local_server()
    with tf.device("/job:local/task:0"):
        x = tf.constant(4) + 1
    with tf.Session(server.target) as session:
        assert session.run(x) == 5
        assert session.list_devices()[0].name == "/job:local/replica:0/task:0/device:CPU:0"


def test_sessions_of_one_server_share_variables(graph_mode):
    server = tf.train.Server.create_local_server()
    v = tf.Variable(1.0)
    with tf.Session(server.target) as session:
        session.run(v.initializer)
        session.run(v.assign_add(1.0))
    with tf.Session(server.target) as session:
        assert session.run(v) == 2.0
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
        session.run(v)


def test_workers_of_one_process_share_what_parameter_servers_keep(graph_mode):
    workers, _servers = tf.test.create_local_cluster(2, 1)
    with tf.device(tf.train.replica_device_setter(1)):
        v = tf.Variable(3.0)
    with tf.device("/job:worker/task:1"):
        more = v + 1.0
    with tf.Session(workers[0].target) as session:
        session.run(v.initializer)
    with tf.Session(workers[1].target) as session:
        assert session.run(more) == 4.0


def test_targets_of_another_kind_are_refused(graph_mode):
    with pytest.raises(tf.errors.NotFoundError, match="No session factory registered"):
        tf.Session("bogus://x")
    with pytest.raises(tf.errors.UnimplementedError, match="No server factory registered"):
        tf.train.Server({"w": ["localhost:0"]}, protocol="carrier pigeon")


def test_a_server_that_is_not_started_answers_later(graph_mode):
    server = tf.train.Server.create_local_server(start=False)
    server.start()
    with tf.Session(server.target) as session:
        assert session.run(tf.constant(1) + 1) == 2


def test_a_server_needs_a_task_of_its_cluster():
    with pytest.raises(tf.errors.InternalError, match='Job "x" was not defined in cluster'):
        tf.train.Server({"w": ["localhost:0"]}, job_name="x", task_index=0)
    with pytest.raises(ValueError, match="Must specify an explicit `job_name`"):
        tf.train.Server({"w": ["localhost:0"], "ps": ["localhost:0"]})


def test_a_port_in_use_is_told(graph_mode):
    server = tf.train.Server.create_local_server()
    port = server.target.rpartition(":")[2]
    with pytest.raises(
        tf.errors.UnknownError, match=f"Could not start gRPC server: 127.0.0.1:{port}"
    ):
        tf.train.Server({"w": [f"localhost:{port}"]})


def test_a_cluster_prints_its_jobs_in_order():
    cluster = tf.train.ClusterSpec({"worker": {1: "h:3"}, "ps": ["h:1", "h:2"]})
    assert repr(cluster) == "ClusterSpec({'ps': ['h:1', 'h:2'], 'worker': {1: 'h:3'}})"
