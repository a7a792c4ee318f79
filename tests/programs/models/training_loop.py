"""A loop written out: metrics, validation, gradient clipping, dropout that grows, early stop."""

import time

import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(12)
rng = np.random.RandomState(12)
x = rng.normal(size=(256, 8)).astype("float32")
y = np.argmax(x[:, :3] + 0.1 * rng.normal(size=(256, 3)), axis=1)
train = tf.data.Dataset.from_tensor_slices((x[:192], y[:192])).shuffle(192, seed=2).batch(32)
validation = tf.data.Dataset.from_tensor_slices((x[192:], y[192:])).batch(32)

rate = tf.Variable(0.0, trainable=False)
inputs = keras.Input((8,))
h = keras.layers.Dense(24, activation="relu")(inputs)
trunk = keras.Model(inputs, h)
head = keras.layers.Dense(3)
optimizer = keras.optimizers.Nadam(0.02)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
train_metric, val_metric = (
    keras.metrics.SparseCategoricalAccuracy(),
    keras.metrics.SparseCategoricalAccuracy(),
)
mean_loss = keras.metrics.Mean()
head.build((None, 24))
variables = trunk.trainable_weights + head.trainable_weights


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        hidden = tf.nn.dropout(trunk(x, training=True), rate)
        logits = head(hidden)
        decay = 1e-4 * tf.add_n([tf.nn.l2_loss(v) for v in variables])
        value = loss_fn(y, logits) + decay
    gradients, norm = tf.clip_by_global_norm(tape.gradient(value, variables), 1.0)
    optimizer.apply_gradients(zip(gradients, variables))
    train_metric.update_state(y, logits)
    mean_loss.update_state(value)
    return norm


@tf.function
def test_step(x, y):
    val_metric.update_state(y, head(trunk(x, training=False)))


best, patience = 0.0, 2
for epoch in range(8):
    start = time.time()
    rate.assign(min(0.3, 0.05 * epoch))
    norms = [float(train_step(bx, by)) for bx, by in train]
    for bx, by in validation:
        test_step(bx, by)
    accuracy = float(val_metric.result())
    if epoch == 0:
        first_loss, first_norm = float(mean_loss.result()), norms[0]
    last_loss = float(mean_loss.result())
    for metric in (train_metric, val_metric, mean_loss):
        metric.reset_state()
    patience = 2 if accuracy > best else patience - 1
    best = max(best, accuracy)
    if not patience:
        break
print("epochs at most 8:", epoch < 8, "took time:", time.time() >= start)
print("validation above 0.85:", best > 0.85, "loss fell:", last_loss < first_loss)
print("dropout grew to", round(float(rate), 2) > 0.0, "norms are there:", first_norm > 0)
print("steps", int(optimizer.iterations) == 6 * (epoch + 1))
confusion = tf.math.confusion_matrix(y[192:], tf.argmax(head(trunk(x[192:])), 1))
print("confusion", confusion.shape, int(tf.reduce_sum(confusion)))
f1 = keras.metrics.F1Score(average="macro")
f1.update_state(tf.one_hot(y[192:], 3), tf.nn.softmax(head(trunk(x[192:]))))
print("f1 above 0.8:", float(f1.result()) > 0.8)
