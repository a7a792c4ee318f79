"""Keras on all the GPUs there are, with one line more."""

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(11)
strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
print("replicas:", strategy.num_replicas_in_sync)

with strategy.scope():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((3,)),
            tf.keras.layers.Dense(8, activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(tf.keras.optimizers.Adam(0.02), "mse", metrics=["mae"])

rng = np.random.RandomState(11)
x = rng.normal(size=(128, 3)).astype("float32")
y = np.abs(x[:, :1]) + x[:, 1:2]
dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(128, seed=1).batch(32)
history = model.fit(dataset, epochs=10, verbose=0)
print("loss fell:", history.history["loss"][-1] < 0.5 * history.history["loss"][0])
print(sorted(model.evaluate(dataset, verbose=0, return_dict=True)))
print("predictions", model.predict(x[:7], verbose=0).shape)

# What was learnt goes to a model on one device.
single = tf.keras.models.clone_model(model)
single.set_weights(model.get_weights())
print("same answers:", np.allclose(single(x[:5]), model.predict(x[:5], verbose=0), atol=1e-5))
with tf.distribute.OneDeviceStrategy("/gpu:1").scope():
    there = tf.Variable(tf.ones([2]))
print("one device:", there.device.split("/")[-1])
