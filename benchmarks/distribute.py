"""What MirroredStrategy over four devices costs, against the same work on one of them.

The devices are simulated, so that all compute on this machine's processor: what the ratio shows is
what dividing batches, adding gradients up and keeping four copies of the variables costs. Measured
in processor time, with one thread, so that a busy machine changes nothing.

A convolutional network works more on a part of a batch than it costs to keep its copies alike. The
perceptron has 400 000 weights and 64 rows for each device to use them on: cut in four, its products
take a sixth longer (each packs all weights anew); then 1.6 MB of gradients are added three times,
and subtracted from four copies instead of one. No device can spare that: it has its own limit.

    python benchmarks/distribute.py [--json]
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import contest  # noqa: F401  # so that `import keras` is Keras, not this folder's keras.py

os.environ.setdefault("OMP_NUM_THREADS", "1")

LIMITS = {"CNN step": 1.10, "MLP step": 1.70, "Keras fit of a CNN": 1.10}
BATCH, ROUNDS, CALLS = 256, 5, 3


def _numbers(*shape: int) -> Any:
    import numpy as np

    return np.random.RandomState(0).standard_normal(shape).astype("float32") * 0.05


def cnn(tf: Any, filters: list[Any], x: Any) -> Any:
    """Return what a small convolutional network says of pictures."""
    for kernel in filters[:2]:
        x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME")), 2, 2, "SAME")
    return tf.matmul(tf.nn.relu(tf.matmul(tf.reshape(x, [-1, 3136]), filters[2])), filters[3])


def mlp(tf: Any, weights: list[Any], x: Any) -> Any:
    """Return what two dense layers say of rows."""
    return tf.matmul(tf.nn.relu(tf.matmul(x, weights[0])), weights[1])


CNN_SHAPES = [(3, 3, 1, 32), (3, 3, 32, 64), (3136, 128), (128, 10)]
MLP_SHAPES = [(784, 512), (512, 10)]


def step_of(tf: Any, strategy: Any, model: Any, shapes: Any, rows: Any) -> Any:
    """Return a function that trains one step of a tf.function on a batch already there."""
    with strategy.scope():
        weights = [tf.Variable(_numbers(*shape)) for shape in shapes]
    labels = tf.range(BATCH) % 10
    data = tf.data.Dataset.from_tensors((rows, labels))
    batch = next(iter(strategy.experimental_distribute_dataset(data)))

    def replica_step(x: Any, y: Any) -> Any:
        replica = tf.distribute.get_replica_context()
        with tf.GradientTape() as tape:
            logits = model(tf, weights, x)
            wrong = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.reduce_sum(wrong) / BATCH
        gradients = replica.all_reduce("sum", tape.gradient(loss, weights))

        def update(strategy: Any, *gradients: Any) -> None:
            for weight, gradient in zip(weights, gradients, strict=True):
                strategy.extended.update(
                    weight, lambda w, g: w.assign_sub(0.1 * g), args=(gradient,)
                )

        replica.merge_call(update, args=tuple(gradients))
        return loss

    @tf.function
    def train(x: Any, y: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica_step, args=(x, y)), axis=None)

    return lambda: float(train(*batch))


def fit_of(tf: Any, strategy: Any) -> Any:
    """Return a function that fits a Keras model for an epoch of four steps."""
    layers = tf.keras.layers
    with strategy.scope():
        model = tf.keras.Sequential(
            [
                layers.Input((28, 28, 1)),
                layers.Conv2D(32, 3, activation="relu"),
                layers.MaxPooling2D(),
                layers.Conv2D(64, 3, activation="relu"),
                layers.MaxPooling2D(),
                layers.Flatten(),
                layers.Dense(10),
            ]
        )
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer="sgd", loss=loss)
    x, y = _numbers(4 * BATCH, 28, 28, 1), tf.range(4 * BATCH).numpy() % 10
    return lambda: model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0)


def cases(tf: Any, strategy: Any) -> dict[str, Any]:
    """Return what is timed, by name."""
    return {
        "CNN step": step_of(tf, strategy, cnn, CNN_SHAPES, _numbers(BATCH, 28, 28, 1)),
        "MLP step": step_of(tf, strategy, mlp, MLP_SHAPES, _numbers(BATCH, 784)),
        "Keras fit of a CNN": fit_of(tf, strategy),
    }


def best_of(*calls: Any) -> tuple[float, ...]:
    """Return the least processor time of each call; all have their turns in every round."""
    found = [float("inf")] * len(calls)
    begun = time.monotonic()
    rounds = 0
    # What takes milliseconds gets as many rounds as fit in a second: the caches are shared.
    while rounds < ROUNDS or (time.monotonic() - begun < 1 and rounds < 10 * ROUNDS):
        for index, call in enumerate(calls):
            call()
            start = time.process_time()
            for _ in range(CALLS):
                call()
            found[index] = min(found[index], (time.process_time() - start) / CALLS)
        rounds += 1
    return tuple(found)


def main() -> int:
    """Print seconds and ratios; return 1 if one is over its limit."""
    import placewise
    import placewise as tf

    found = {}
    with placewise.simulate("4xK20m"):
        one = cases(tf, tf.distribute.OneDeviceStrategy("/gpu:0"))
        four = cases(tf, tf.distribute.MirroredStrategy())
        for name in one:
            seconds = best_of(one[name], four[name])
            found[name] = (*seconds, seconds[1] / seconds[0])
            if "--json" not in sys.argv:
                print(
                    f"{name:20s} one {seconds[0] * 1e3:8.1f} ms   four {seconds[1] * 1e3:8.1f} ms"
                    f"   {found[name][2]:5.2f} x   (at most {LIMITS[name]:.2f})",
                    flush=True,
                )
    if "--json" in sys.argv:
        print(json.dumps(found))
    return int(any(found[name][2] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    sys.exit(main())
