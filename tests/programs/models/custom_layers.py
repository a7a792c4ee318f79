"""Layers and models of one's own: weights, losses, masks, configurations, nesting."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(3)


@tf.keras.utils.register_keras_serializable("programs")
class Linear(layers.Layer):
    """A dense layer with its weights made when the input is known."""

    def __init__(self, units=4, decay=0.0, **kwargs):
        super().__init__(**kwargs)
        self.units, self.decay = units, decay

    def build(self, input_shape):
        self.w = self.add_weight(
            shape=(input_shape[-1], self.units), initializer="glorot_uniform", name="w"
        )
        self.b = self.add_weight(shape=(self.units,), initializer="zeros", name="b")

    def call(self, inputs):
        self.add_loss(self.decay * tf.reduce_sum(tf.square(self.w)))
        return tf.matmul(inputs, self.w) + self.b

    def get_config(self):
        return {**super().get_config(), "units": self.units, "decay": self.decay}


class RunningMean(layers.Layer):
    """Subtracts the mean of all it has seen while training."""

    def build(self, input_shape):
        self.total = self.add_weight(shape=(input_shape[-1],), initializer="zeros", trainable=False)
        self.count = self.add_weight(shape=(), initializer="zeros", trainable=False)

    def call(self, x, training=False):
        if training:
            self.total.assign_add(tf.reduce_sum(x, axis=0))
            self.count.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
        return x - self.total / tf.maximum(self.count, 1.0)


class Net(tf.keras.Model):
    """Layers in attributes and lists."""

    def __init__(self):
        super().__init__()
        self.mean = RunningMean()
        self.blocks = [Linear(8, 0.01, name="first"), Linear(8, name="second")]
        self.out = layers.Dense(1)

    def call(self, x, training=False):
        x = self.mean(x, training=training)
        for block in self.blocks:
            x = tf.nn.relu(block(x))
        return self.out(x)


layer = Linear(3)
print(
    "before",
    len(layer.weights),
    "after",
    layer(tf.ones([2, 5])).shape,
    [w.shape for w in layer.weights],
)
copy = Linear.from_config(layer.get_config())
print(copy.units, copy.name == layer.name, tf.keras.utils.get_registered_name(Linear))

rng = np.random.RandomState(3)
x = rng.normal(5, 1, (64, 4)).astype("float32")
y = (x[:, :1] - x[:, 1:2]) ** 2
net = Net()
net.compile("adam", "mse")
net.optimizer.learning_rate = 0.02
history = net.fit(x, y, epochs=8, batch_size=16, verbose=0)
print("loss fell:", history.history["loss"][-1] < history.history["loss"][0])
print("seen", int(net.mean.count), "of", 64 * 8, "losses", len(net.losses))
print("weights", len(net.trainable_weights), "and", len(net.non_trainable_weights))
net.blocks[0].trainable = False
before = net.blocks[0].w.numpy().copy()
net.compile("sgd", "mse")
net.fit(x, y, epochs=1, verbose=0)
print("frozen stays:", np.array_equal(before, net.blocks[0].w.numpy()), len(net.trainable_weights))

inputs = tf.keras.Input((4,))
functional = tf.keras.Model(inputs, Linear(2)(layers.Lambda(lambda t: t * 2)(inputs)))
print("functional", functional(x[:3]).shape, len(functional.layers))
