"""Eager ops, variables and functions on devices of other processes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import placewise as tf

WORKER = "/job:worker/replica:0/task:1/device:CPU:0"
SERVER = "/job:ps/replica:0/task:0/device:CPU:0"
LOCAL = "/job:localhost/replica:0/task:0/device:CPU:0"


def test_ops_run_on_the_task_that_is_asked_for_and_their_results_stay_there(joined):
    with tf.device("/job:worker/task:1"):
        x = tf.constant([1.0, 2.0])
        y = x * 2 + tf.reshape(tf.range(2, dtype=tf.float32), [2])
    assert (x.device, y.device) == (WORKER, WORKER)
    assert (y.shape, y.dtype) == ((2,), tf.float32)
    assert y.numpy().tolist() == [2.0, 5.0]
    here = y + 1
    assert here.device == LOCAL and here.numpy().tolist() == [3.0, 6.0]
    assert repr(y) == "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 5.], dtype=float32)>"
    names = [device.name for device in tf.config.list_logical_devices()]
    assert WORKER in names and SERVER in names


def test_ops_with_several_results_strings_and_unknown_shapes(joined):
    with tf.device(WORKER):
        values, places = tf.unique([3, 1, 3])
        parts = tf.split(tf.range(6), 3)
        words = tf.strings.join([tf.constant("a"), "b"])
        chosen = tf.boolean_mask(tf.range(4), [True, False, True, True])
    assert values.numpy().tolist() == [3, 1] and places.numpy().tolist() == [0, 1, 0]
    assert [part.numpy().tolist() for part in parts] == [[0, 1], [2, 3], [4, 5]]
    assert words.numpy() == b"ab"
    assert chosen.shape == (3,) and chosen.device == WORKER


def test_variables_live_on_their_task_and_are_gone_with_their_objects(joined):
    with tf.device(SERVER):
        v = tf.Variable([1.0, 2.0])
    assert v.device == SERVER
    v.assign_add([1.0, 1.0])
    v.scatter_update(tf.IndexedSlices(tf.constant([9.0]), tf.constant([0])))
    assert v.numpy().tolist() == [9.0, 3.0]
    assert (v + 1).device == LOCAL
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    assert tape.gradient(loss, v).numpy().tolist() == [18.0, 6.0]


def test_functions_run_on_the_task_in_force_or_where_their_variables_are(joined):
    with tf.device(SERVER):
        v = tf.Variable([1.0, 1.0])

    @tf.function
    def step(x):
        v.assign_add(x)
        return tf.reduce_sum(v), x * 2

    with tf.device(WORKER):
        total, doubled = step(tf.constant([1.0, 2.0]))
    assert (total.device, doubled.device) == (WORKER, WORKER)
    assert total.numpy() == 5.0 and doubled.numpy().tolist() == [2.0, 4.0]
    total, _ = step(tf.constant([0.0, 1.0]))
    assert total.device == LOCAL and total.numpy() == 6.0
    with tf.device(WORKER):
        assert step.get_concrete_function(tf.TensorSpec([2]))(tf.zeros([2]))[0].numpy() == 6.0


def test_loops_and_branches_of_functions_run_there(joined):
    with tf.device(SERVER):
        v = tf.Variable(0)

    @tf.function
    def count(n):
        for i in tf.range(n):
            if i % 2 == 0:
                v.assign_add(i)
        return v.read_value()

    with tf.device(WORKER):
        assert count(tf.constant(7)).numpy() == 12


def test_a_large_tensor_goes_both_ways(joined):
    array = np.random.default_rng(0).normal(size=(512, 1024)).astype("float32")
    with tf.device(WORKER):
        there = tf.constant(array)
        total = there + 1
    np.testing.assert_array_equal(total.numpy(), array + 1)


def test_errors_are_those_of_the_op(joined):
    with tf.device(WORKER):
        x = tf.constant([1.0, 2.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            x + tf.constant([1.0, 2.0, 3.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"out of bounds|not in"):
            tf.gather(x, [5])


def test_a_task_that_does_not_exist_is_answered_with_those_that_do(joined):
    known = "/job:worker/task:1 has CPU:0"
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match=known),
        tf.device("/job:worker/task:7"),
    ):
        tf.constant(1.0)


def test_a_local_variable_cannot_be_used_elsewhere(joined):
    v = tf.Variable(1.0, name="mine")

    @tf.function
    def read():
        return v + 1

    with (
        pytest.raises(tf.errors.InvalidArgumentError, match="which lives in this process"),
        tf.device(WORKER),
    ):
        read()


def test_a_host_can_be_joined_by_its_address(cluster):
    tf.config.experimental_connect_to_host(cluster.hosts["worker"][0])
    with tf.device("/job:worker/replica:0/task:0/device:CPU:0"):
        assert (tf.constant(2.0) * 3).numpy() == 6.0
    with pytest.raises(ValueError, match="at least one remote_host"):
        tf.config.experimental_connect_to_host()


def test_a_task_that_does_not_come_is_named_at_the_deadline(monkeypatch):
    monkeypatch.setenv("PLACEWISE_CLUSTER_START_TIMEOUT", "1")
    with pytest.raises(tf.errors.DeadlineExceededError, match="/job:worker/task:0 at localhost:9"):
        tf.config.experimental_connect_to_host("localhost:9")


def test_the_master_of_a_resolver_is_the_default_device_of_the_thread(cluster):
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(cluster.hosts), master=f"grpc://{cluster.hosts['worker'][1]}"
    )

    def places():
        tf.config.experimental_connect_to_cluster(resolver)
        with tf.device(LOCAL), pytest.raises(ValueError, match="inside existing device scope"):
            tf.config.experimental_connect_to_cluster(resolver)
        with tf.device(None):
            local = tf.constant(1.0).device
        return tf.constant(1.0).device, local

    # The scope lasts as long as the thread does.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(places).result() == (WORKER, LOCAL)


def test_a_master_outside_of_the_cluster_is_refused(cluster):
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(cluster.hosts), master="grpc://localhost:1"
    )
    with pytest.raises(ValueError, match="cannot find master grpc://localhost:1"):
        tf.config.experimental_connect_to_cluster(resolver)


def test_servers_that_were_started_alone_take_the_names_of_the_cluster():
    servers = [tf.distribute.Server.create_local_server() for _ in range(3)]
    first, *others = [server.target.removeprefix("grpc://") for server in servers]
    spec = tf.train.ClusterSpec({"store": [first], "worker": others})
    for _ in range(2):  # again, and nothing changes
        tf.config.experimental_connect_to_cluster(spec)
    with tf.device("/job:store/task:0"):
        v = tf.Variable(1)

    @tf.function
    def step():
        return v.assign_add(2) + 10

    for task, expected in enumerate((13, 15)):
        with tf.device(f"/job:worker/task:{task}"):
            result = step()
        assert result.device == f"/job:worker/replica:0/task:{task}/device:CPU:0"
        assert result.numpy() == expected
    assert v.numpy() == 5


def test_a_variable_of_this_process_is_named_to_a_task_that_wants_it(joined):
    v = tf.Variable(1.0, name="rate")
    step = tf.function(lambda: v + 1.0)
    with (
        tf.device(WORKER),
        pytest.raises(
            tf.errors.InvalidArgumentError, match="task:1 cannot use 'rate', which lives in this"
        ),
    ):
        step()
