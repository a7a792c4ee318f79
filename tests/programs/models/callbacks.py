"""Early stopping, rates that fall, files after each epoch, and a callback of one's own."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(2)
folder = tempfile.mkdtemp()
rng = np.random.RandomState(2)
x = rng.normal(size=(128, 4)).astype("float32")
y = (x @ np.array([[1.0], [2.0], [-1.0], [0.0]]) + 0.1 * rng.normal(size=(128, 1))).astype(
    "float32"
)


class Diary(tf.keras.callbacks.Callback):
    """Writes down what happens when."""

    def __init__(self):
        super().__init__()
        self.events, self.rates = [], []

    def on_train_begin(self, logs=None):
        self.events.append("begin")

    def on_epoch_end(self, epoch, logs=None):
        self.events.append(f"epoch {epoch}")
        self.rates.append(round(float(self.model.optimizer.learning_rate), 4))

    def on_train_end(self, logs=None):
        self.events.append("end")


def build():
    model = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(1)])
    model.compile(
        tf.keras.optimizers.SGD(0.2),
        "mse",
        metrics=[tf.keras.metrics.MeanAbsoluteError(name="mae")],
    )
    return model


diary = Diary()
best = os.path.join(folder, "best.weights.h5")
model = build()
history = model.fit(
    x,
    y,
    epochs=40,
    batch_size=32,
    verbose=0,
    validation_split=0.25,
    callbacks=[
        diary,
        tf.keras.callbacks.EarlyStopping(
            "val_loss", patience=2, min_delta=1e-3, restore_best_weights=True
        ),
        tf.keras.callbacks.LearningRateScheduler(lambda epoch, r: r if epoch < 2 else r * 0.9),
        tf.keras.callbacks.ModelCheckpoint(best, save_best_only=True, save_weights_only=True),
        tf.keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
        tf.keras.callbacks.TerminateOnNaN(),
    ],
)
print("stopped early:", len(history.epoch) < 40, diary.events[:2], diary.events[-1])
print("rates", diary.rates[:4])
print("columns", open(os.path.join(folder, "log.csv")).readline().strip())
again = build()
again.load_weights(best)
print("best kept:", np.allclose(again.get_weights()[0], model.get_weights()[0], atol=0.05))

schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5, staircase=True)
print("schedule", [round(float(schedule(step)), 4) for step in (0, 9, 10, 25)])
cosine = tf.keras.optimizers.schedules.CosineDecay(0.0, 10, warmup_target=0.1, warmup_steps=5)
print("cosine", [round(float(cosine(step)), 4) for step in (0, 5, 10, 15)])
steps = tf.keras.optimizers.schedules.PiecewiseConstantDecay([5, 10], [1.0, 0.5, 0.1])
print("steps", [round(float(steps(step)), 2) for step in (5, 6, 11)])
plateau = build()
plateau.fit(
    x,
    y,
    epochs=6,
    verbose=0,
    callbacks=[
        tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=10.0)
    ],
)
print("halved:", float(plateau.optimizer.learning_rate) < 0.2)
