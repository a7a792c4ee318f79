"""Mixed precision: half the bytes in the layers, whole numbers in the weights."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, mixed_precision

tf.keras.utils.set_random_seed(10)
mixed_precision.set_global_policy("mixed_float16")
policy = mixed_precision.global_policy()
print("Compute dtype:", policy.compute_dtype, "Variable dtype:", policy.variable_dtype)

inputs = tf.keras.Input((6,))
dense1 = layers.Dense(16, activation="relu", name="dense_1")
x = dense1(inputs)
outputs = layers.Dense(2, activation="softmax", dtype="float32", name="out")(x)
model = tf.keras.Model(inputs, outputs)
print("inside", x.dtype, "out", outputs.dtype, "kernel", dense1.kernel.dtype)

rng = np.random.RandomState(10)
data = rng.normal(size=(128, 6)).astype("float32")
labels = (data[:, 0] > data[:, 1]).astype("int32")
optimizer = mixed_precision.LossScaleOptimizer(
    tf.keras.optimizers.Adam(0.02), initial_scale=2.0**10
)
model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(data, labels, epochs=6, batch_size=32, verbose=0)
print("accuracy above 0.9:", history.history["accuracy"][-1] > 0.9)

# The same by hand: a large loss keeps small gradients from vanishing.
loss_object = tf.keras.losses.SparseCategoricalCrossentropy()
inner = tf.keras.optimizers.SGD(0.1)
scale = 1024.0


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_object(y, model(x))
        scaled = loss * scale
    gradients = [g / scale for g in tape.gradient(scaled, model.trainable_variables)]
    inner.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


losses = [float(train_step(data, labels)) for _ in range(5)]
print("loss falls:", losses[-1] < losses[0])
mixed_precision.set_global_policy("float32")
tiny = tf.constant(1e-8, tf.float16)
print("too small for half:", float(tiny), "largest:", float(tf.float16.max))
a = tf.random.normal([32, 32])
half = tf.cast(tf.cast(a, tf.float16) @ tf.cast(a, tf.float16), tf.float32)
print("close enough:", bool(tf.reduce_max(tf.abs(half - a @ a)) < 0.1))
brain = tf.cast(a, tf.bfloat16)
print(brain.dtype.name, brain.dtype.size, (brain @ brain).dtype.name)
