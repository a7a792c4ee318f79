"""Training gives the numbers of TensorFlow, whatever the layers and optimizers."""

import json
from pathlib import Path

import numpy as np
import pytest

import placewise as tf
from tests.keras.models_for_tests import CASES, numbers, perceptron, trained

# Keras's variables have the older form of `__array__`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

RECORDED = json.loads((Path(__file__).parent / "trained.json").read_text())


def same(found: object, expected: object, within: float = 1e-5) -> None:
    np.testing.assert_allclose(
        np.array(found, float), np.array(expected, float), rtol=within, atol=within
    )


@pytest.mark.parametrize("case", CASES)
def test_fit_gives_tensorflows_losses_and_weights(case: str) -> None:
    found, expected = trained(tf, case), RECORDED[case]
    assert set(found["history"]) == set(expected["history"])
    for name, values in expected["history"].items():
        same(found["history"][name], values)
    # The bias of an attention's keys has no gradient but rounding, which Adam scales up.
    within = 1e-4 if case.startswith("attending") else 1e-5
    same(found["weights"], expected["weights"], within)


def test_fit_that_runs_eagerly_gives_the_same() -> None:
    case = "perceptron, adam"
    same(trained(tf, case, run_eagerly=True)["weights"], RECORDED[case]["weights"])


def test_a_train_step_of_ones_own_is_called() -> None:
    class Own(tf.keras.Model):
        def train_step(self, data):  # type: ignore[no-untyped-def]
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(y=y, y_pred=self(x, training=True))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"own": loss, "doubled": 2.0 * loss}

    given = tf.keras.Input((3,))
    model = Own(given, tf.keras.layers.Dense(1)(given))
    model.compile("sgd", "mse")
    told = model.fit(numbers(8, 3, seed=0), numbers(8, 1, seed=1), verbose=0).history
    same(told["doubled"], 2 * np.array(told["own"]))


def test_mixed_precision_computes_in_half_and_keeps_single() -> None:
    layers = tf.keras.layers
    policy = "mixed_float16"
    model = tf.keras.Sequential(
        [
            layers.Input((3,)),
            layers.Dense(4, dtype=policy),
            layers.Dense(1, dtype="float32"),
        ]
    )
    model.compile("adam", "mse", auto_scale_loss=True)
    model.fit(numbers(8, 3, seed=0), numbers(8, 1, seed=1), verbose=0)
    assert model.layers[0](numbers(2, 3, seed=0)).dtype == tf.float16
    assert model.layers[0].kernel.dtype == "float32"


def test_four_replicas_train_to_the_weights_of_one() -> None:
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 4
    )

    def weights(strategy: object) -> list[np.ndarray]:
        with strategy.scope():  # type: ignore[attr-defined]
            model = perceptron(tf)
            model.set_weights([numbers(*w.shape, seed=2) for w in model.get_weights()])
            model.compile(tf.keras.optimizers.Adam(0.01), "mse")
        model.fit(
            numbers(32, 5, seed=3),
            numbers(32, 1, seed=4),
            batch_size=8,
            verbose=0,
            shuffle=False,
            epochs=2,
        )
        return model.get_weights()

    alone = weights(tf.distribute.OneDeviceStrategy("CPU:0"))
    mirrored = weights(tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(4)]))
    for one, other in zip(alone, mirrored, strict=True):
        same(one, other)


def test_datasets_are_taken_as_input() -> None:
    x, y = numbers(32, 5, seed=3), numbers(32, 1, seed=4)
    model = perceptron(tf)
    model.compile("sgd", "mse", steps_per_execution=2)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    told = model.fit(data, epochs=2, verbose=0, shuffle=False)
    assert told.history["loss"][1] < told.history["loss"][0]
    assert model.predict(tf.data.Dataset.from_tensor_slices(x).batch(8), verbose=0).shape == (32, 1)
