"""Training with parameter servers: where variables are, what steps return, what errors say."""

import time

import numpy as np
import pytest

import placewise as tf

coordination = tf.distribute.coordinator
partitioners = tf.distribute.experimental.partitioners


def resolver(cluster):
    hosts = {**cluster.hosts, "chief": ["localhost:1"]}  # nobody calls the chief
    return tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(hosts), rpc_layer="grpc", task_type="chief", task_id=0
    )


@pytest.fixture
def strategy(cluster):
    return tf.distribute.ParameterServerStrategy(resolver(cluster))


@pytest.fixture
def coordinator(strategy):
    made = coordination.ClusterCoordinator(strategy)
    yield made
    made._queue.close()


def test_variables_go_to_the_servers_in_turn(strategy):
    with strategy.scope():
        several = [tf.Variable(float(index)) for index in range(3)]
    names = [f"/job:ps/replica:0/task:{index}/device:CPU:0" for index in (0, 1, 0)]
    assert [variable.device for variable in several] == names
    assert [variable.numpy() for variable in several] == [0.0, 1.0, 2.0]
    assert tf.constant(1.0).device == "/job:chief/replica:0/task:0/device:CPU:0"
    assert strategy.num_replicas_in_sync == 1


def test_steps_train_a_model_and_results_come_back(strategy, coordinator):
    with strategy.scope():
        w = tf.Variable(tf.zeros([3, 1]))
    truth = np.array([[1.0], [-2.0], [0.5]], "float32")

    def make_dataset():
        index = coordination.experimental_get_current_worker_index()
        x = np.random.default_rng(int(index)).normal(size=(64, 3)).astype("float32")
        return tf.data.Dataset.from_tensor_slices((x, x @ truth)).repeat().batch(16)

    @tf.function
    def step(iterator):
        def replica(x, y):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ w - y) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            return loss

        return strategy.run(replica, args=next(iterator))

    iterator = iter(coordinator.create_per_worker_dataset(make_dataset))
    losses = [coordinator.schedule(step, args=(iterator,)) for _ in range(60)]
    coordinator.join()
    assert coordinator.done()
    values = coordinator.fetch(losses)
    assert np.mean(values[:5]) > 1.0 > 0.05 > np.mean(values[-5:])
    np.testing.assert_allclose(w.numpy(), truth, atol=0.1)
    assert isinstance(losses[0], coordination.RemoteValue)
    assert losses[0].get().device == "/job:chief/replica:0/task:0/device:CPU:0"


def test_each_worker_knows_its_number(coordinator):
    @tf.function
    def number():
        return coordination.experimental_get_current_worker_index()

    seen = {int(coordinator.schedule(number).fetch()) for _ in range(40)}
    assert seen <= {0, 1} and seen
    with pytest.raises(RuntimeError, match="Cannot retrieve the worker index"):
        coordination.experimental_get_current_worker_index()


def test_an_error_of_a_step_is_raised_once_and_what_waits_is_cancelled(strategy, coordinator):
    with strategy.scope():
        v = tf.Variable(1)

    @tf.function
    def fails():
        tf.debugging.assert_equal(v.read_value(), 2, "boom")
        return 1

    failed = coordinator.schedule(fails)
    with pytest.raises(tf.errors.InvalidArgumentError, match="boom"):
        coordinator.join()
    coordinator.join()
    with pytest.raises(tf.errors.InvalidArgumentError, match="boom"):
        failed.fetch()
    v.assign(2)
    assert coordinator.schedule(fails).fetch() == 1


