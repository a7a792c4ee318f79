"""What crosses between host and device in a training step, beside what must cross.

Runs on the project's test device, whose counters see every byte and every wait. Each row is one
step, warmed up: bytes to the device, bytes back, bytes between devices, and how often the host
waited for the device. Expected are the batch that goes in, what the program asks to see, and the
gradients and parameters that replicas exchange. placewise's own record must say the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

# This folder has a keras.py, which `import keras` would find.
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).parent]

BACKEND = Path(__file__).parent.parent / "tests/accelerator/backend"
BATCH = 32
STEPS = 5


class Crossed(NamedTuple):
    """Bytes to the device, to the host and between devices, and waits, of one step."""

    to_device: float
    to_host: float
    between: float
    waits: float


class Row(NamedTuple):
    """A training step, and what must cross in it."""

    name: str
    make: Callable[[], Callable[[], object]]
    expected: Crossed


def main() -> int:
    """Print the table; return 1 if a row is not as expected."""
    import torch

    torch.accel.counters()  # the test device is there, or this says that it is not
    is_wrong = False
    print(f"{'step':34} {'to device':>18} {'to host':>12} {'between':>16} {'waits':>10}  record")
    for row in rows():
        found, recorded = measured(row.make())
        is_same = recorded == found[:3]
        is_wrong |= found != row.expected or not is_same
        cells = [f"{a:.0f} of {b:.0f}" for a, b in zip(found, row.expected, strict=True)]
        told = "same" if is_same else f"says {', '.join(f'{each:g}' for each in recorded)}"
        mark = "" if found == row.expected else "  <-- not as expected"
        print(
            f"{row.name:34} {cells[0]:>18} {cells[1]:>12} {cells[2]:>16} {cells[3]:>10}  "
            f"{told}{mark}"
        )
    return int(is_wrong)


def measured(step: Callable[[], object]) -> tuple[Crossed, tuple[float, float, float]]:
    """Return what the device counted for a step, and what placewise recorded."""
    import test_accelerator

    import placewise

    for _ in range(3):
        step()
    with test_accelerator.counted() as counted:
        for _ in range(STEPS):
            step()
    found = (counted.h2d, counted.d2h, counted.d2d, counted.syncs)
    with placewise.record() as log:
        for _ in range(STEPS):
            step()
    totals = {("CPU", "GPU"): 0, ("GPU", "CPU"): 0, ("GPU", "GPU"): 0, ("CPU", "CPU"): 0}
    for transfer in log.transfers:
        kinds = [name.rpartition("device:")[2][:3] for name in (transfer.source, transfer.target)]
        totals[kinds[0], kinds[1]] += transfer.bytes
    recorded = [totals[key] / STEPS for key in (("CPU", "GPU"), ("GPU", "CPU"), ("GPU", "GPU"))]
    return Crossed(*(each / STEPS for each in found)), tuple(recorded)  # type: ignore[return-value]


def rows() -> list[Row]:
    """Return the steps: written for sessions, functions, Keras and four replicas."""
    image, words = 28 * 28 * 4, 20 * 8
    label32, label64 = 4, 8
    return [
        Row(
            "MLP, session, nothing fetched",
            mlp_session,
            Crossed(BATCH * (image + label32), 0, 0, 0),
        ),
        Row("MLP, function on device tensors", mlp_function, Crossed(0, 0, 0, 0)),
        Row("MLP, eager tape", mlp_eager, Crossed(0, 0, 0, 0)),
        # Keras looks at the loss after each batch: 4 bytes, one wait.
        Row("MLP, Keras", keras_of("mlp"), Crossed(BATCH * (image + label64), 4, 0, 1)),
        Row(
            "CNN with dropout, Keras", keras_of("cnn"), Crossed(BATCH * (image + label64), 4, 0, 1)
        ),
        Row("LSTM, Keras", keras_of("lstm"), Crossed(BATCH * (words + label64), 4, 0, 1)),
        Row(
            "MLP, mirrored on four",
            mirrored,
            Crossed(BATCH * (image + label64), 4, mirrored_bytes(), 1),
        ),
    ]


def mirrored_bytes() -> int:
    """Return what four replicas exchange: gradients go to one and come back, as sums.

    Of the loss, Keras asks each replica for its value, its total and its count.
    """
    parameters = 28 * 28 * 64 + 64 + 64 * 10 + 10
    return 2 * 3 * parameters * 4 + 3 * 3 * 4


def _batch() -> tuple[Any, Any]:
    import numpy as np

    random = np.random.default_rng(0)
    return random.standard_normal((BATCH, 28 * 28), "float32"), random.integers(0, 10, BATCH)


def mlp_session() -> Callable[[], object]:
    """Return a step of TensorFlow 1: Adam, dropout, images and labels fed."""
    import placewise.compat.v1 as tf

    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [None, 28 * 28])
        labels = tf.placeholder(tf.int32, [None])
        hidden = tf.nn.dropout(tf.layers.dense(images, 64, tf.nn.relu), rate=0.2)
        logits = tf.layers.dense(hidden, 10)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        train = tf.train.AdamOptimizer().minimize(loss)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    pixels, classes = _batch()
    feed = {images: pixels, labels: classes.astype("int32")}
    return lambda: session.run(train, feed)


def _by_hand() -> tuple[Any, Callable[[], object]]:
    import placewise as tf

    pixels, classes = map(tf.constant, _batch())
    first = tf.Variable(tf.random.normal([28 * 28, 64]) * 0.05)
    second = tf.Variable(tf.random.normal([64, 10]) * 0.05)

    def step() -> object:
        with tf.GradientTape() as tape:
            hidden = tf.nn.dropout(tf.nn.relu(pixels @ first), 0.2)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(classes, hidden @ second)
            loss = tf.reduce_mean(losses)
        for variable, slope in zip(
            (first, second), tape.gradient(loss, (first, second)), strict=True
        ):
            variable.assign_sub(0.1 * slope)
        return loss

    return tf, step


def mlp_function() -> Callable[[], object]:
    """Return a step of a `tf.function` whose batch is on the device."""
    tf, step = _by_hand()
    return tf.function(step)  # type: ignore[no-any-return]


def mlp_eager() -> Callable[[], object]:
    """Return the same step, eagerly."""
    return _by_hand()[1]


def _model(kind: str) -> Any:
    import placewise as tf

    layers = tf.keras.layers
    if kind == "lstm":
        return tf.keras.Sequential(
            [layers.Input((20,)), layers.Embedding(50, 16), layers.LSTM(16), layers.Dense(10)]
        )
    if kind == "cnn":
        return tf.keras.Sequential(
            [
                layers.Input((28 * 28,)),
                layers.Reshape((28, 28, 1)),
                layers.Conv2D(8, 3, activation="relu"),
                layers.BatchNormalization(),
                layers.MaxPooling2D(),
                layers.Dropout(0.3),
                layers.Flatten(),
                layers.Dense(10),
            ]
        )
    return tf.keras.Sequential(
        [layers.Input((28 * 28,)), layers.Dense(64, activation="relu"), layers.Dense(10)]
    )


def _trained(model: Any, kind: str) -> Callable[[], object]:
    """Return a step of a Keras model over a dataset that never ends."""
    import numpy as np

    import placewise as tf

    with model.distribute_strategy.scope():
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.optimizer.build(model.trainable_variables)
    pixels, classes = _batch()
    if kind == "lstm":
        pixels = np.random.default_rng(0).integers(0, 50, (BATCH, 20))
    data = tf.data.Dataset.from_tensors((pixels, classes)).repeat()
    iterator = iter(model.distribute_strategy.experimental_distribute_dataset(data))
    model.make_train_function()

    def step() -> None:
        logs = model.train_function(iterator)
        np.asarray(logs["loss"])

    return step


def keras_of(kind: str) -> Callable[[], Callable[[], object]]:
    """Return what makes a step of a Keras model."""
    return lambda: _trained(_model(kind), kind)


def mirrored() -> Callable[[], object]:
    """Return a step of the MLP on four replicas."""
    import placewise as tf

    with tf.distribute.MirroredStrategy().scope():
        model = _model("mlp")
    return _trained(model, "mlp")


if __name__ == "__main__":
    if str(BACKEND) not in sys.path:
        # The device is found as torch finds every backend: by its entry point.
        paths = os.pathsep.join(filter(None, (str(BACKEND), os.environ.get("PYTHONPATH", ""))))
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONPATH": paths})
    sys.exit(main())
