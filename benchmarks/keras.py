"""Keras's `fit` on placewise against TensorFlow: steady and first epochs; recurrent layers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from contest import Later, Limit, contest

LIMITS = {
    "MLP, an epoch after the first": Limit(tensorflow=1.0),
    "CNN, an epoch after the first": Limit(tensorflow=1.0),
    "MLP, compile and first epoch": Limit(tensorflow=2),
    "CNN, compile and first epoch": Limit(tensorflow=2),
    "LSTM layer, eager": Limit(tensorflow=10),
    "LSTM layer, eager, with gradients": Limit(tensorflow=10),
    "GRU layer, eager": Limit(tensorflow=10),
    "GRU layer, eager, with gradients": Limit(tensorflow=10),
}


def mlp(keras: Any) -> Any:
    """Return the perceptron of the MNIST guide."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((28, 28)),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dropout(0.2),
            layers.Dense(10),
        ]
    )


def cnn(keras: Any) -> Any:
    """Return a small convolutional network for images of 32 by 32."""
    layers = keras.layers
    return keras.Sequential(
        [
            layers.Input((32, 32, 3)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )


def pictures(rows: int, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    """Return random pictures of ten classes."""
    state = np.random.RandomState(0)
    return state.rand(rows, *shape).astype("float32"), state.randint(0, 10, rows)


def epoch(keras: Any, make: Callable[[Any], Any], shape: tuple[int, ...], rows: int) -> Any:
    """Return a run of one epoch of a model that is compiled, and has had its first."""
    x, y = pictures(rows, *shape)
    model = compiled(keras, make)
    model.fit(x, y, batch_size=32, verbose=0)
    return lambda: model.fit(x, y, batch_size=32, verbose=0)


def compiled(keras: Any, make: Callable[[Any], Any]) -> Any:
    """Return a model ready for training."""
    model = make(keras)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def first_epoch(keras: Any, make: Callable[[Any], Any], shape: tuple[int, ...], rows: int) -> Any:
    """Return the making of a model with its first, short epoch."""
    x, y = pictures(rows, *shape)
    return lambda: compiled(keras, make).fit(x, y, batch_size=32, verbose=0)


def eager_layer(tf: Any, kind: str) -> Callable[[], object]:
    """Return a call of a recurrent layer on a batch of sequences."""
    layer = getattr(tf.keras.layers, kind)(32)
    x = tf.constant(np.random.RandomState(0).rand(16, 50, 16).astype("float32"))
    return lambda: layer(x)


def eager_gradients(tf: Any, kind: str) -> Callable[[], object]:
    """Return a call of a recurrent layer, with the gradients of its weights."""
    layer = getattr(tf.keras.layers, kind)(32)
    x = tf.constant(np.random.RandomState(0).rand(16, 50, 16).astype("float32"))

    def run() -> object:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        return tape.gradient(loss, layer.trainable_variables)

    return run


def cases(tf: Any) -> dict[str, Any]:
    """Return the runs of a contender that has Keras, by name."""
    keras = tf.keras
    return {
        "MLP, an epoch after the first": Later(epoch, keras, mlp, (28, 28), 6400),
        "CNN, an epoch after the first": Later(epoch, keras, cnn, (32, 32, 3), 320),
        "MLP, compile and first epoch": Later(first_epoch, keras, mlp, (28, 28), 640),
        "CNN, compile and first epoch": Later(first_epoch, keras, cnn, (32, 32, 3), 320),
        "LSTM layer, eager": Later(eager_layer, tf, "LSTM"),
        "LSTM layer, eager, with gradients": Later(eager_gradients, tf, "LSTM"),
        "GRU layer, eager": Later(eager_layer, tf, "GRU"),
        "GRU layer, eager, with gradients": Later(eager_gradients, tf, "GRU"),
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
    """Return the epochs of both models as one writes them in torch."""
    from torch import nn

    perceptron = [nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 10)]
    convolutional = [
        nn.Conv2d(3, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * 6 * 6, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    ]
    return {
        "MLP, an epoch after the first": Later(torch_epoch, perceptron, (28, 28), 6400),
        "CNN, an epoch after the first": Later(torch_epoch, convolutional, (3, 32, 32), 320),
    }


def torch_epoch(layers: list[Any], shape: tuple[int, ...], rows: int) -> Callable[[], object]:
    """Return a run of one epoch of layers of torch."""
    import torch

    x, y = (torch.from_numpy(each) for each in pictures(rows, *shape))
    model = torch.nn.Sequential(*layers)
    optimizer = torch.optim.Adam(model.parameters())

    def run() -> None:
        for batch in torch.randperm(rows).split(32):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()

    return run


if __name__ == "__main__":
    os.environ["KERAS_BACKEND"] = "tensorflow"
    contenders = {"placewise": placewise, "torch": by_hand, "tensorflow": tensorflow}
    sys.exit(contest(__file__, contenders, LIMITS))
