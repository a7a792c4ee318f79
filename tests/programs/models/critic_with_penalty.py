"""A generator and a critic whose gradient is kept near one, restored in the middle of training."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.random.set_seed(42)
layers = tf.keras.layers


def normal(seed):
    return tf.keras.initializers.RandomNormal(0, 0.05, seed=seed)


generator = tf.keras.Sequential(
    [
        tf.keras.Input((6,)),
        layers.Dense(4 * 4 * 8, use_bias=False, kernel_initializer=normal(1)),
        layers.BatchNormalization(),
        layers.LeakyReLU(0.2),
        layers.Reshape((4, 4, 8)),
        layers.Conv2DTranspose(
            1, 5, 2, padding="same", activation="tanh", kernel_initializer=normal(2)
        ),
    ]
)
critic = tf.keras.Sequential(
    [
        tf.keras.Input((8, 8, 1)),
        layers.Conv2D(6, 3, 2, padding="same", kernel_initializer=normal(4)),
        layers.LeakyReLU(0.2),
        layers.Dropout(0.25, seed=8),
        layers.GlobalAveragePooling2D(),
        layers.Dense(1, kernel_initializer=normal(7)),
    ]
)
makes, judges = tf.keras.optimizers.Adam(1e-3, 0.5), tf.keras.optimizers.Adam(1e-3, 0.5, 0.9)
drawn = tf.random.Generator.from_seed(5)
step = tf.Variable(0, dtype=tf.int64)
checkpoint = tf.train.Checkpoint(
    generator=generator, critic=critic, makes=makes, judges=judges, step=step, drawn=drawn
)
images = np.random.RandomState(0).rand(64, 8, 8, 1).astype("float32") * 2 - 1
batches = iter(tf.data.Dataset.from_tensor_slices(images).shuffle(64, seed=3).batch(16).repeat())


def penalty(real, fake):
    share = drawn.uniform([16, 1, 1, 1])
    between = share * real + (1 - share) * fake
    with tf.GradientTape() as tape:
        tape.watch(between)
        judged = critic(between, training=True)
    gradient = tf.reshape(tape.gradient(judged, between), [16, -1])
    return tf.reduce_mean((tf.norm(gradient, axis=1) - 1) ** 2)


@tf.function
def train(real):
    noise = tf.random.normal([16, 6])
    with tf.GradientTape() as made, tf.GradientTape() as judged:
        fake = generator(noise, training=True)
        score = tf.reduce_mean(critic(fake, training=True))
        wanted = -score
        loss = score - tf.reduce_mean(critic(real, training=True)) + 10.0 * penalty(real, fake)
    gradients = made.gradient(wanted, generator.trainable_variables)
    makes.apply_gradients(zip(gradients, generator.trainable_variables, strict=True))
    gradients = judged.gradient(loss, critic.trainable_variables)
    judges.apply_gradients(zip(gradients, critic.trainable_variables, strict=True))
    step.assign_add(1)
    return score, loss


for _ in range(5):
    print("step", int(step), [f"{float(value):.4f}" for value in train(next(batches))])
path = checkpoint.save(os.path.join(tempfile.mkdtemp(), "gan"))
print("went on", [f"{float(value):.4f}" for value in train(next(batches))])
checkpoint.restore(path).assert_consumed()
print("restored", int(step), [f"{float(tf.reduce_sum(v)):.4f}" for v in critic.weights])
print("made", np.round(generator(tf.ones([1, 6]), training=False).numpy()[0, 0, :3, 0], 4))
