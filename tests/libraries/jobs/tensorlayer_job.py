"""TensorLayer: static and dynamic models, trained by hand and saved."""

import os
import tempfile

import numpy as np
import tensorflow as tf
import tensorlayer as tl

tl.logging.set_verbosity(tl.logging.ERROR)
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 8, 8, 1)).astype("float32")
y = (x.mean(axis=(1, 2, 3)) > 0).astype("int64")


def build():
    """Return a small convolution net."""
    start = tl.initializers.Constant(0.05)
    inputs = tl.layers.Input([None, 8, 8, 1])
    net = tl.layers.Conv2d(4, (3, 3), act=tf.nn.relu, W_init=start)(inputs)
    net = tl.layers.BatchNorm(decay=0.9, gamma_init=tl.initializers.ones())(net)
    net = tl.layers.MaxPool2d((2, 2))(net)
    net = tl.layers.Flatten()(net)
    net = tl.layers.Dense(8, act=tf.nn.relu, W_init=start)(net)
    net = tl.layers.Dense(2, W_init=tl.initializers.random_normal(stddev=0.1, seed=1))(net)
    return tl.models.Model(inputs=inputs, outputs=net)


model = build()
model.all_weights[-2].assign(rng.normal(scale=0.3, size=(8, 2)))
optimizer = tf.optimizers.Adam(0.01)
model.train()
losses = []
for _ in range(6):
    with tf.GradientTape() as tape:
        loss = tl.cost.cross_entropy(model(x), y)
    gradients = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(gradients, model.trainable_weights, strict=True))
    losses.append(round(float(loss), 4))
print("losses", losses)
print("layers", len(model.all_layers), "weights", len(model.all_weights))

model.eval()
with tempfile.TemporaryDirectory() as folder:
    before = model(x).numpy()
    path = os.path.join(folder, "weights.npz")
    model.save_weights(path, format="npz_dict")
    for weight in model.all_weights:
        weight.assign(tf.zeros_like(weight))
    model.load_weights(path, format="npz_dict")
    print("restored", np.allclose(model(x), before, atol=1e-6))
