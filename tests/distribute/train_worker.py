"""A program of the tests: trains a little with the strategy it is told, and writes what it got.

Given a folder for checkpoints, it saves every step, and one of its workers may end in the middle.
"""

import json
import os
import signal
import sys

import numpy as np
import tensorflow as tf

how, report = sys.argv[1], sys.argv[2]
folder = sys.argv[3] if len(sys.argv) > 3 else None
if how == "workers":
    options = tf.distribute.experimental.CommunicationOptions(timeout_seconds=60)
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options)
    rank = strategy.extended.worker_rank
else:
    strategy, rank = tf.distribute.get_strategy(), 0

STEPS, BATCH = 6, 8
rng = np.random.RandomState(0)
x, y = rng.rand(STEPS * BATCH, 5).astype("float32"), rng.rand(STEPS * BATCH, 2).astype("float32")
tf.random.set_seed(rank)  # each would begin elsewhere, were it not for the first worker's values
with strategy.scope():
    first = tf.random.stateless_normal([5, 2], [1, 2 + rank])
    weights, step_count = tf.Variable(first), tf.Variable(0, dtype=tf.int64)

checkpoint = tf.train.Checkpoint(weights=weights, step_count=step_count)
manager = None
if folder is not None:
    own = folder if rank == 0 else os.path.join(folder, f"worker_{rank}")
    manager = tf.train.CheckpointManager(checkpoint, own, max_to_keep=2)
    checkpoint.restore(tf.train.latest_checkpoint(folder))
begun_at = int(step_count.numpy())


@tf.function
def train(features, labels):
    def step(features, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((tf.matmul(features, weights) - labels) ** 2) / BATCH
        replica = tf.distribute.get_replica_context()
        (gradient,) = replica.all_reduce("sum", [tape.gradient(loss, weights)])

        def update(strategy, gradient):
            strategy.extended.update(weights, lambda w, g: w.assign_sub(0.1 * g), args=(gradient,))
            strategy.extended.update(step_count, lambda s: s.assign_add(1))

        replica.merge_call(update, args=(gradient,))
        return loss

    return strategy.reduce("SUM", strategy.run(step, args=(features, labels)), axis=None)


dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH).skip(begun_at)
losses = []
for features, labels in strategy.experimental_distribute_dataset(dataset):
    losses.append(float(train(features, labels)))
    if manager is not None:
        manager.save(checkpoint_number=int(step_count.numpy()))
        if rank == 1 and begun_at == 0 and int(step_count.numpy()) == 3:
            os.kill(os.getpid(), signal.SIGKILL)

with open(f"{report}.{rank}", "w") as file:
    json.dump(
        {
            "losses": losses,
            "weights": weights.numpy().tolist(),
            "begun_at": begun_at,
            "steps": int(step_count.numpy()),
            "replicas": strategy.num_replicas_in_sync,
            "is_chief": strategy.extended.should_checkpoint,
        },
        file,
    )
