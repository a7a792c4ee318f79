"""Training on several devices gives what training on one gives, and ends when it should."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest

import placewise
import placewise as tf

SIZES = ((6, 8), (8, 3))


@pytest.fixture(autouse=True)
def four_gpus():
    """Four simulated GPUs."""
    with placewise.simulate("4xK20m"):
        yield


def data():
    rng = np.random.RandomState(0)
    return rng.rand(20, 6).astype("float32"), rng.randint(0, 3, 20).astype("int32")


def trained(strategy, how, batch=8, epochs=2):
    """Return the weights after a little training in a loop of one's own."""
    rng = np.random.RandomState(1)
    with strategy.scope():
        weights = [tf.Variable(rng.randn(*size).astype("float32") * 0.3) for size in SIZES]
        momenta = [tf.Variable(tf.zeros(size), trainable=False) for size in SIZES]

    def step(x, y):
        replica = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.tanh(tf.matmul(x, weights[0])), weights[1])
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.reduce_sum(losses) / batch
        gradients = replica.all_reduce("sum", tape.gradient(loss, weights))

        def update(strategy, *gradients):
            for weight, momentum, gradient in zip(weights, momenta, gradients, strict=True):
                strategy.extended.update(
                    momentum, lambda m, g: m.assign(0.9 * m + g), args=(gradient,)
                )
                strategy.extended.update(
                    weight, lambda w, m: w.assign_sub(0.5 * m), args=(momentum,)
                )

        replica.merge_call(update, args=tuple(gradients))
        return loss

    def all_steps(x, y):
        return strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)

    run = tf.function(all_steps) if how == "function" else all_steps
    dataset = tf.data.Dataset.from_tensor_slices(data()).batch(batch)
    losses = [
        float(run(x, y))
        for _ in range(epochs)
        for x, y in strategy.experimental_distribute_dataset(dataset)
    ]
    for weight in weights:
        for part in getattr(weight, "values", ())[1:]:
            np.testing.assert_array_equal(part.numpy(), weight.values[0].numpy())
    return losses, [weight.numpy() for weight in weights]


@pytest.mark.parametrize("how", ["eager", "function"])
def test_four_devices_learn_what_one_does(how):
    one = trained(tf.distribute.OneDeviceStrategy("/gpu:0"), how)
    four = trained(tf.distribute.MirroredStrategy(), how)
    np.testing.assert_allclose(one[0], four[0], rtol=1e-5)
    for ours, theirs in zip(four[1], one[1], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_a_strategy_with_central_variables_learns_the_same():
    one = trained(tf.distribute.OneDeviceStrategy("/gpu:0"), "function")
    central = trained(tf.distribute.experimental.CentralStorageStrategy(), "function")
    np.testing.assert_allclose(one[0], central[0], rtol=1e-5)


def fitted(strategy):
    keras = tf.keras
    keras.utils.set_random_seed(7)
    with strategy.scope():
        model = keras.Sequential(
            [keras.layers.Input((6,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(3)]
        )
        model.compile(
            optimizer=keras.optimizers.Adam(0.05),
            metrics=["accuracy"],
            loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        )
    x, y = data()
    history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0).history
    scores = model.evaluate(x, y, batch_size=8, verbose=0)
    return (
        history["loss"],
        history["accuracy"],
        scores,
        model.get_weights(),
        model.predict(x, batch_size=8, verbose=0),
    )


def test_keras_learns_on_four_devices_what_it_does_on_one():
    one = fitted(tf.distribute.get_strategy())
    four = fitted(tf.distribute.MirroredStrategy())
    for ours, theirs in zip(four[:3], one[:3], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4)
    for ours, theirs in zip([*four[3], four[4]], [*one[3], one[4]], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)


def test_an_error_in_one_replica_ends_all_and_leaves_no_thread(monkeypatch):
    monkeypatch.setenv("PLACEWISE_WATCH_SECONDS", "0")  # no thread of the watchdog's
    strategy = tf.distribute.MirroredStrategy()
    before = threading.active_count()

    def step():
        replica = tf.distribute.get_replica_context()
        if int(replica.replica_id_in_sync_group) == 2:
            raise KeyError("two")
        return replica.all_reduce("sum", 1.0)

    with pytest.raises(KeyError, match="two"):
        strategy.run(step)
    assert threading.active_count() <= before  # one of another test may have ended
    assert float(strategy.reduce("SUM", strategy.run(lambda: tf.constant(1.0)), axis=None)) == 4.0


def test_ctrl_c_ends_replicas_that_would_run_for_ever(monkeypatch):
    monkeypatch.setenv("PLACEWISE_WATCH_SECONDS", "0")  # no thread of the watchdog's
    strategy = tf.distribute.MirroredStrategy()
    before = threading.active_count()

    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press).start()

    def step():
        while True:
            time.sleep(0.001)

    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        strategy.run(step)
    assert time.monotonic() - begun < 10
    assert threading.active_count() == before


def test_parts_of_a_variable_take_memory_of_their_own_devices():
    strategy = tf.distribute.MirroredStrategy()
    used = [tf.config.experimental.get_memory_info(f"GPU:{i}")["current"] for i in range(4)]
    with strategy.scope():
        variable = tf.Variable(tf.zeros([1024, 1024]))
    now = [tf.config.experimental.get_memory_info(f"GPU:{i}")["current"] for i in range(4)]
    assert [b - a >= 4 << 20 for a, b in zip(used, now, strict=True)] == [True] * 4
    assert [part.device[-5:] for part in variable.values] == [f"GPU:{i}" for i in range(4)]


def test_meeting_inside_of_a_nested_function_is_refused_with_the_reason():
    strategy = tf.distribute.MirroredStrategy()

    @tf.function
    def inner():
        return tf.distribute.get_replica_context().all_reduce("sum", tf.constant(1.0))

    def step():
        return inner() + 1.0

    with pytest.raises(RuntimeError, match="`merge_call` called while defining a new graph"):
        strategy.run(step)


def test_a_function_given_to_run_holds_all_replicas():
    strategy = tf.distribute.MirroredStrategy()
    traces = []

    @tf.function
    def step(x):
        traces.append(1)
        return tf.distribute.get_replica_context().all_reduce("sum", x)

    for number in (1.0, 2.0):
        out = strategy.run(step, args=(tf.constant(number),))
        assert [float(each) for each in out.values] == [4 * number] * 4
    assert len(traces) == 4  # one trace for the four replicas


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"'/gpu:9', which does not exist here; there are: CPU:0"):
        tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:9"])


