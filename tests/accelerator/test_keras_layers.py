"""Layers, losses and metrics of Keras on a device that is not the host, compared with the CPU."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.memory.transfer import HOST
from tests.accelerator.keras_cases import LAYERS, LOSSES, METRICS, PAIRS, given, model

pytestmark = [
    # Keras's variables have the older form of `__array__`.
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::placewise.eager.observe.PlacementWarning"),
]
CPU, GPU = "/CPU:0", "/GPU:0"
# A step of these reads something of the device on the host, in TensorFlow too.
READS = {
    "spectral_normalization": "whether a new estimate is due",
    "lstm_masked": "lengths, and whether all are padded on the right",
    "gru_masked": "lengths, and whether all are padded on the right",
    "bidirectional_masked": "lengths, and whether all are padded on the right",
    "category_encoding": "the largest category",
}


def agree(one: Any, other: Any) -> None:
    for here, there in zip(tf.nest.flatten(one), tf.nest.flatten(other), strict=True):
        np.testing.assert_allclose(here, there, rtol=1e-5, atol=1e-5)


def is_on_card(variable: Any) -> bool:
    return variable.value._handle._value.value.device != HOST


def trained(name: str, device: str, weights: Any) -> tuple[Any, list[Any]]:
    """Return a model after two steps; its predictions before and after, its losses, its weights."""
    x = given(name)
    with tf.device(device):
        made = model(name)
        if weights is not None:
            made.set_weights(weights)
        made.compile(tf.keras.optimizers.SGD(0.1), "mse", jit_compile=False)
        before = made.predict(x, batch_size=len(x), verbose=0)
        y = np.random.RandomState(5).uniform(-1, 1, before.shape).astype("float32")
        history = made.fit(x, y, len(x), epochs=2, shuffle=False, verbose=0).history["loss"]
        after = made.predict(x, batch_size=len(x), verbose=0)
    return made, [before, history, made.get_weights(), after]


@pytest.mark.parametrize("name", LAYERS)
def test_training_is_that_of_the_cpu(accelerator: ModuleType, name: str) -> None:
    with tf.device(CPU):
        weights = model(name).get_weights()
    _, expected = trained(name, CPU, weights)
    made, found = trained(name, GPU, weights)
    agree(found, expected)
    assert all(map(is_on_card, made.trainable_variables))


@pytest.mark.parametrize("name", [name for name in LAYERS if name not in READS])
def test_a_step_of_training_waits_for_nothing(accelerator: ModuleType, name: str) -> None:
    with tf.device(GPU):
        made, x = model(name), tf.constant(given(name))
        optimizer = tf.keras.optimizers.SGD(0.1)
        optimizer.build(made.trainable_variables)
        y = tf.zeros(made(x).shape)

        @tf.function
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((made(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, made.trainable_variables)
            optimizer.apply_gradients(zip(gradients, made.trainable_variables, strict=True))
            return loss

        step(x, y)
        with accelerator.counted(stacks=True) as counted:
            step(x, y)
    assert not counted.syncs, "\n".join(map(str, counted.events))
    assert not counted.d2h


def test_states_are_kept_on_the_device(accelerator: ModuleType) -> None:
    x, found = given("lstm"), []
    for device in (CPU, GPU):
        with tf.device(device):
            tf.keras.utils.set_random_seed(1)
            layer = tf.keras.layers.LSTM(4, stateful=True)
            found.append([layer(x).numpy(), layer(x).numpy()])
            assert all(is_on_card(state) == (device == GPU) for state in layer.states)
            layer.reset_state()
    agree(found[1], found[0])


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize(("kind", "compared", "options"), LOSSES)
def test_losses_and_their_gradients_are_those_of_the_cpu(
    accelerator: ModuleType, kind: str, compared: str, options: Any, in_function: bool
) -> None:
    loss = getattr(tf.keras.losses, kind)(**options)

    def slope(true: Any, predicted: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(predicted)
            value = loss(true, predicted)
        return value, tape.gradient(value, predicted)

    found = []
    for device in (CPU, GPU):
        with tf.device(device):
            run = tf.function(slope) if in_function else slope
            found.append(run(*map(tf.constant, PAIRS[compared])))
    agree(found[1], found[0])
    assert all(each.device.endswith("GPU:0") for each in found[1])


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize(("kind", "compared", "options"), METRICS)
def test_metrics_are_those_of_the_cpu(
    accelerator: ModuleType, kind: str, compared: str, options: Any, in_function: bool
) -> None:
    found = []
    for device in (CPU, GPU):
        with tf.device(device):
            metric = getattr(tf.keras.metrics, kind)(**options)
            update = tf.function(metric.update_state) if in_function else metric.update_state
            for _ in range(2):
                update(*map(tf.constant, PAIRS[compared]))
            found.append(metric.result())
    agree(found[1], found[0])


def test_the_ctc_loss_is_that_of_the_cpu(accelerator: ModuleType) -> None:
    logits = np.random.RandomState(1).uniform(-1, 1, (2, 6, 5)).astype("float32")
    found = []
    for device in (CPU, GPU):
        with tf.device(device), tf.GradientTape() as tape:
            x = tf.constant(logits)
            tape.watch(x)
            value = tf.keras.losses.CTC()(np.array([[1, 2, 3], [2, 2, 0]], "int32"), x)
        found.append((value, tape.gradient(value, x)))
    agree(found[1], found[0])
