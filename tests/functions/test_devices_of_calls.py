"""Where a call of a function runs: the scope's device, which must exist."""

import pytest
import torch

import placewise as tf


@pytest.fixture
def double():
    tf.simulate("2xV100")
    return tf.function(lambda x: x * 2.0)


@pytest.mark.parametrize("name", ["/gpu:7", "/job:foo/CPU:0", "/task:1/CPU:0"])
def test_a_call_under_a_device_that_does_not_exist_raises(double, name):
    tf.config.set_soft_device_placement(False)
    x = tf.constant([1.0])
    with tf.device(name), pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy"):
        double(x)


def test_a_call_gives_way_only_if_soft_placement_is_on_at_that_moment(double):
    x = tf.constant([1.0])
    tf.config.set_soft_device_placement(True)
    with tf.device("/gpu:7"):
        assert double(x).device.endswith("GPU:0")
    tf.config.set_soft_device_placement(False)
    with tf.device("/gpu:7"), pytest.raises(tf.errors.InvalidArgumentError):
        double(x)


def test_a_malformed_device_is_named(double):
    x = tf.constant([1.0])
    with tf.device("/cpu:-1"), pytest.raises(tf.errors.InvalidArgumentError, match="Malformed"):
        double(x)


@pytest.fixture
def four_cpus():
    (cpu,) = tf.config.list_physical_devices("CPU")
    parts = [tf.config.LogicalDeviceConfiguration() for _ in range(4)]
    tf.config.set_logical_device_configuration(cpu, parts)


def _everything():
    with tf.device("/cpu:1"):
        x = tf.constant([1.0])
    with tf.device("/cpu:2"):
        v = tf.Variable(1.0)
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1.0]), 0.0)

    @tf.function
    def results(x):
        with tf.device("/cpu:3"):
            y = x * 2.0
            words, number, ragged = tf.strings.as_string(y), tf.size(y), tf.ragged.constant([[1]])
            chosen = tf.cond(x[0] > 0, lambda: x + 1.0, lambda: x)
        found = table.lookup(tf.constant(["a"]))
        return x, y, words, number, ragged.flat_values, chosen, v.assign_add(1.0), v, found

    return results, x


@pytest.mark.parametrize(("scope", "device"), [(None, "CPU:0"), ("/cpu:1", "CPU:1")])
def test_results_are_brought_to_the_device_of_the_call(scope, device, four_cpus):
    results, x = _everything()
    with tf.device(scope):
        taken = {result.device[-5:] for result in results(x)}
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = results(x)[1]
        assert taken == {y.device[-5:], tape.gradient(y, x).device[-5:]} == {device}


def test_results_are_brought_to_the_gpu_of_the_call_if_they_can_be_there():
    tf.simulate("2xV100")

    @tf.function
    def results():
        with tf.device("/cpu:0"):
            x = tf.constant([1.0])
            return x, tf.strings.as_string(x), tf.size(x)

    assert [result.device[-5:] for result in results()] == ["GPU:0", "CPU:0", "GPU:0"]
    with tf.device("/gpu:1"):
        assert [result.device[-5:] for result in results()] == ["GPU:1", "CPU:0", "GPU:1"]
    assert results()[2].backing_device.endswith("CPU:0")


def test_results_of_replicas_come_back_on_the_device_of_the_function(four_cpus):
    strategy = tf.distribute.MirroredStrategy(["CPU:1", "CPU:2"])

    def replica():
        return tf.random.uniform([]) + 1.0

    def devices(results):
        return [value.device[-5:] for value in results.values]

    assert devices(strategy.run(replica)) == ["CPU:1", "CPU:2"]
    assert devices(tf.function(lambda: strategy.run(replica))()) == ["CPU:0", "CPU:0"]


def test_a_warning_of_placement_points_at_the_programs_line(double):
    tf.config.set_soft_device_placement(True)
    x = tf.constant([1.0])
    with tf.device("/gpu:5"), pytest.warns(match="GPU:5 does not exist here") as warned:
        tf.add(x, 1.0)
    assert {item.filename for item in warned} == {__file__}


def test_determinism_fixes_the_number_of_threads():
    before = torch.get_num_threads()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    tf.constant(1.0) + 1.0
    assert torch.get_num_threads() == 4
    torch.set_num_threads(before)


class _Maker:
    variable = None

    @tf.function
    def call(self):
        if self.variable is None:
            self.variable = tf.Variable(1.0)
        return self.variable + 1.0

    @tf.function
    def call_on_cpu(self):
        with tf.device("/cpu:0"):
            return self.call()


def test_a_variable_made_in_a_function_is_where_its_caller_asks():
    tf.simulate("2xK20m")
    on_gpu, inside = _Maker(), _Maker()
    with tf.device("/gpu:1"):
        on_gpu.call()
        inside.call_on_cpu()
    assert on_gpu.variable.device.endswith("GPU:1")
    assert inside.variable.device.endswith("CPU:0")


def test_a_constant_of_an_init_scope_is_where_the_caller_asks():
    tf.simulate("2xK20m")
    devices = []

    @tf.function
    def function():
        with tf.init_scope():
            devices.append(tf.constant(1.0).device)

    with tf.device("/gpu:1"):
        function()
    assert devices[0].endswith("GPU:1")


def test_a_variable_lifted_into_a_graph_keeps_the_graphs_device():
    maker = _Maker()
    with tf.Graph().as_default(), tf.device("/gpu:1"):
        maker.call()
    assert maker.variable.device == "/device:GPU:1"
