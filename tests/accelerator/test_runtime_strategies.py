"""Training with strategies over cards that have memory of their own: what one device learns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import placewise as tf
import placewise.v1 as tf1

BATCH = 8
STRATEGIES: dict[str, Callable[[], Any]] = {
    "mirrored": tf.distribute.MirroredStrategy,
    "two cards": lambda: tf.distribute.MirroredStrategy(["GPU:1", "GPU:3"]),
    "central storage": tf.distribute.experimental.CentralStorageStrategy,
    "one card": lambda: tf.distribute.OneDeviceStrategy("/gpu:2"),
}
pytestmark = pytest.mark.usefixtures("accelerator")


def data() -> Any:
    """Return features and labels, a batch and a half."""
    rng = np.random.RandomState(0)
    return rng.rand(12, 3).astype("float32"), rng.rand(12, 2).astype("float32")


def trained(strategy: Any, is_function: bool) -> Any:
    """Return losses and weights after a loop of one's own."""
    with strategy.scope():
        w = tf.Variable(np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2))
        seen = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
        optimizer = tf.keras.optimizers.Adam(0.1)

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.tanh(x @ w) - y) ** 2) / BATCH
        optimizer.apply([tape.gradient(loss, w)], [w])
        seen.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
        return loss

    def all_steps(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)

    run = tf.function(all_steps) if is_function else all_steps
    dataset = tf.data.Dataset.from_tensor_slices(data()).batch(BATCH)
    with strategy.scope():
        optimizer.build([w])
        losses = [
            float(run(x, y))
            for _ in range(2)
            for x, y in strategy.experimental_distribute_dataset(dataset)
        ]
    return losses, w.numpy(), float(seen.numpy())


