"""TensorFlow 1's optimizers in the replicas of a strategy: one step with the sum of gradients."""

from __future__ import annotations

import numpy as np
import pytest

import placewise
import placewise as tf
import placewise.v1 as tf1

FIRST = np.sin(np.arange(6, dtype=np.float32)).reshape(3, 2)
# The sums of the two variables after two steps, each number times its place, of TensorFlow 2.21.
EXPECTED = {
    "GradientDescent": (-0.73, -0.4986),
    "Momentum": (2.1278, 7.2946),
    "Adam": (-4.1061, -8.7124),
    "Adagrad": (-4.0624, -8.6679),
    "RMSProp": (-1.6282, -5.1326),
    "Ftrl": (-3.8358, -9.0033),
    "Adadelta": (-4.5613, -9.1236),
}
OPTIONS = {
    "Momentum": {"momentum": 0.9, "use_nesterov": True},
    "RMSProp": {"momentum": 0.5, "centered": True},
    "Adadelta": {"learning_rate": 0.5},
}


@pytest.fixture(autouse=True)
def two_gpus():
    """Two simulated GPUs."""
    with placewise.simulate("2xK20m"):
        yield


def made(name):
    optimizer = getattr(tf1.train, f"{name}Optimizer")
    return optimizer(**{"learning_rate": 0.1, **OPTIONS.get(name, {})})


def loss_of(w, table):
    replica = tf.distribute.get_replica_context().replica_id_in_sync_group
    dense = tf.reduce_sum(w**2 * (tf.cast(replica, tf.float32) + 1.0))
    return dense + tf.reduce_sum(tf.nn.embedding_lookup(table, [replica, 2]) ** 2)


def assert_expected(name, parts_of_w, parts_of_table, steps):
    for parts, expected in zip((parts_of_w, parts_of_table), EXPECTED[name], strict=True):
        for part in parts:
            found = np.sum(np.ravel(part) * np.arange(1, 7))
            np.testing.assert_allclose(found, expected, atol=2e-4)
    assert [int(step) for step in steps] == [2, 2]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_graph_updates_all_parts_alike(graph_mode, name):
    strategy = tf1.distribute.MirroredStrategy()
    with strategy.scope():
        w = tf1.get_variable("w", initializer=FIRST)
        table = tf1.get_variable("table", initializer=FIRST * 2)
        count = tf1.train.get_or_create_global_step()
        optimizer = made(name)
        train = strategy.experimental_run_v2(
            lambda: optimizer.minimize(loss_of(w, table), global_step=count)
        )
        # Sparse updates of some have no GPU kernel.
        with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
            session.run(tf1.global_variables_initializer())
            for _ in range(2):
                session.run(strategy.experimental_local_results(train))
            found = [session.run(list(each.values)) for each in (w, table, count)]
    assert_expected(name, *found)


@pytest.mark.parametrize("is_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning")
def test_steps_update_all_parts_alike(name, is_function):
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        w, table = tf.Variable(FIRST), tf.Variable(FIRST * 2)
        count = tf.Variable(
            0, dtype=tf.int64, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA
        )
        optimizer = made(name)

    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(w, table)
        gradients = tape.gradient(loss, [w, table])
        optimizer.apply_gradients(zip(gradients, [w, table], strict=True), global_step=count)

    def all_steps():
        strategy.run(step)

    run = tf.function(all_steps) if is_function else all_steps
    for _ in range(2):
        run()
    assert_expected(name, *[[part.numpy() for part in each.values] for each in (w, table, count)])