def test_looking_for_a_tpu_fails_as_on_any_machine_without():
    with pytest.raises(ValueError, match="Please provide a TPU Name to connect to"):
        tf.distribute.cluster_resolver.TPUClusterResolver()
    with pytest.raises(ValueError, match="Please provide a TPU Name"):
        tf.distribute.TPUStrategy()


# As TensorFlow divides batches among four replicas.
UNEVEN = {
    (13, 8): [[[0, 1], [2, 3], [4, 5], [6, 7]], [[8, 9], [10, 11], [12], []]],
    (11, 6): [[[0, 1], [2, 3], [4, 5], []], [[6, 7], [8, 9], [10], []]],
    (7, 6): [[[0, 1], [2, 3], [4, 5], []], [[6], [], [], []]],
}


@pytest.mark.parametrize(("size", "batch"), UNEVEN)
def test_uneven_batches_are_divided_as_in_tensorflow(size, batch):
    dataset = tf.data.Dataset.range(size).batch(batch)
    parts = tf.distribute.MirroredStrategy().experimental_distribute_dataset(dataset)
    found = [[part.numpy().tolist() for part in element.values] for element in parts]
    assert found == UNEVEN[size, batch]


def test_batches_come_to_the_devices_of_their_replicas():
    dataset = tf.data.Dataset.from_tensors((tf.zeros([8, 3]), tf.zeros([8], tf.int32)))
    strategy = tf.distribute.MirroredStrategy()
    for each in next(iter(strategy.experimental_distribute_dataset(dataset))):
        assert [part.device[-5:] for part in each.values] == ["GPU:0", "GPU:1", "GPU:2", "GPU:3"]
    left = tf.distribute.InputOptions(experimental_fetch_to_device=False)
    x, _ = next(iter(strategy.experimental_distribute_dataset(dataset, left)))
    assert {part.device[-5:] for part in x.values} == {"CPU:0"}
    alone = tf.distribute.OneDeviceStrategy("/gpu:2")
    x, _ = next(iter(alone.experimental_distribute_dataset(dataset)))
    assert x.device.endswith("GPU:2")


def test_gradients_are_added_and_spread_without_a_further_copy():
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        w = tf.Variable(tf.ones([200, 200]))

    def replica_step(x):
        gradient = tf.matmul(x, x, transpose_a=True)
        total = tf.distribute.get_replica_context().all_reduce("sum", gradient)
        w.assign_sub(0.5 * total)

    @tf.function
    def step(x):
        strategy.run(replica_step, (x,))

    with strategy.scope():
        parts = strategy.experimental_distribute_values_from_function(
            lambda context: tf.fill([2, 200], float(context.replica_id_in_sync_group + 1))
        )
    step(parts)
    for part in w.values:
        np.testing.assert_allclose(part.numpy(), 1 - 0.5 * 2 * (1 + 4 + 9 + 16))


@pytest.mark.filterwarnings("error")
def test_counters_of_all_replicas_say_nothing_about_where_they_are():
    with tf.distribute.MirroredStrategy().scope():
        counter = tf.Variable(1, dtype=tf.int32)
        counter.assign_add(2)
    assert [int(part) for part in counter.values] == [3] * 4


def test_an_input_function_may_return_a_function_for_each_part():
    strategy = tf.compat.v1.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    calls = itertools.count()
    iterator = strategy.make_input_fn_iterator(lambda context: lambda: tf.constant(next(calls)))
    assert iterator.initializer == []
    for expected in ([0, 1], [2, 3]):
        parts = strategy.experimental_local_results(iterator.get_next())
        assert [int(part) for part in parts] == expected
    with pytest.raises(ValueError, match=r"must return a tf\.data\.Dataset or a callable"):
        strategy.make_input_fn_iterator(lambda context: 3)


