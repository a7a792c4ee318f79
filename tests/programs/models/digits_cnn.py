"""A Keras network for pictures of figures: built, fitted, judged and asked."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

tf.keras.utils.set_random_seed(1)
rng = np.random.RandomState(1)
SHAPES = np.zeros((3, 6, 6), "float32")
SHAPES[0, 1:5, 2:4] = 1
SHAPES[1, 2:4, 1:5] = 1
SHAPES[2, [1, 4], 1:5] = 1


def pictures(count):
    labels = rng.randint(0, 3, count)
    return (SHAPES[labels] + rng.normal(0, 0.3, (count, 6, 6)))[..., None].astype("float32"), labels


train_images, train_labels = pictures(256)
test_images, test_labels = pictures(64)
model = models.Sequential(
    [
        layers.Input((6, 6, 1)),
        layers.Conv2D(8, (3, 3), activation="relu"),
        layers.MaxPooling2D((2, 2)),
        layers.Dropout(0.1),
        layers.Flatten(),
        layers.Dense(16, activation="relu"),
        layers.Dense(3),
    ]
)
model.summary()
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.01),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(
    train_images,
    train_labels,
    epochs=4,
    batch_size=32,
    verbose=0,
    validation_data=(test_images, test_labels),
)
print(sorted(history.history), len(history.epoch))
print("loss fell:", history.history["loss"][-1] < history.history["loss"][0])
test_loss, test_acc = model.evaluate(test_images, test_labels, verbose=0)
print("accuracy above 0.9:", test_acc > 0.9)
probability_model = tf.keras.Sequential([model, layers.Softmax()])
predictions = probability_model.predict(test_images[:5], verbose=0)
print(predictions.shape, "sums to one:", np.allclose(predictions.sum(axis=1), 1, atol=1e-5))
print("parameters:", model.count_params(), [w.shape for w in model.layers[0].get_weights()])
