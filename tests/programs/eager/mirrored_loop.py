"""MirroredStrategy with a loop of one's own: distributed data, replicas, reductions."""

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
print("Number of devices:", strategy.num_replicas_in_sync)
BATCH = 4 * strategy.num_replicas_in_sync
rng = np.random.RandomState(5)
features = rng.normal(size=(64, 3)).astype("float32")
labels = features @ np.array([[1.0], [-2.0], [0.5]], "float32") + 0.3

with strategy.scope():
    w = tf.Variable(tf.zeros([3, 1]), name="w")
    b = tf.Variable(tf.zeros([1]), name="b")
    seen = tf.Variable(
        0.0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
        trainable=False,
    )

dataset = tf.data.Dataset.from_tensor_slices((features, labels)).batch(BATCH)
distributed = strategy.experimental_distribute_dataset(dataset)


def step(x, y):
    with tf.GradientTape() as tape:
        errors = tf.reduce_sum(tf.square(x @ w + b - y), axis=1)
        loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
    context = tf.distribute.get_replica_context()
    gradients = context.all_reduce("sum", tape.gradient(loss, [w, b]))
    for variable, gradient in zip((w, b), gradients):
        variable.assign_sub(0.1 * gradient)
    seen.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
    return loss


@tf.function
def train(x, y):
    per_replica = strategy.run(step, args=(x, y))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica, axis=None)


for epoch in range(8):
    losses = [float(train(x, y)) for x, y in distributed]
    if epoch == 0:
        first = losses[0]
print("batches:", len(losses), "loss fell:", losses[-1] < 0.01 * first)
print("learnt:", np.round(w.numpy().ravel(), 1).tolist())
print("counted on all:", int(seen), "=", 64 * 8)


def who():
    context = tf.distribute.get_replica_context()
    return context.replica_id_in_sync_group


ids = strategy.experimental_local_results(strategy.run(who))
print("replicas:", [int(i) for i in ids])
values = strategy.experimental_distribute_values_from_function(
    lambda c: tf.constant(float(c.replica_id_in_sync_group))
)
print("mean:", float(strategy.reduce("MEAN", values, axis=None)))
print(
    "copies:",
    len(strategy.experimental_local_results(w)),
    {v.device.split("/")[-1] for v in strategy.experimental_local_results(w)}
    == {f"device:GPU:{i}" for i in range(strategy.num_replicas_in_sync)},
)
