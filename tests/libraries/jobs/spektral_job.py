"""Spektral: graph convolutions (Keras 2) on one graph and on batches of graphs."""

import os
import tempfile

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import scipy.sparse as sp
import tensorflow as tf
from spektral.data import BatchLoader, Dataset, DisjointLoader, Graph, SingleLoader
from spektral.layers import GATConv, GCNConv, GlobalSumPool, MinCutPool
from spektral.models.gcn import GCN
from spektral.transforms import GCNFilter, LayerPreprocess

tf.keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)


class Circle(Dataset):
    """One graph: a circle of nodes with random features; the label is the half of the circle."""

    def read(self):
        """Return the graph."""
        count = 20
        a = np.zeros((count, count), "float32")
        for node in range(count):
            a[node, (node + 1) % count] = a[(node + 1) % count, node] = 1
        half = (np.arange(count) >= count // 2).astype(int)
        x = (rng.normal(size=(count, 4)) + half[:, None]).astype("float32")
        return [Graph(x=x, a=sp.csr_matrix(a), y=np.eye(2, dtype="float32")[half])]


class Many(Dataset):
    """Small random graphs; the label says whether there are many edges."""

    def read(self):
        """Return the graphs."""
        graphs = []
        for number in range(24):
            count = 5 + number % 3
            a = (rng.random((count, count)) < (0.2 if number % 2 else 0.7)).astype("float32")
            a = np.maximum(a, a.T)
            x = np.ones((count, 3), "float32")
            y = np.array([1.0 if number % 2 == 0 else 0.0], "float32")
            graphs.append(Graph(x=x, a=sp.csr_matrix(a), y=y))
        return graphs


def fixed(shape, number):
    """Return an initializer with fixed values."""
    return tf.keras.initializers.Constant(np.random.default_rng(number).normal(size=shape) * 0.3)


# One graph: nodes are classified; the adjacency is a sparse input.
one = Circle(transforms=[LayerPreprocess(GCNConv)])
x_in, a_in = tf.keras.Input((4,)), tf.keras.Input((20,), sparse=True)
hidden = GCNConv(8, activation="relu", kernel_initializer=fixed((4, 8), 1))([x_in, a_in])
outputs = GCNConv(2, activation="softmax", kernel_initializer=fixed((8, 2), 2))([hidden, a_in])
model = tf.keras.Model([x_in, a_in], outputs)
model.compile(tf.keras.optimizers.Adam(0.05), "categorical_crossentropy")
loader = SingleLoader(one)
history = model.fit(loader.load(), steps_per_epoch=loader.steps_per_epoch, epochs=5, verbose=0)
print("nodes", np.round(history.history["loss"], 4).tolist())

# A model of the library itself.
library = GCN(n_labels=2, channels=8)
library.compile(tf.keras.optimizers.Adam(0.05), "categorical_crossentropy")
loader = SingleLoader(one)
losses = library.fit(
    loader.load(), steps_per_epoch=loader.steps_per_epoch, epochs=10, verbose=0
).history["loss"]
print("model learns", losses[-1] < losses[0])


class Classifier(tf.keras.Model):
    """Attention, then a sum over each graph."""

    def __init__(self):
        super().__init__()
        self.convolution = GCNConv(8, activation="relu", kernel_initializer=fixed((3, 8), 3))
        self.attention = GATConv(4, attn_heads=2, kernel_initializer=fixed((8, 2, 4), 4))
        self.pool = GlobalSumPool()
        self.out = tf.keras.layers.Dense(1, kernel_initializer=fixed((8, 1), 5))

    def call(self, inputs):
        """Return a logit for each graph."""
        x, a, i = inputs
        x = self.attention([self.convolution([x, a]), a])
        return self.out(self.pool([x, i]))


# Many graphs, put together as one with several parts.
many = Many(transforms=[GCNFilter()])
classifier = Classifier()
optimizer = tf.keras.optimizers.Adam(0.02)
loader = DisjointLoader(many, batch_size=8, epochs=6, shuffle=False)
loss_function = tf.keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function(input_signature=loader.tf_signature(), reduce_retracing=True)
def step(inputs, target):
    """Train on one batch and return its loss."""
    with tf.GradientTape() as tape:
        loss = loss_function(target, classifier(inputs, training=True))
    gradients = tape.gradient(loss, classifier.trainable_variables)
    optimizer.apply_gradients(zip(gradients, classifier.trainable_variables, strict=True))
    return loss


losses = [float(step(*batch)) for batch in loader]
print("graphs learn", np.mean(losses[-3:]) < np.mean(losses[:3]), "steps", len(losses))

# Dense batches, with pooling that is learned.
loader = BatchLoader(many, batch_size=8, epochs=1, shuffle=False)
batch, _ = next(iter(loader))
pooled, coarse = MinCutPool(2)(batch)
print("pooled", pooled.shape.as_list(), coarse.shape.as_list())

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "weights.h5")
    model.save_weights(path)
    before = model.predict(SingleLoader(one).load(), steps=1, verbose=0)
    model.set_weights([np.zeros_like(value) for value in model.get_weights()])
    model.load_weights(path)
    after = model.predict(SingleLoader(one).load(), steps=1, verbose=0)
    print("restored", np.allclose(before, after, atol=1e-6))
