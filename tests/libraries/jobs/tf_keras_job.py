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