def test_an_error_of_a_step_ends_those_that_run(strategy, coordinator):
    with strategy.scope():
        started = tf.Variable(0)

    @tf.function
    def endless():
        started.assign_add(1)
        count = tf.constant(0)
        while count >= 0:
            count = (count + 1) % 1000
        return count

    @tf.function
    def fails():
        tf.debugging.assert_equal(started.read_value(), -1, "boom")

    @tf.function
    def ends():
        return started.read_value()

    running = coordinator.schedule(endless)
    deadline = time.monotonic() + 60
    while int(started) == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    coordinator.schedule(fails)
    with pytest.raises(tf.errors.InvalidArgumentError, match="boom"):
        coordinator.join()
    with pytest.raises(tf.errors.CancelledError):
        running.fetch()
    results = [coordinator.schedule(ends) for _ in range(4)]
    coordinator.join()
    assert coordinator.fetch(results) == [1] * 4


def test_a_per_worker_dataset_may_come_from_a_function(strategy, coordinator):
    @tf.function
    def per_worker():
        return strategy.distribute_datasets_from_function(
            lambda context: tf.data.Dataset.range(3).repeat()
        )

    @tf.function
    def take(iterator):
        return next(iterator)

    iterator = iter(coordinator.create_per_worker_dataset(per_worker))
    taken = coordinator.fetch([coordinator.schedule(take, args=(iterator,)) for _ in range(3)])
    assert set(taken) <= {0, 1, 2}
    assert 0 in taken
    with pytest.raises(ValueError, match="used as an input to scheduled function"):
        coordinator.schedule(take, args=(coordinator.schedule(take, args=(iterator,)),))


def test_only_functions_can_be_scheduled(coordinator, strategy):
    with pytest.raises(TypeError, match=r"only accepts a `tf.function`"):
        coordinator.schedule(lambda: 1)
    assert coordination.ClusterCoordinator(strategy) is coordinator
    with pytest.raises(ValueError, match="ParameterServerStrategy"):
        coordination.ClusterCoordinator(tf.distribute.get_strategy())
    with pytest.raises(ValueError, match="Unexpected dataset type"):
        coordinator.create_per_worker_dataset(3)
    iterator = iter(coordinator.create_per_worker_dataset(tf.data.Dataset.range(3)))
    with pytest.raises(NotImplementedError, match="not supported right now"):
        next(iterator)


def test_the_end_of_a_dataset_is_an_error_of_the_step(coordinator):
    @tf.function
    def take(iterator):
        return next(iterator)

    iterator = iter(coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(1)))
    with pytest.raises(tf.errors.OutOfRangeError):
        for _ in range(5):
            coordinator.schedule(take, args=(iterator,))
            time.sleep(0.2)
        coordinator.join()


def test_workers_make_and_read_their_datasets_themselves(coordinator):
    def make():
        first = coordination.experimental_get_current_worker_index()
        return tf.data.Dataset.range(8).map(lambda x: (x, x + 100 * first)).shuffle(8).repeat()

    @tf.function
    def read(iterator):
        total = tf.constant(0, tf.int64)
        for _ in tf.range(8):  # in a loop, which the worker runs
            total += next(iterator)[0]
        return total, next(iterator)[1]

    iterator = iter(coordinator.create_per_worker_dataset(make))
    results = coordinator.fetch([coordinator.schedule(read, args=(iterator,)) for _ in range(6)])
    assert results[0][0] == 28  # a whole epoch
    assert all(int(offset) // 100 in (0, 1) for _, offset in results)
    made = [one for _, one in iterator._made.values()]
    assert made and all(one._iterator_resource._value.op.name == "IteratorV2" for one in made)


def test_datasets_that_call_python_are_read_by_the_coordinator(coordinator):
    def make():
        return tf.data.Dataset.from_generator(lambda: iter([1, 2, 3]), tf.int32)

    @tf.function
    def read(iterator):
        return next(iterator)

    iterator = iter(coordinator.create_per_worker_dataset(make))
    assert coordinator.fetch(coordinator.schedule(read, args=(iterator,))) == 1
    given = iter(coordinator.create_per_worker_dataset(tf.data.Dataset.range(3)))
    assert coordinator.fetch(coordinator.schedule(read, args=(given,))) == 0


def test_a_partitioner_cuts_variables_into_parts_on_several_servers(cluster, tmp_path):
    cut = partitioners.FixedShardsPartitioner(2)
    strategy = tf.distribute.ParameterServerStrategy(resolver(cluster), cut)
    with strategy.scope():
        whole = tf.Variable(1.0)
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="table")
    assert [part.shape.as_list() for part in table.variables] == [[2, 2], [1, 2]]
    assert len({part.device for part in table.variables}) == 2
    assert [part.name for part in table.variables] == ["table/part_0:0", "table/part_1:0"]
    assert whole.numpy() == 1.0 and table.shape == (3, 2)
    assert tf.nn.embedding_lookup(table, [2, 0]).numpy().tolist() == [[5.0, 6.0], [1.0, 2.0]]
    table.assign_add(tf.ones([3, 2]))
    assert table[2].numpy().tolist() == [6.0, 7.0]
    assert (table + 0.0).numpy().tolist() == table.numpy().tolist()
    path = tf.train.Checkpoint(table=table).save(str(tmp_path / "saved"))
    table.assign(tf.zeros([3, 2]))
    tf.train.Checkpoint(table=table).restore(path)
    assert table.numpy()[0].tolist() == [2.0, 3.0]


