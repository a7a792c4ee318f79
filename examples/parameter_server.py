"""Asynchronous training: a coordinator schedules steps on workers, variables are on servers.

    placewise run --cluster chief,worker=2,ps=2 examples/parameter_server.py

Every task runs this program. Workers and parameter servers only serve; the chief does the rest.
"""

import numpy as np
import tensorflow as tf

import keras

BATCH, STEPS, ROUNDS = 64, 40, 5
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(
        resolver.cluster_spec(),
        job_name=resolver.task_type,
        task_index=resolver.task_id,
        protocol="grpc",
    )
    server.join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    model = keras.Sequential(
        [keras.Input((8,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1)]
    )
    optimizer = keras.optimizers.Adam(0.01)
    optimizer.build(model.trainable_variables)
for weight in model.weights:
    print(weight.path, weight.value.device)


def make_dataset():
    """Return the batches of one worker: each has its own."""
    rng = np.random.default_rng(
        int(tf.distribute.coordinator.experimental_get_current_worker_index())
    )
    x = rng.normal(size=(4096, 8)).astype("float32")
    y = np.sin(x.sum(axis=1, keepdims=True)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(4096).repeat().batch(BATCH)


@tf.function
def train_step(iterator):
    """Take a step on whichever worker is free."""

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    x, y = next(iterator)
    return strategy.run(step, args=(x, y))


iterator = iter(coordinator.create_per_worker_dataset(make_dataset))
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
for number in range(ROUNDS):
    losses = [coordinator.schedule(train_step, args=(iterator,)) for _ in range(STEPS)]
    coordinator.join()
    print(f"round {number}: loss {np.mean(coordinator.fetch(losses)):.4f}")
