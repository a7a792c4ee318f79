"""Trains with a seed: what is drawn, shuffled, dropped and learnt is the same in every run."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(11)
x = np.random.rand(96, 20).astype("float32")
y = (x.sum(1) > 10).astype("int32")
loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def told(history):
    return [round(value, 3) for value in history.history["loss"]]


dense = tf.keras.Sequential(
    [
        layers.Input((20,)),
        layers.Dense(32, activation="relu"),
        layers.Dropout(0.3),
        layers.BatchNormalization(),
        layers.Dense(2),
    ]
)
dense.compile("sgd", loss, metrics=["accuracy"])
print("arrays ", told(dense.fit(x, y, epochs=3, batch_size=16, verbose=0)))


def noisy(row, label):
    return row + tf.random.normal([20], stddev=0.01), label


data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(96).map(noisy).batch(16)
print("dataset", told(dense.fit(data, epochs=2, verbose=0)))

recurrent = tf.keras.Sequential(
    [
        layers.Input((10, 2)),
        layers.LSTM(8, return_sequences=True, dropout=0.2),
        layers.GRU(4),
        layers.Dense(2),
    ]
)
recurrent.compile("adam", loss)
print("rnn    ", told(recurrent.fit(x.reshape(96, 10, 2), y, epochs=2, verbose=0)))

flipped = layers.RandomFlip(seed=1)(tf.reshape(tf.range(16.0), [1, 4, 4, 1]), training=True)
print("flipped", flipped[0, 0, :, 0].numpy().tolist())


@tf.function
def step(weights):
    with tf.GradientTape() as tape:
        value = tf.reduce_mean(tf.nn.dropout(weights, 0.5) ** 2)
    return value, tf.reduce_sum(tape.gradient(value, weights))


weights = tf.Variable(tf.ones([4, 4]))
print("dropped", [[float(each) for each in step(weights)] for _ in range(3)])