def test_keras_fit_raises_what_it_raises_in_tensorflow(strategy):
    keras = tf.keras
    with strategy.scope():
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
        model.compile("sgd", "mse")
    x, y = np.ones((16, 4), "float32"), np.ones((16, 2), "float32")
    with pytest.raises(ValueError, match="pass this dataset to ClusterCoordinator"):
        model.fit(x, y, verbose=0)


@pytest.mark.parametrize(
    ("jobs", "said"),
    [
        ({}, "Cluster spec must be non-empty"),
        ({"worker": ["localhost:1"], "chief": ["localhost:2"]}, "at least one ps"),
        ({"ps": ["localhost:1"], "chief": ["localhost:2"]}, "at least one worker"),
    ],
)
def test_a_cluster_that_cannot_train_is_refused(jobs, said):
    named = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(jobs))
    with pytest.raises(ValueError, match=said):
        tf.distribute.ParameterServerStrategy(named)


def test_steps_that_nobody_scheduled_are_told_of(strategy, coordinator, caplog):
    @tf.function
    def step():
        return strategy.run(lambda: tf.constant(1))

    coordinator.schedule(step).fetch()
    assert "ClusterCoordinator.schedule" not in caplog.text
    strategy.run(lambda: tf.constant(1))
    assert "is invoked without using `ClusterCoordinator.schedule`" in caplog.text


def test_the_function_of_a_dataset_is_called_once_for_all_workers(coordinator):
    calls = []

    def make():
        calls.append(1)
        number = coordination.experimental_get_current_worker_index()
        return tf.data.Dataset.range(3).map(lambda x: x + 10 * tf.cast(number + 1, tf.int64))

    dataset = coordinator.create_per_worker_dataset(make)
    for _ in range(2):
        iterator = iter(dataset)
        step = tf.function(lambda one: next(one))
        for _ in range(3):
            coordinator.schedule(step, (iterator,))
        coordinator.join()
    assert len(calls) == 1


def test_each_worker_has_its_own_of_a_per_worker_variable(strategy, coordinator):
    with strategy.scope():
        steps = tf.Variable([0.0], name="steps", per_worker_variable=True)

    @tf.function
    def step():
        steps.assign_add([1.0])
        return steps + 0.0

    for count in range(1, 5):
        assert coordinator.schedule(step).fetch().shape == (1,)
        coordinator.join()
        assert sum(float(value[0]) for value in steps.read_all()) == count
    for _ in range(8):
        coordinator.schedule(step)
    coordinator.join()
    values = steps.read_all()
    assert len(values) == 2 and sum(values).numpy().tolist() == [12.0]
    assert not steps.trainable
