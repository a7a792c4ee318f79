"""Where results of replicas are, and what the program computes in a strategy's scope.

What is expected was seen in TensorFlow 2.21, with four logical CPUs.
"""

import pytest

import placewise as tf


@pytest.fixture(autouse=True)
def four_cpus():
    """Four logical CPUs."""
    with tf.simulate("0"):
        (cpu,) = tf.config.list_physical_devices("CPU")
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration()] * 4
        )
        yield


def short(value):
    """Return the devices of a value's parts, without what they have in common."""
    parts = tf.distribute.get_strategy().experimental_local_results(value)
    parts = getattr(value, "values", parts) if not isinstance(value, tf.Tensor) else parts
    return [part.device.rpartition("device:")[2] for part in parts]


STRATEGIES = {
    "two": lambda: tf.distribute.MirroredStrategy(["CPU:1", "CPU:2"]),
    "one mirrored": lambda: tf.distribute.MirroredStrategy(["CPU:1"]),
    "one": lambda: tf.distribute.OneDeviceStrategy("CPU:1"),
    "central": lambda: tf.distribute.experimental.CentralStorageStrategy(["CPU:1", "CPU:2"]),
}


@pytest.mark.parametrize("kind", STRATEGIES)
@pytest.mark.parametrize(("asked", "there"), [(None, "CPU:0"), ("CPU:3", "CPU:3")])
def test_ops_in_a_scope_go_where_the_program_asks(kind, asked, there):
    strategy = STRATEGIES[kind]()
    with tf.device(asked), strategy.scope():
        assert short(tf.add(1.0, 2.0)) == [there]


@pytest.mark.parametrize(("asked", "there"), [(None, "CPU:0"), ("CPU:3", "CPU:3")])
@pytest.mark.parametrize("kind", STRATEGIES)
def test_a_function_run_by_replicas_returns_on_the_callers_device(kind, asked, there):
    strategy = STRATEGIES[kind]()
    double = tf.function(lambda: tf.add([1.0], 2.0))
    with tf.device(asked):
        found = short(strategy.run(double))
    assert set(found) == ({"CPU:1"} if kind == "one" else {there})


@pytest.mark.parametrize(("asked", "there"), [(None, "CPU:0"), ("CPU:3", "CPU:3")])
@pytest.mark.parametrize("kind", STRATEGIES)
def test_sums_of_replicas_go_where_the_program_asks(kind, asked, there):
    strategy = STRATEGIES[kind]()
    with tf.device(asked):
        values = strategy.run(lambda: tf.add([1.0], 2.0))
        total = strategy.reduce("SUM", values, axis=None)
    alone = "CPU:1" if kind in ("one", "one mirrored") else there
    assert short(total) == [there if kind == "one mirrored" else alone]
    assert float(total[0]) == 3.0 * strategy.num_replicas_in_sync
