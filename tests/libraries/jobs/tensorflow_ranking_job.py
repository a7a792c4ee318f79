"""tensorflow-ranking: losses and metrics of lists, and a scoring model trained with one."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
import numpy as np
import tensorflow as tf
import tensorflow_ranking as tfr

labels = tf.constant([[2.0, 0.0, 1.0, -1.0], [0.0, 1.0, 0.0, 3.0]])
scores = tf.constant([[1.0, 2.0, 3.0, 0.0], [0.5, 0.1, -0.3, 2.0]])
for name in (
    "SoftmaxLoss",
    "ListMLELoss",
    "PairwiseLogisticLoss",
    "ApproxNDCGLoss",
    "MeanSquaredLoss",
):
    print(name, round(float(getattr(tfr.keras.losses, name)()(labels, scores)), 4))
for name in ("NDCGMetric", "MRRMetric", "MeanAveragePrecisionMetric"):
    print(name, round(float(getattr(tfr.keras.metrics, name)()(labels, scores)), 4))

values = np.random.default_rng(4)
x = values.normal(size=(16, 5, 3)).astype("float32")
y = (x[:, :, 0] > 0.3).astype("float32")
start = tf.keras.initializers.Constant(values.normal(size=(3, 4)).astype("float32"))
model = tf.keras.Sequential(
    [
        tf.keras.Input((5, 3)),
        tf.keras.layers.Dense(4, "tanh", kernel_initializer=start),
        tf.keras.layers.Dense(1, kernel_initializer="ones"),
        tf.keras.layers.Reshape((5,)),
    ]
)
model.compile(
    optimizer=tf.keras.optimizers.legacy.Adagrad(0.2),
    loss=tfr.keras.losses.SoftmaxLoss(),
    metrics=[tfr.keras.metrics.NDCGMetric(name="ndcg", topn=3)],
)
history = model.fit(x, y, epochs=4, batch_size=8, shuffle=False, verbose=0)
print("losses", [round(value, 4) for value in history.history["loss"]])
print("ndcg", [round(value, 4) for value in history.history["ndcg"]])
model.save_weights("ranking.weights.h5")
