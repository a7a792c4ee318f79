"""tensorflow-lattice: a calibrated lattice whose output may only grow with its first feature."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf
import tensorflow_lattice as tfl

values = np.random.default_rng(2)
x = values.random((64, 2)).astype("float32")
y = (2.0 * x[:, :1] - x[:, 1:] ** 2 + 0.1 * values.normal(size=(64, 1))).astype("float32")
model = tf.keras.Sequential(
    [
        tfl.layers.ParallelCombination(
            [
                tfl.layers.PWLCalibration(
                    np.linspace(0.0, 1.0, 5),
                    output_min=0.0,
                    output_max=1.0,
                    monotonicity=kind,
                    kernel_initializer="equal_heights",
                )
                for kind in ("increasing", "none")
            ]
        ),
        tfl.layers.Lattice(
            (2, 2), monotonicities=["increasing", "none"], kernel_initializer="linear_initializer"
        ),
    ]
)
model.compile(optimizer=tf.keras.optimizers.legacy.Adam(0.1), loss="mse")
history = model.fit(x, y, epochs=6, batch_size=32, shuffle=False, verbose=0)
print("losses", [round(loss, 4) for loss in history.history["loss"]])
line = np.stack([np.linspace(0, 1, 20), np.full(20, 0.4)], 1).astype("float32")
print("grows", bool(np.all(np.diff(model.predict(line, verbose=0)[:, 0]) >= -1e-5)))
model.save_weights("lattice.weights.h5")
before = model.predict(x, verbose=0)
model.load_weights("lattice.weights.h5")
print("same after loading", np.array_equal(before, model.predict(x, verbose=0)))
