"""A Keras model on all GPUs of the machine, each with a quarter of every batch."""

import numpy as np
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
print(strategy.num_replicas_in_sync, "replicas")

with strategy.scope():
    model = tf.keras.Sequential(
        [tf.keras.Input(shape=(1,)), tf.keras.layers.Dense(1, kernel_initializer="zeros")]
    )
    model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(0.5))

kernel = model.layers[0].kernel.value
places = [part.device.rpartition("/task:0")[2] for part in kernel.values]
print("Dense/kernel on", *places)

x = np.random.RandomState(0).rand(256, 1).astype("float32")
model.fit(x, 2 * x, epochs=40, batch_size=64, verbose=0)
found = model.predict(np.array([[0.5]], "float32"), verbose=0)[0, 0]
print(f"2 * 0.5 is about {found:.1f}")
