"""Whole models to files and back: weights, one archive, a configuration, a served function."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(13)
folder = tempfile.mkdtemp()
rng = np.random.RandomState(13)
x = rng.normal(size=(64, 5)).astype("float32")
y = (x.sum(axis=1, keepdims=True) > 0).astype("float32")


def create_model():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((5,)),
            tf.keras.layers.Dense(8, activation="relu", name="hidden"),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


model = create_model()
model.fit(x, y, epochs=3, verbose=0)
expected = model.predict(x, verbose=0)
loss = model.evaluate(x, y, verbose=0)[0]


def same(other):
    return bool(np.allclose(other.predict(x, verbose=0), expected, atol=1e-5))


weights = os.path.join(folder, "model.weights.h5")
model.save_weights(weights)
fresh = create_model()
print("fresh differs:", not same(fresh))
fresh.load_weights(weights)
print("weights:", same(fresh))

archive = os.path.join(folder, "model.keras")
model.save(archive)
loaded = tf.keras.models.load_model(archive)
print("archive:", same(loaded), np.isclose(loaded.evaluate(x, y, verbose=0)[0], loss, atol=1e-5))
print("optimizer too:", int(loaded.optimizer.iterations) == int(model.optimizer.iterations))
loaded.fit(x, y, epochs=1, verbose=0)

config = json.loads(model.to_json())
rebuilt = tf.keras.models.model_from_json(model.to_json())
rebuilt.set_weights(model.get_weights())
print("configuration:", config["class_name"], same(rebuilt))

checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
path = checkpoint.save(os.path.join(folder, "ckpt"))
third = create_model()
tf.train.Checkpoint(model=third).restore(path).expect_partial()
print("checkpoint:", same(third))

serve = tf.function(lambda t: model(t), input_signature=[tf.TensorSpec([None, 5], tf.float32)])
print("as a function:", np.allclose(serve(x), expected, atol=1e-5))
print(
    "layer by name:",
    model.get_layer("hidden").units,
    [w.path.split("/")[-1] for w in model.weights][:2],
)
