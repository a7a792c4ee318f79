"""tensorflow-hub: a module exported as a SavedModel, used as a function and as a layer."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf
import tensorflow_hub as hub


class Encoder(tf.train.Checkpoint):
    """Two dense layers, as reusable SavedModels have them."""

    def __init__(self):
        super().__init__()
        weights = np.arange(12.0, dtype="float32").reshape(4, 3) / 10.0
        self.kernel = tf.Variable(weights)
        self.bias = tf.Variable([0.1, 0.2, 0.3])
        self.variables = self.trainable_variables = [self.kernel, self.bias]
        self.regularization_losses = []

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def __call__(self, x):
        return tf.tanh(x @ self.kernel + self.bias)


tf.saved_model.save(Encoder(), "encoder")
module = hub.load("encoder")
x = np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(3, 4)
print("output", np.round(module(tf.constant(x)).numpy(), 4).tolist())

layer = hub.KerasLayer("encoder", trainable=True)
model = tf.keras.Sequential(
    [tf.keras.Input((4,)), layer, tf.keras.layers.Dense(1, kernel_initializer="ones")]
)
model.compile(optimizer=tf.keras.optimizers.SGD(0.05), loss="mse")
history = model.fit(x, np.ones((3, 1), "float32"), epochs=4, batch_size=3, verbose=0)
print("losses", [round(loss, 4) for loss in history.history["loss"]])
print("trained", len(layer.trainable_weights), not np.allclose(layer.weights[1], [0.1, 0.2, 0.3]))
