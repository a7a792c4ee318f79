"""Keras 2: `tf_keras` is `tf.keras` under TF_USE_LEGACY_KERAS=1; built, trained, saved, loaded."""

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
import tf_keras

assert tf.keras.Model is tf_keras.Model
x = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
y = (x.sum(axis=1) > 0).astype("float32")
inputs = tf.keras.Input((4,))
hidden = tf.keras.layers.Dense(8, "relu", kernel_initializer=tf.keras.initializers.Constant(0.1))(
    inputs
)
hidden = tf.keras.layers.BatchNormalization()(hidden)
outputs = tf.keras.layers.Dense(1, "sigmoid", kernel_initializer="ones")(hidden)
model = tf.keras.Model(inputs, outputs)
model.compile(tf.keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0)
print("losses", np.round(history.history["loss"], 4).tolist())
print("evaluated", np.round(model.evaluate(x, y, verbose=0), 4).tolist())
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.keras")
    model.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_allclose(again.predict(x, verbose=0), model.predict(x, verbose=0), 1e-5)
    print("same after loading")


def fixed(shape, number):
    """Return fixed weights."""
    return (np.random.default_rng(number).normal(size=shape) * 0.3).astype("float32")


# HDF5 keeps the optimizer's state, too.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.h5")
    model.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_allclose(again.predict(x, verbose=0), model.predict(x, verbose=0), 1e-5)
    print("hdf5 goes on at step", int(again.optimizer.iterations.numpy()))

# A sparse input.
sparse_input = tf.keras.Input((4,), sparse=True)
dense = tf.keras.layers.Dense(2)
sparse_model = tf.keras.Model(sparse_input, dense(sparse_input))
dense.set_weights([fixed((4, 2), 3), np.zeros(2)])
sparse_model.compile(tf.keras.optimizers.SGD(0.1), "mse")
rows = tf.sparse.from_dense(np.where(np.abs(x) > 0.7, x, 0))
pairs = tf.data.Dataset.from_tensor_slices((rows, np.stack([y, 1 - y], 1))).batch(16)
print("sparse", np.round(sparse_model.fit(pairs, epochs=3, verbose=0).history["loss"], 4).tolist())

# Recurrent layers, with steps that are masked.
steps = np.random.default_rng(5).normal(size=(32, 5, 3)).astype("float32")
steps[::3, 3:] = 0
for layer in (tf.keras.layers.LSTM(4), tf.keras.layers.GRU(4)):
    recurrent = tf.keras.Sequential(
        [tf.keras.layers.Masking(input_shape=(5, 3)), layer, tf.keras.layers.Dense(1)]
    )
    shapes = [weight.shape for weight in layer.get_weights()]
    layer.set_weights([fixed(shape, number) for number, shape in enumerate(shapes)])
    recurrent.layers[2].set_weights([fixed((4, 1), 9), np.zeros(1)])
    recurrent.compile(tf.keras.optimizers.Adam(0.02), "mse")
    history = recurrent.fit(
        steps, steps.sum(axis=(1, 2)), epochs=3, shuffle=False, verbose=0, batch_size=8
    )
    print(type(layer).__name__, np.round(history.history["loss"], 4).tolist())
