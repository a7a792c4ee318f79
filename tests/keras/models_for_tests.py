"""Small models whose training is compared with what TensorFlow's numbers are."""

from __future__ import annotations

from typing import Any

import numpy as np


def numbers(*shape: int, seed: int) -> np.ndarray:
    """Return the same numbers everywhere."""
    return np.random.RandomState(seed).uniform(-0.5, 0.5, shape).astype("float32")


def perceptron(tf: Any) -> Any:
    """Return two dense layers."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [layers.Input((5,)), layers.Dense(7, activation="relu"), layers.Dense(1)]
    )


def convolutional(tf: Any) -> Any:
    """Return a convolution, a normalisation and a pooling."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((6, 6, 2)),
            layers.Conv2D(3, 3, padding="same", activation="tanh"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


def recurrent(tf: Any) -> Any:
    """Return an embedding, whose gradients are sparse, and two recurrent layers."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input((4,), dtype="int32"),
            layers.Embedding(6, 3),
            layers.Bidirectional(layers.LSTM(4, return_sequences=True)),
            layers.GRU(3),
            layers.Dense(1),
        ]
    )


def attending(tf: Any) -> Any:
    """Return an attention over itself in the functional style."""
    layers = tf.keras.layers
    given = tf.keras.Input((4, 6))
    x = layers.MultiHeadAttention(2, 3)(given, given)
    x = layers.LayerNormalization()(x + given)
    return tf.keras.Model(given, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))


CASES = {
    "perceptron, sgd": (perceptron, (5,), lambda o: o.SGD(0.1, momentum=0.9, nesterov=True)),
    "perceptron, adam": (perceptron, (5,), lambda o: o.Adam(0.01)),
    "perceptron, adagrad with clipping": (perceptron, (5,), lambda o: o.Adagrad(0.1, clipnorm=0.5)),
    "convolutional, rmsprop": (convolutional, (6, 6, 2), lambda o: o.RMSprop(0.01)),
    "recurrent, sgd": (recurrent, (4,), lambda o: o.SGD(0.1)),
    "recurrent, adam": (recurrent, (4,), lambda o: o.Adam(0.01)),
    "recurrent, rmsprop": (recurrent, (4,), lambda o: o.RMSprop(0.01, momentum=0.5)),
    "attending, adamw": (attending, (4, 6), lambda o: o.AdamW(0.01)),
}


def trained(tf: Any, case: str, run_eagerly: bool = False) -> dict[str, Any]:
    """Return what training gives: the losses, and of each weight the sum and the sum of squares."""
    make, shape, optimizer = CASES[case]
    model = make(tf)
    model.set_weights(
        [
            numbers(*weight.shape, seed=index) + (weight.ndim == 1)
            for index, weight in enumerate(model.get_weights())
        ]
    )
    x = numbers(24, *shape, seed=50)
    if case.startswith("recurrent"):
        x = np.random.RandomState(50).randint(0, 6, (24, *shape)).astype("int32")
    y = numbers(24, 1, seed=51)
    model.compile(optimizer(tf.keras.optimizers), "mse", metrics=["mae"], run_eagerly=run_eagerly)
    history = model.fit(
        x, y, epochs=3, batch_size=8, shuffle=False, verbose=0, validation_split=0.25
    ).history
    weights = [
        [float(np.sum(w, dtype="float64")), float(np.sum(np.square(w, dtype="float64")))]
        for w in model.get_weights()
    ]
    return {"history": history, "weights": weights}
