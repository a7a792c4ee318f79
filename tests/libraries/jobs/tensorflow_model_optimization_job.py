"""tensorflow-model-optimization: pruning to a sparsity, clustered weights, fake quantization."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf
import tensorflow_model_optimization as tfmot

values = np.random.default_rng(3)
x = values.normal(size=(64, 8)).astype("float32")
y = (x[:, :1] - x[:, 1:2]).astype("float32")


def build():
    first = tf.keras.initializers.Constant(
        np.random.default_rng(5).normal(size=(8, 16)).astype("float32")
    )
    return tf.keras.Sequential(
        [
            tf.keras.Input((8,)),
            tf.keras.layers.Dense(16, "relu", kernel_initializer=first, name="first"),
            tf.keras.layers.Dense(1, kernel_initializer="ones", name="second"),
        ]
    )


def train(model, **options):
    model.compile(optimizer=tf.keras.optimizers.legacy.Adam(0.01), loss="mse")
    history = model.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0, **options)
    return [round(loss, 3) for loss in history.history["loss"]]


schedule = tfmot.sparsity.keras.ConstantSparsity(0.5, begin_step=0, frequency=2)
pruned = tfmot.sparsity.keras.prune_low_magnitude(build(), pruning_schedule=schedule)
print("pruned", train(pruned, callbacks=[tfmot.sparsity.keras.UpdatePruningStep()]))
plain = tfmot.sparsity.keras.strip_pruning(pruned)
print("zeros", float(np.mean(plain.layers[0].get_weights()[0] == 0.0)))
plain.save("pruned.keras")

clustered = tfmot.clustering.keras.cluster_weights(
    build(),
    number_of_clusters=4,
    cluster_centroids_init=tfmot.clustering.keras.CentroidInitialization.LINEAR,
)
print("clustered", train(clustered))
final = tfmot.clustering.keras.strip_clustering(clustered)
print("values", len(np.unique(final.layers[0].get_weights()[0])))

quantized = tfmot.quantization.keras.quantize_model(build())
print("quantized", train(quantized))
