"""TFLearn: a network of TensorFlow 1 graphs, trained, saved and loaded."""

import importlib

import numpy as np
import PIL.Image
import tensorflow.compat.v1 as tf

PIL.Image.ANTIALIAS = PIL.Image.LANCZOS  # TFLearn reads it at import; gone since Pillow 10
tf.disable_v2_behavior()
tflearn = importlib.import_module("tflearn")

values = np.random.default_rng(0)
x = values.normal(size=(64, 4)).astype("float32")
y = np.eye(2, dtype="float32")[(x.sum(1) > 0).astype(int)]


def build():
    tf.reset_default_graph()
    net = tflearn.input_data([None, 4])
    net = tflearn.fully_connected(net, 8, activation="relu", weights_init="truncated_normal")
    net = tflearn.fully_connected(net, 2, activation="softmax")
    net = tflearn.regression(
        net, optimizer="adam", learning_rate=0.05, loss="categorical_crossentropy"
    )
    return tflearn.DNN(net, tensorboard_verbose=0)


model = build()
model.fit(x, y, n_epoch=8, batch_size=16, shuffle=False, show_metric=True, run_id="job")
accuracy = model.evaluate(x, y)[0]
print("accuracy", accuracy > 0.85)
before = model.predict(x)
model.save("./learned.model")
again = build()
again.load("./learned.model")
print("same after loading", np.allclose(before, again.predict(x)))
