"""Larq: a binarized network (Keras 2), trained, summarized, its weights saved and loaded."""

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import larq as lq
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 8, 8, 1)).astype("float32")
y = (x.mean(axis=(1, 2, 3)) > 0).astype("int64")


def build():
    """Return a small network with two binarized layers."""
    start = {"kernel_quantizer": "ste_sign", "kernel_constraint": "weight_clip", "use_bias": False}
    model = tf.keras.Sequential(
        [
            lq.layers.QuantConv2D(4, 3, input_shape=(8, 8, 1), **start),
            tf.keras.layers.MaxPooling2D(2),
            tf.keras.layers.BatchNormalization(scale=False),
            tf.keras.layers.Flatten(),
            lq.layers.QuantDense(2, input_quantizer="ste_sign", **start),
            tf.keras.layers.Activation("softmax"),
        ]
    )
    fixed = np.random.default_rng(1)
    model.layers[0].set_weights([fixed.uniform(-1, 1, (3, 3, 1, 4))])
    model.layers[4].set_weights([fixed.uniform(-1, 1, (36, 2))])
    model.compile(tf.keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    return model


model = build()
history = model.fit(x, y, batch_size=16, epochs=4, shuffle=False, verbose=0)
print("losses", np.round(history.history["loss"], 4).tolist())
with lq.context.quantized_scope(True):
    print("binary", sorted(set(np.unique(model.layers[0].get_weights()[0]).tolist())))
layer = model.layers[0]
print("latent", len(np.unique(layer.kernel.latent_variable.numpy())) > 2)
lq.models.summary(model)

# Bop flips the binary weights; an ordinary optimizer has the rest.
again = build()
bop = lq.optimizers.CaseOptimizer(
    (lq.optimizers.Bop.is_binary_variable, lq.optimizers.Bop(threshold=1e-6, gamma=1e-2)),
    default_optimizer=tf.keras.optimizers.legacy.Adam(0.01),
)
again.compile(bop, "sparse_categorical_crossentropy")
history = again.fit(x, y, batch_size=16, epochs=3, shuffle=False, verbose=0)
print("bop", np.round(history.history["loss"], 4).tolist())

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "model.h5")
    model.save(path)
    loaded = tf.keras.models.load_model(path)
    same = np.allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), atol=1e-6)
    print("same after loading", same)