def test_input_options_are_compared_by_value():
    options = tf.distribute.InputOptions(experimental_per_replica_buffer_size=2)
    assert options == tf.distribute.InputOptions(True, experimental_per_replica_buffer_size=2)
    assert not tf.distribute.InputOptions(False).experimental_fetch_to_device


def test_counting_a_distributed_dataset_in_a_function_is_refused():
    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))

    @tf.function
    def count(iterable):
        for _, batch in enumerate(iterable):
            strategy.experimental_local_results(batch)

    for iterable in (dataset, iter(dataset)):
        with pytest.raises(NotImplementedError, match="keep a separate counter"):
            count(iterable)
    assert [number for number, _ in enumerate(dataset)] == [0, 1]


def per_replica(**options):
    mode = tf.distribute.InputReplicationMode.PER_REPLICA
    return tf.distribute.InputOptions(experimental_replication_mode=mode, **options)


def test_each_replica_may_have_a_dataset_of_its_own():
    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    contexts = []

    def numbers(context):
        contexts.append((context.num_input_pipelines, context.input_pipeline_id))
        count = 2 + 2 * context.input_pipeline_id
        return tf.data.Dataset.range(count).map(lambda x: x + 10 * context.input_pipeline_id)

    batches = strategy.distribute_datasets_from_function(
        lambda context: numbers(context).batch(2), per_replica()
    )
    found = [[part.numpy().tolist() for part in element.values] for element in batches]
    assert found == [[[0, 1], [10, 11]], [[], [12, 13]]]  # as in TensorFlow
    assert contexts == [(2, 0), (2, 1)]


def test_options_of_inputs_that_contradict_each_other_raise():
    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    dataset = tf.data.Dataset.range(4).batch(2)
    with pytest.raises(NotImplementedError, match="PER_REPLICA is only supported in"):
        strategy.experimental_distribute_dataset(dataset, per_replica())
    both = per_replica(experimental_place_dataset_on_device=True, experimental_fetch_to_device=True)
    placed = tf.distribute.InputOptions(experimental_place_dataset_on_device=True)
    for options, words in (
        (both, "can not be set to True"),
        (placed, "also specify `PER_REPLICA`"),
    ):
        with pytest.raises(ValueError, match=words):
            strategy.distribute_datasets_from_function(lambda context: dataset, options)


@pytest.mark.parametrize("fused", [True, False])
def test_a_batch_without_rows_leaves_the_averages_of_a_normalization_alone(fused):
    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    with strategy.scope():
        layer = tf.compat.v1.layers.BatchNormalization(axis=3, momentum=0.5, fused=fused)
        layer.build((None, 2, 2, 3))
    parts = [tf.zeros([0, 2, 2, 3]), tf.ones([4, 2, 2, 3])]

    def step():
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return layer(parts[replica], training=True)

    strategy.run(step)
    means = [part.numpy().tolist() for part in layer.moving_mean.values]
    assert means == [[0.0] * 3, [0.5] * 3]


def test_iterators_of_a_strategy_give_each_replica_its_part():
    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    iterator = strategy.make_input_fn_iterator(lambda context: tf.data.Dataset.range(4).batch(1))
    iterator.initialize()
    assert [int(part[0]) for part in iterator.get_next().values] == [0, 1]
    iterator = strategy.make_dataset_iterator(tf.data.Dataset.range(4).batch(2))
    assert [int(part[0]) for part in iterator.get_next().values] == [0, 1]


def test_variables_of_older_calls_have_one_part_a_replica():
    strategy = tf.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    made = []

    def note(next_creator, **options):
        made.append(options["name"])
        return next_creator(**options)

    with strategy.scope(), tf.variable_creator_scope(note):
        v = tf.compat.v1.get_variable(
            "v",
            initializer=0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
        tf.compat.v1.Variable(1.0, name="w")
    assert made == ["v", "w"]
    strategy.run(lambda: v.assign_add(1.0))
    assert float(v.read_value()) == 2.0
    assert [float(part) for part in v.values] == [1.0, 1.0]


def test_without_gpus_there_is_a_replica_on_each_logical_cpu():
    tf.simulate("0")
    (cpu,) = tf.config.list_physical_devices("CPU")
    parts = [tf.config.LogicalDeviceConfiguration() for _ in range(3)]
    tf.config.set_logical_device_configuration(cpu, parts)
    devices = tf.distribute.MirroredStrategy().extended.worker_devices
    assert [name[-5:] for name in devices] == ["CPU:0", "CPU:1", "CPU:2"]
    # Several machines: each has one replica.
    devices = tf.distribute.MultiWorkerMirroredStrategy().extended.worker_devices
    assert [name[-5:] for name in devices] == ["CPU:0"]
    with tf.simulate("2xV100"):
        devices = tf.distribute.MirroredStrategy().extended.worker_devices
    assert [name[-5:] for name in devices] == ["GPU:0", "GPU:1"]
