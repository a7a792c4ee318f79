"""A variational autoencoder whose model says itself how to train."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(5)
LATENT, SIZE = 2, 20


class Sampling(layers.Layer):
    """Draws a code from its mean and log-variance."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seed_generator = keras.random.SeedGenerator(1337)

    def call(self, inputs):
        z_mean, z_log_var = inputs
        epsilon = keras.random.normal(shape=tf.shape(z_mean), seed=self.seed_generator)
        return z_mean + tf.exp(0.5 * z_log_var) * epsilon


encoder_inputs = keras.Input(shape=(SIZE,))
h = layers.Dense(24, activation="relu")(encoder_inputs)
z_mean = layers.Dense(LATENT, name="z_mean")(h)
z_log_var = layers.Dense(LATENT, name="z_log_var")(h)
encoder = keras.Model(
    encoder_inputs, [z_mean, z_log_var, Sampling()([z_mean, z_log_var])], name="encoder"
)
latent_inputs = keras.Input(shape=(LATENT,))
h = layers.Dense(24, activation="relu")(latent_inputs)
decoder = keras.Model(latent_inputs, layers.Dense(SIZE, activation="sigmoid")(h), name="decoder")


class VAE(keras.Model):
    """Encoder and decoder, trained together."""

    def __init__(self, encoder, decoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.decoder = encoder, decoder
        self.total_loss_tracker = keras.metrics.Mean(name="total_loss")
        self.kl_loss_tracker = keras.metrics.Mean(name="kl_loss")

    @property
    def metrics(self):
        return [self.total_loss_tracker, self.kl_loss_tracker]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            z_mean, z_log_var, z = self.encoder(data)
            reconstruction = self.decoder(z)
            rebuilt = tf.reduce_mean(keras.losses.binary_crossentropy(data, reconstruction)) * SIZE
            kl = -0.5 * (1 + z_log_var - tf.square(z_mean) - tf.exp(z_log_var))
            kl = tf.reduce_mean(tf.reduce_sum(kl, axis=1))
            total = rebuilt + 0.1 * kl
        grads = tape.gradient(total, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.total_loss_tracker.update_state(total)
        self.kl_loss_tracker.update_state(kl)
        return {m.name: m.result() for m in self.metrics}


rng = np.random.RandomState(5)
where = rng.uniform(3, SIZE - 4, (256, 1))
curves = np.exp(-0.5 * (np.arange(SIZE)[None] - where) ** 2 / 4).astype("float32")
vae = VAE(encoder, decoder)
vae.compile(optimizer=keras.optimizers.Adam(0.01))
history = vae.fit(curves, epochs=8, batch_size=32, verbose=0).history
print(sorted(history), "loss fell:", history["total_loss"][-1] < 0.9 * history["total_loss"][0])
print("codes", encoder.predict(curves[:4], verbose=0)[0].shape)
new = decoder.predict(rng.normal(size=(3, LATENT)), verbose=0)
print("new curves", new.shape, bool((new >= 0).all() and (new <= 1).all()))
print([layer.name for layer in encoder.layers if layer.name.startswith("z_")])
