"""A generator against a discriminator with two tapes and two optimizers."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(4)
rng = np.random.RandomState(4)
NOISE, BATCH = 8, 16


def make_generator_model():
    return tf.keras.Sequential(
        [
            layers.Input((NOISE,)),
            layers.Dense(3 * 3 * 16, use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Reshape((3, 3, 16)),
            layers.Conv2DTranspose(8, 3, strides=2, padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Conv2DTranspose(
                1, 3, strides=2, padding="same", use_bias=False, activation="tanh"
            ),
        ]
    )


def make_discriminator_model():
    return tf.keras.Sequential(
        [
            layers.Input((12, 12, 1)),
            layers.Conv2D(8, 3, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.2),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


generator, discriminator = make_generator_model(), make_discriminator_model()
cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
generator_optimizer = tf.keras.optimizers.Adam(1e-3)
discriminator_optimizer = tf.keras.optimizers.Adam(5e-3)


@tf.function
def train_step(images):
    noise = tf.random.normal([BATCH, NOISE])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated, training=True)
        gen_loss = cross_entropy(tf.ones_like(fake_output), fake_output)
        disc_loss = cross_entropy(tf.ones_like(real_output), real_output) + cross_entropy(
            tf.zeros_like(fake_output), fake_output
        )
    gen_grads = gen_tape.gradient(gen_loss, generator.trainable_variables)
    disc_grads = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    generator_optimizer.apply_gradients(zip(gen_grads, generator.trainable_variables))
    discriminator_optimizer.apply_gradients(zip(disc_grads, discriminator.trainable_variables))
    return gen_loss, disc_loss


images = np.full((64, 12, 12, 1), -1.0, "float32")
images[:, 3:9, 3:9] = 0.9 + rng.normal(0, 0.05, (64, 6, 6, 1))
dataset = tf.data.Dataset.from_tensor_slices(images).shuffle(64, seed=1).batch(BATCH).repeat(4)
losses = [[float(value) for value in train_step(batch)] for batch in dataset]
print("steps", len(losses), "discriminator learns:", losses[-1][1] < losses[0][1])
drawn = generator(tf.random.normal([3, NOISE]), training=False)
print("drawn", drawn.shape, "in range:", bool(tf.reduce_max(tf.abs(drawn)) <= 1))
decision = discriminator(images[:1])
print("decision", decision.shape, "iterations", int(generator_optimizer.iterations))
checkpoint = tf.train.Checkpoint(generator=generator, generator_optimizer=generator_optimizer)
path = checkpoint.save("./training_checkpoints/ckpt")
weights = generator.get_weights()
generator.set_weights([w * 0 for w in weights])
checkpoint.restore(path)
print("restored:", all(np.array_equal(a, b) for a, b in zip(weights, generator.get_weights())))
