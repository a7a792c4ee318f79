"""keras-tuner: a random search over a small model, and its best model saved and loaded."""

import keras_tuner
import numpy as np
import tensorflow as tf

values = np.random.default_rng(0)
x = values.normal(size=(64, 4)).astype("float32")
y = (x @ np.array([[1.0], [-2.0], [0.5], [0.0]], "float32")).astype("float32")


def build(choices):
    model = tf.keras.Sequential(
        [
            tf.keras.Input((4,)),
            tf.keras.layers.Dense(choices.Int("units", 4, 12, step=4), activation="tanh"),
            tf.keras.layers.Dense(1),
        ]
    )
    rate = choices.Choice("rate", [0.1, 0.001])
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss="mse")
    return model


tf.keras.utils.set_random_seed(3)
tuner = keras_tuner.RandomSearch(
    build, objective="val_loss", max_trials=4, seed=5, directory="tuning", overwrite=True
)
tuner.search(x, y, epochs=5, validation_data=(x, y), verbose=0)
trials = tuner.oracle.get_best_trials(4)
print("trials", len(trials))
print(
    "tried",
    sorted(
        (trial.hyperparameters.values["units"], trial.hyperparameters.values["rate"])
        for trial in trials
    ),
)
best = tuner.get_best_models(1)[0]
print("best rate", tuner.get_best_hyperparameters(1)[0].values["rate"])
print("ordered", trials[0].score <= trials[-1].score)
best.save("best.keras")
again = tf.keras.models.load_model("best.keras")
print("same after loading", np.array_equal(best.predict(x, verbose=0), again.predict(x, verbose=0)))
