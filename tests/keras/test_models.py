"""Models kept in files, summaries, the progress bar, callbacks."""

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import placewise as tf
from tests.keras.models_for_tests import convolutional, numbers, perceptron

# Keras's variables have the older form of `__array__`.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


def test_a_saved_model_predicts_the_same(tmp_path: Path) -> None:
    model, x = convolutional(tf), numbers(4, 6, 6, 2, seed=0)
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(model.predict(x, verbose=0), loaded.predict(x, verbose=0))
    model.save_weights(tmp_path / "only.weights.h5")
    other = convolutional(tf)
    other.load_weights(tmp_path / "only.weights.h5")
    np.testing.assert_array_equal(model.predict(x, verbose=0), other.predict(x, verbose=0))


def test_callbacks_see_each_epoch(tmp_path: Path) -> None:
    callbacks = tf.keras.callbacks
    model, x, y = perceptron(tf), numbers(16, 5, seed=0), numbers(16, 1, seed=1)
    model.compile("sgd", "mse")
    model.fit(
        x,
        y,
        validation_data=(x, y),
        epochs=3,
        verbose=0,
        callbacks=[
            callbacks.ModelCheckpoint(tmp_path / "best.keras", save_best_only=True),
            callbacks.EarlyStopping(patience=2),
            seen := callbacks.History(),
        ],
    )
    assert (tmp_path / "best.keras").exists()
    assert len(seen.history["val_loss"]) == 3


def test_fit_shows_its_progress(capsys: pytest.CaptureFixture[str]) -> None:
    model = perceptron(tf)
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(numbers(16, 5, seed=0), numbers(16, 1, seed=1), batch_size=4, epochs=2)
    told = capsys.readouterr().out
    assert "Epoch 2/2" in told
    assert "4/4" in told
    assert "mae: " in told


def test_an_optimizer_of_tensorflow_1_is_taken() -> None:
    model = perceptron(tf)
    model.compile(optimizer=tf.compat.v1.train.GradientDescentOptimizer(0.25), loss="mse")
    assert float(model.optimizer.learning_rate) == 0.25


def test_raw_operations_mix_with_layers() -> None:
    given = tf.keras.Input((3,))
    made = tf.keras.layers.Lambda(lambda x: tf.concat([x, tf.square(x)], 1))(given)
    model = tf.keras.Model(given, tf.keras.layers.Dense(2)(made))
    assert model(np.ones((4, 3), "f")).shape == (4, 2)


def test_keras_of_tensorflow_has_the_older_backend_functions() -> None:
    assert float(tf.keras.backend.mean(tf.constant([1.0, 3.0]))) == 2
    assert tf.keras.__version__ == "3.15.1"


def test_files_name_layers_by_the_attributes_that_hold_them(tmp_path: Path) -> None:
    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first = tf.keras.layers.Dense(2)

        def call(self, inputs: Any) -> Any:
            return self.first(inputs)

    model = Model()
    model(numbers(1, 3, seed=0))
    model.save_weights(tmp_path / "only.weights.h5")
    with h5py.File(tmp_path / "only.weights.h5") as file:
        assert "first" in file
        assert not [name for name in file if name.startswith("_self")]


def test_layers_that_tell_no_shape_are_built_inside_of_each_other() -> None:
    class Inner(tf.keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.dense = tf.keras.layers.Dense(3)

        def call(self, inputs: Any) -> Any:
            return {"out": self.dense(inputs)}

    class Model(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.inner = tf.keras.layers.Dense(2), Inner()

        def call(self, inputs: Any) -> Any:
            return self.inner(self.first(inputs))

    model = Model()
    model(numbers(1, 4, seed=0))
    assert model.inner.dense.built
    assert model.inner.get_build_config() == {"input_shape": (1, 2)}
