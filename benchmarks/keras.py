"""Keras's `fit` on placewise against TensorFlow: steady epochs, first epochs, eager LSTM layers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from contest import Later, Limit, contest

# This file's folder would give this file for `import keras`.
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent]

LIMITS = {
    "MLP, an epoch after the first": Limit(tensorflow=1.0),
    "CNN, an epoch after the first": Limit(tensorflow=1.0),
    "MLP, compile and first epoch": Limit(tensorflow=2),
    "LSTM layer, eager": Limit(tensorflow=10),
}


def mlp(keras: Any) -> Any:
    """Return the perceptron of the MNIST guide."""
    layers = keras.layers
    return keras.Sequential([
        layers.Input((28, 28)), layers.Flatten(), layers.Dense(128, activation="relu"),
        layers.Dropout(0.2), layers.Dense(10),
    ])  # fmt: skip


def cnn(keras: Any) -> Any:
    """Return a small convolutional network for images of 32 by 32."""
    layers = keras.layers
    return keras.Sequential([
        layers.Input((32, 32, 3)), layers.Conv2D(32, 3, activation="relu"), layers.MaxPooling2D(),
        layers.Conv2D(64, 3, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
        layers.Dense(64, activation="relu"), layers.Dense(10),
    ])  # fmt: skip


def epoch(keras: Any, make: Callable[[Any], Any], shape: tuple[int, ...], rows: int) -> Any:
    """Return a run of one epoch of a model that is compiled, and has had its first."""
    state = np.random.RandomState(0)
    x, y = state.rand(rows, *shape).astype("float32"), state.randint(0, 10, rows)
    model = compiled(keras, make)
    model.fit(x, y, batch_size=32, verbose=0)
    return lambda: model.fit(x, y, batch_size=32, verbose=0)


def compiled(keras: Any, make: Callable[[Any], Any]) -> Any:
    """Return a model ready for training."""
    model = make(keras)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def first_epoch(keras: Any) -> Callable[[], object]:
    """Return the making of a model with its first, short epoch."""
    state = np.random.RandomState(0)
    x, y = state.rand(640, 28, 28).astype("float32"), state.randint(0, 10, 640)
    return lambda: compiled(keras, mlp).fit(x, y, batch_size=32, verbose=0)


def eager_lstm(tf: Any) -> Callable[[], object]:
    """Return a call of an LSTM layer on a batch of sequences."""
    layer = tf.keras.layers.LSTM(32)
    x = tf.constant(np.random.RandomState(0).rand(16, 50, 16).astype("float32"))
    return lambda: layer(x)


def cases(tf: Any) -> dict[str, Any]:
    """Return the runs of a contender that has Keras, by name."""
    keras = tf.keras
    return {
        "MLP, an epoch after the first": Later(epoch, keras, mlp, (28, 28), 6400),
        "CNN, an epoch after the first": Later(epoch, keras, cnn, (32, 32, 3), 320),
        "MLP, compile and first epoch": Later(first_epoch, keras),
        "LSTM layer, eager": Later(eager_lstm, tf),
    }


def placewise() -> dict[str, Any]:
    """Return the runs on placewise."""
    import placewise as tf

    return cases(tf)


def tensorflow() -> dict[str, Any]:
    """Return the runs on TensorFlow."""
    import tensorflow as tf

    return cases(tf)


def by_hand() -> dict[str, Any]:
    """Return the epoch of the perceptron as one writes it in torch."""
    import torch

    def torch_epoch() -> Callable[[], object]:
        state = np.random.RandomState(0)
        x = torch.from_numpy(state.rand(6400, 784).astype("float32"))
        y = torch.from_numpy(state.randint(0, 10, 6400))
        model = torch.nn.Sequential(
            torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
            torch.nn.Linear(128, 10),
        )  # fmt: skip
        optimizer = torch.optim.Adam(model.parameters())

        def run() -> None:
            for batch in torch.randperm(6400).split(32):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
                optimizer.step()

        return run

    return {"MLP, an epoch after the first": Later(torch_epoch)}


if __name__ == "__main__":
    os.environ["KERAS_BACKEND"] = "tensorflow"
    contenders = {"placewise": placewise, "torch": by_hand, "tensorflow": tensorflow}
    sys.exit(contest(__file__, contenders, LIMITS))
