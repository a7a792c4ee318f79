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