@pytest.mark.parametrize("is_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("name", STRATEGIES)
def test_cards_learn_what_the_cpu_does(name: str, is_function: bool) -> None:
    with tf.device("CPU:0"):
        expected = trained(tf.distribute.OneDeviceStrategy("/cpu:0"), is_function)
    found = trained(STRATEGIES[name](), is_function)
    tf.nest.map_structure(lambda a, b: np.testing.assert_allclose(a, b, 1e-5), found, expected)


def test_fit_on_four_cards_learns_what_the_cpu_does() -> None:
    def fitted(strategy: Any) -> Any:
        tf.keras.utils.set_random_seed(3)
        with strategy.scope():
            model = tf.keras.Sequential(
                [
                    tf.keras.Input([3]),
                    tf.keras.layers.Dense(4, "tanh"),
                    tf.keras.layers.BatchNormalization(synchronized=True),
                    tf.keras.layers.Dense(2),
                ]
            )
            model.compile("adam", "mse", metrics=["mae"])
        x, y = data()
        history = model.fit(x[:8], y[:8], batch_size=BATCH, epochs=2, verbose=0, shuffle=False)
        return history.history, model.predict(x, verbose=0)

    with tf.device("CPU:0"):
        expected = fitted(tf.distribute.OneDeviceStrategy("/cpu:0"))
    found = fitted(tf.distribute.MirroredStrategy())
    tf.nest.map_structure(
        lambda a, b: np.testing.assert_allclose(a, b, 1e-4, 1e-6), found, expected
    )


def test_mirrored_variables_are_saved_and_restored(tmp_path: Path) -> None:
    strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        w = tf.Variable(tf.ones([3]))
        seen = tf.Variable(
            tf.zeros([2]),
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
    strategy.run(lambda: seen.assign_add([1.0, 2.0]))
    path = tf.train.Checkpoint(w=w, seen=seen).save(tmp_path / "model")
    w.assign([7.0, 8.0, 9.0])
    tf.train.Checkpoint(w=w, seen=seen).restore(path).assert_consumed()
    for part in w.values:
        np.testing.assert_array_equal(part, [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(seen.read_value(), [4.0, 8.0])
    one = tf.Variable(tf.zeros([3]))
    tf.train.Checkpoint(w=one).restore(path)
    np.testing.assert_array_equal(one, [1.0, 1.0, 1.0])


def test_datasets_are_divided_among_the_cards(accelerator: ModuleType) -> None:
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])

    def make(context: Any) -> Any:
        rows = tf.data.Dataset.range(8).map(lambda n: (tf.cast(n, tf.float32), n))
        return rows.batch(context.get_per_replica_batch_size(4))

    of_functions = strategy.distribute_datasets_from_function(make)
    of_values = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(float(context.replica_id_in_sync_group))
    )
    for number, (x, n) in enumerate(of_functions):
        for index, part in enumerate(strategy.experimental_local_results(x)):
            assert part.device.endswith(f"GPU:{index}")
            assert str(part._value.device) == f"accel:{index}"
        total = strategy.run(
            lambda x, n, k: tf.reduce_sum(x) + tf.cast(n[0], x.dtype) + k, args=(x, n, of_values)
        )
        summed = strategy.reduce("SUM", total, axis=None)
        first = 4 * number
        assert float(summed) == first * 4 + 6 + first + first + 2 + 1
    gathered = strategy.gather(strategy.run(lambda: tf.ones([2])), axis=0)
    np.testing.assert_array_equal(gathered, [1.0] * 4)


def test_a_graph_of_replicas_runs_in_a_session(graph_mode: None) -> None:
    def trained(strategy: Any) -> Any:
        with tf1.Graph().as_default(), strategy.scope():
            w = tf1.get_variable("w", initializer=np.linspace(-1, 1, 3, dtype=np.float32))
            optimizer = tf1.train.MomentumOptimizer(0.1, 0.9)
            x = tf1.placeholder(tf1.float32, [4, 3])

            def step(x: Any) -> Any:
                replica = tf1.distribute.get_replica_context()
                own = x[replica.replica_id_in_sync_group :: replica.num_replicas_in_sync]
                loss = tf1.reduce_sum(tf1.tanh(own * w) ** 2)
                with tf1.control_dependencies([optimizer.minimize(loss)]):
                    return tf1.identity(loss)

            losses = strategy.experimental_run_v2(step, args=(x,))
            loss = strategy.reduce(tf1.distribute.ReduceOp.SUM, losses, axis=None)
            config = tf1.ConfigProto(allow_soft_placement=True)
            with tf1.Session(config=config) as session:
                session.run(tf1.global_variables_initializer())
                return [session.run(loss, {x: data()[0][:4]}) for _ in range(3)]

    expected = trained(tf1.distribute.OneDeviceStrategy("/cpu:0"))
    np.testing.assert_allclose(trained(tf1.distribute.MirroredStrategy()), expected, 1e-5)


@pytest.mark.usefixtures("backend_on_path")
def test_workers_train_on_cards_of_their_own(tmp_path: Path) -> None:
    def started(cards: int, name: str) -> Any:
        environment = {"OMP_NUM_THREADS": "1", "TEST_ACCELERATOR_CARDS": str(cards)}
        command = [sys.executable, "-m", "placewise", "run", "--workers", "2"]
        return subprocess.Popen(
            [*command, Path(__file__).with_name("worker_program.py"), tmp_path / name],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    runs = [started(2, "cards"), started(0, "cpu")]
    said = [run.communicate(timeout=180)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    expected = json.loads((tmp_path / "cpu.0").read_text())
    assert expected["devices"] == ["cpu"]
    for rank in range(2):
        found = json.loads((tmp_path / f"cards.{rank}").read_text())
        assert found["devices"] == ["cpu", f"accel:{rank}"]
        tf.nest.map_structure(
            lambda a, b: np.testing.assert_allclose(a, b, 1e-5),
            [found["results"], found["weights"]],
            [expected["results"], expected["weights"]],
        )
        assert found["crossed"] == [["CPU:0", "GPU:0"], ["GPU:0", "CPU:0"]]  # gloo is the host's
