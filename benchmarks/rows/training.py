"""Training: Keras's fit of small models, and loops of TensorFlow 1."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from rows.plans import one_thread

LIMIT = 0.8
LIMITS: dict[str, tuple[float, str]] = {}
ROUNDS = 10  # steps of a fit


def fitting(tf: Any, model: Any, x: Any, y: Any, batch: int, loss: str) -> Callable[[], object]:
    """Return a fit of some steps."""
    model.compile("adam", loss)
    return lambda: model.fit(x, y, batch_size=batch, epochs=1, verbose=0, shuffle=False)


def images(size: int, channels: int, batch: int) -> tuple[Any, Any]:
    """Return images and labels for a fit."""
    random = np.random.RandomState(0)
    count = batch * ROUNDS
    return random.rand(count, size, size, channels).astype("f"), random.randint(0, 10, count)


CLASSES = "sparse_categorical_crossentropy"


def mlp(tf: Any) -> Callable[[], object]:
    """Fit a network of two layers."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [layers.Dense(128, "relu"), layers.Dropout(0.2), layers.Dense(10, "softmax")]
    )
    x, y = images(28, 1, 64)
    return fitting(tf, model, x.reshape(len(x), 784), y, 64, CLASSES)


def cnn(tf: Any) -> Callable[[], object]:
    """Fit a convolutional network."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(10, "softmax"),
        ]
    )
    return fitting(tf, model, *images(28, 1, 32), 32, CLASSES)


def resnet(tf: Any) -> Callable[[], object]:
    """Fit ResNet-20."""
    layers = tf.keras.layers
    inputs = tf.keras.Input([32, 32, 3])
    x = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(16, 3, padding="same")(inputs)))
    for stage, width in enumerate((16, 32, 64)):
        for block in range(3):
            stride = 2 if stage and not block else 1
            y = layers.Conv2D(width, 3, stride, "same", use_bias=False)(x)
            y = layers.ReLU()(layers.BatchNormalization()(y))
            y = layers.Conv2D(width, 3, padding="same", use_bias=False)(y)
            y = layers.BatchNormalization()(y)
            if stride == 2:
                x = layers.Conv2D(width, 1, 2)(x)
            x = layers.ReLU()(layers.Add()([x, y]))
    outputs = layers.Dense(10, "softmax")(layers.GlobalAveragePooling2D()(x))
    return fitting(tf, tf.keras.Model(inputs, outputs), *images(32, 3, 4), 4, CLASSES)


def text(tf: Any, kind: str) -> Callable[[], object]:
    """Fit a recurrent network on words."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Embedding(1000, 32),
            getattr(layers, kind)(32),
            layers.Dense(1, "sigmoid"),
        ]
    )
    random = np.random.RandomState(0)
    x, y = random.randint(0, 1000, (32 * ROUNDS, 20)), random.randint(0, 2, 32 * ROUNDS)
    return fitting(tf, model, x, y, 32, "binary_crossentropy")


def transformer(tf: Any) -> Callable[[], object]:
    """Fit a transformer of one block on words."""
    layers = tf.keras.layers
    inputs = tf.keras.Input([20], dtype="int32")
    x = layers.Embedding(1000, 32)(inputs)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 16)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "relu")(x)))
    outputs = layers.Dense(10, "softmax")(layers.GlobalAveragePooling1D()(x))
    random = np.random.RandomState(0)
    x, y = random.randint(0, 1000, (32 * ROUNDS, 20)), random.randint(0, 10, 32 * ROUNDS)
    return fitting(tf, tf.keras.Model(inputs, outputs), x, y, 32, CLASSES)


def autoencoder(tf: Any) -> Callable[[], object]:
    """Fit a convolutional autoencoder."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, 2, "same", activation="relu"),
            layers.Conv2D(8, 3, 2, "same", activation="relu"),
            layers.Conv2DTranspose(16, 3, 2, "same", activation="relu"),
            layers.Conv2DTranspose(1, 3, 2, "same", activation="sigmoid"),
        ]
    )
    x, _ = images(28, 1, 32)
    return fitting(tf, model, x, x, 32, "mse")


def loop(tf: Any, with_summaries: bool = False) -> Callable[[], object]:
    """Run a step of a small network with Adam in a session."""
    v1 = tf.compat.v1
    random = np.random.RandomState(0)
    with v1.Graph().as_default():
        x, labels = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.int64, [None])
        h = x
        for place, (rows, columns) in enumerate(((784, 128), (128, 64), (64, 10))):
            first = random.randn(rows, columns).astype("f") / 20
            weight = v1.get_variable(f"w{place}", initializer=first)
            bias = v1.get_variable(f"b{place}", initializer=np.zeros(columns, "f"))
            h = tf.matmul(h, weight) + bias
            h = tf.nn.relu(h) if place < 2 else h
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h)
        )
        fetched = [v1.train.AdamOptimizer(1e-5).minimize(loss), loss]
        if with_summaries:
            v1.summary.scalar("loss", loss)
            v1.summary.histogram("logits", h)
            fetched.append(v1.summary.merge_all())
        session = v1.Session(config=one_thread(v1))
        session.run(v1.global_variables_initializer())
        writer = v1.summary.FileWriter(tempfile.mkdtemp()) if with_summaries else None
    feed = {x: random.rand(64, 784).astype("f"), labels: random.randint(0, 10, 64)}

    def step() -> None:
        results = session.run(fetched, feed)
        if writer is not None:
            writer.add_summary(results[2], 1)

    return step


def word2vec(tf: Any) -> Callable[[], object]:
    """Run a step of word2vec with noise-contrastive estimation in a session."""
    v1 = tf.compat.v1
    random = np.random.RandomState(0)
    with v1.Graph().as_default():
        words, targets = v1.placeholder(tf.int32, [128]), v1.placeholder(tf.int32, [128, 1])
        table = v1.get_variable("table", initializer=random.rand(5000, 64).astype("f"))
        weights = v1.get_variable("weights", initializer=random.rand(5000, 64).astype("f"))
        biases = v1.get_variable("biases", initializer=np.zeros(5000, "f"))
        embedded = tf.nn.embedding_lookup(table, words)
        loss = tf.reduce_mean(tf.nn.nce_loss(weights, biases, targets, embedded, 64, 5000))
        step = v1.train.GradientDescentOptimizer(1e-3).minimize(loss)
        session = v1.Session(config=one_thread(v1))
        session.run(v1.global_variables_initializer())
    feed = {words: random.randint(0, 5000, 128), targets: random.randint(0, 5000, (128, 1))}
    return lambda: session.run([step, loss], feed)


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "fit MLP, 10 steps": mlp,
    "fit CNN, 10 steps": cnn,
    "fit ResNet-20, 10 steps": resnet,
    "fit LSTM, 10 steps": lambda tf: text(tf, "LSTM"),
    "fit GRU, 10 steps": lambda tf: text(tf, "GRU"),
    "fit transformer, 10 steps": transformer,
    "fit autoencoder, 10 steps": autoencoder,
    "session MLP with Adam, step": loop,
    "session MLP with summaries, step": lambda tf: loop(tf, True),
    "session word2vec with NCE, step": word2vec,
}
