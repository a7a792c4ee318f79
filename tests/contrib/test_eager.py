"""`tf.contrib.eager`: networks, metrics and savers of the first eager execution, as in 1.15."""

import numpy as np
import pytest

import placewise as tf
import placewise.compat.v1 as tf1

tfe = tf1.contrib.eager


def _dense(units):
    return tf1.layers.Dense(units, kernel_initializer=tf1.ones_initializer())


def _network():
    class Net(tfe.Network):
        def __init__(self, name=None):
            super().__init__(name)
            self.first = self.track_layer(_dense(2))
            self.second = self.track_layer(_dense(1))

        def call(self, x):
            return self.second(tf.nn.relu(self.first(x)))

    return Net


def test_a_network_applies_its_layers_and_names_their_variables():
    kind = _network()
    network, other = kind(), kind()
    np.testing.assert_array_equal(network(tf.ones([2, 3])), [[6.0], [6.0]])
    other(tf.ones([1, 3]))
    names = ["dense/kernel:0", "dense/bias:0", "dense_1/kernel:0", "dense_1/bias:0"]
    assert [v.name for v in network.variables] == [f"net/{name}" for name in names]
    assert [v.name for v in other.variables] == [f"net_1/{name}" for name in names]
    assert other.name == "net_1"
    assert [layer.name for layer in network.layers] == ["dense", "dense_1"]
    assert network.get_layer(index=1) is network.get_layer("dense_1")


def test_a_network_inside_of_a_network_has_its_scope():
    inner = _network()

    class Outer(tfe.Network):
        def __init__(self):
            super().__init__()
            self.body = self.track_layer(inner())
            self.head = self.track_layer(_dense(1))

        def call(self, x):
            return self.head(self.body(x))

    outer = Outer()
    outer(tf.ones([1, 3]))
    assert [v.name for v in outer.variables[::2]] == [
        "outer/net/dense/kernel:0",
        "outer/net/dense_1/kernel:0",
        "outer/dense/kernel:0",
    ]


def test_what_a_network_refuses():
    network = _network()()
    with pytest.raises(ValueError, match="does not yet have a final name"):
        _ = network.name
    with pytest.raises(TypeError, match="not a tf"):
        network.track_layer(3)
    with pytest.raises(ValueError, match="No such layer: x"):
        network.get_layer("x")
    with pytest.raises(ValueError, match="only has 2 layers"):
        network.get_layer(index=7)
    with pytest.raises(ValueError, match="Provide either"):
        network.get_layer()
    _network()("same")(tf.ones([1, 3]))
    with pytest.raises(ValueError, match="A Network named 'same' already exists"):
        _network()("same")(tf.ones([1, 3]))


def test_a_network_is_trained_in_a_graph(graph_mode):
    network = _network()()
    loss = tf.reduce_sum(network(tf.ones([1, 3])))
    network(tf.ones([4, 3]))  # the variables are made once
    step = tf1.train.GradientDescentOptimizer(0.1).minimize(loss)
    assert len(tf1.trainable_variables()) == 4
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        before = session.run(loss)
        session.run(step)
        assert session.run(loss) < before


def test_layers_and_functions_one_after_the_other():
    model = tfe.Sequential([_dense(2), tf.nn.relu, _dense(1)])
    np.testing.assert_array_equal(model(tf.ones([1, 2])), [[4.0]])
    assert [v.name for v in model.variables[::2]] == [
        "sequential/dense/kernel:0",
        "sequential/dense_1/kernel:0",
    ]


def test_variables_are_saved_by_their_names(tmp_path):
    network = _network()()
    network(tf.ones([1, 3]))
    saver = tfe.Saver(network.variables)
    path = saver.save(str(tmp_path / "model"), global_step=4)
    assert path.endswith("model-4")
    assert tf.train.list_variables(path)[1] == ("net/dense/kernel", [3, 2])
    network.variables[0].assign(tf.zeros([3, 2]))
    saver.restore(path)
    np.testing.assert_array_equal(network.variables[0], np.ones([3, 2]))


def test_a_mean_is_weighted_and_begins_anew():
    mean = tfe.metrics.Mean()
    assert mean([1, 2, 3]).numpy() == 6
    values, weights = mean(tf.constant([10.0]), weights=tf.constant([2.0]))
    assert (values.numpy(), weights.numpy(), mean.result().numpy()) == ([20.0], [2.0], 5.2)
    assert [v.name for v in mean.variables] == ["Mean/numer:0", "Mean/denom:0"]
    mean.init_variables()
    assert np.isnan(mean.result().numpy())
    other = tfe.metrics.Mean()
    other(5.0)
    mean.aggregate([mean, other])
    assert mean.result().numpy() == 5.0


def test_accuracies():
    metrics = tfe.metrics
    accuracy = metrics.Accuracy("acc")
    accuracy(tf.constant([1, 2, 3]), tf.constant([1, 0, 3]))
    np.testing.assert_allclose(accuracy.result(), 2 / 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="labels and predictions are unequal"):
        accuracy(tf.constant([1, 2, 3]), tf.constant([1, 0]))
    scores = tf.constant([[0.2, 0.8], [0.1, 0.9]])
    for kind, labels in (
        (metrics.CategoricalAccuracy(), tf.constant([[0.0, 1.0], [1.0, 0.0]])),
        (metrics.SparseAccuracy(), tf.constant([1, 0])),
    ):
        kind(labels, scores)
        assert kind.result().numpy() == 0.5
    binary = metrics.BinaryAccuracy(0.5)
    binary(tf.constant([1, 0]), tf.constant([0.2, 0.8]))
    assert binary.result().numpy() == 0.0


def test_a_metric_in_a_graph(graph_mode):
    mean = tfe.metrics.Mean()
    added, result = mean(tf.constant([1.0, 2.0])), mean.result()
    assert [v.name for v in tf1.local_variables()] == ["Mean/numer:0", "Mean/denom:0"]
    with tf1.Session() as session:
        session.run(mean.init_variables())
        session.run(added)
        session.run(added)
        assert session.run(result) == 1.5


def test_the_variables_of_an_optimizer():
    variable = tf.Variable(1.0)
    optimizer = tf1.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(lambda: variable * variable, var_list=[variable])
    (slot,) = tfe.get_optimizer_variables(optimizer)
    assert slot.name.endswith("Momentum:0")
