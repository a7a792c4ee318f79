"""A program of the tests: workers train on cards of their own, and write what they got."""

import json
import sys

import numpy as np
import tensorflow as tf

import placewise
from placewise.devices.inventory import inventory

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.extended.worker_rank
features = np.sin(np.arange(24, dtype=np.float32)).reshape(8, 3)
with strategy.scope():
    weights = tf.Variable(tf.fill([3, 2], 0.5 + rank))  # the first worker's values count


@tf.function
def train(x):
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ weights) ** 2)
        replica = tf.distribute.get_replica_context()
        gradient = replica.all_reduce("sum", tape.gradient(loss, weights))
        rows = replica.all_gather(x[:, :1], 0)

        def update(strategy, gradient):
            strategy.extended.update(weights, lambda w, g: w.assign_sub(0.1 * g), args=(gradient,))

        replica.merge_call(update, args=(gradient,))
        return loss, tf.reduce_sum(rows), tf.constant([1, 2], tf.int64)

    loss, rows, numbers = strategy.run(step, args=(x,))
    return (
        strategy.reduce("SUM", loss, axis=None),
        strategy.experimental_local_results(rows)[0],
        strategy.reduce("SUM", numbers, axis=None),
    )


dataset = tf.data.Dataset.from_tensor_slices(features).batch(4)
with placewise.record() as log:
    results = [
        [each.numpy().tolist() for each in train(x)]
        for x in strategy.experimental_distribute_dataset(dataset)
    ]
crossed = {(copy.source[-5:], copy.target[-5:]) for copy in log.transfers if copy.bytes == 24}
with open(f"{sys.argv[1]}.{rank}", "w") as file:
    json.dump(
        {
            "devices": [device.torch_device for device in inventory().devices],
            "results": results,
            "weights": weights.numpy().tolist(),
            "crossed": sorted(crossed),
        },
        file,
    )
