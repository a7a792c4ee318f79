"""A small U: pictures to pictures of classes, with skips and a loss of one's own."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(16)
rng = np.random.RandomState(16)
SIDE = 16


def squares(count):
    images = rng.normal(0, 0.2, (count, SIDE, SIDE, 1)).astype("float32")
    masks = np.zeros((count, SIDE, SIDE, 1), "float32")
    for i in range(count):
        r, c = rng.randint(1, SIDE - 7, 2)
        masks[i, r : r + 6, c : c + 6] = 1
    return images + masks, masks


def down(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return x, layers.MaxPooling2D()(x)


inputs = tf.keras.Input((SIDE, SIDE, 1))
skip1, x = down(inputs, 6)
skip2, x = down(x, 12)
x = layers.Conv2D(16, 3, padding="same", activation="relu")(x)
x = layers.concatenate([layers.Conv2DTranspose(12, 2, strides=2)(x), skip2])
x = layers.SeparableConv2D(12, 3, padding="same", activation="relu")(x)
x = layers.concatenate([layers.UpSampling2D(2)(x), skip1])
outputs = layers.Conv2D(1, 1, activation="sigmoid")(x)
model = tf.keras.Model(inputs, outputs)


def dice(truth, predicted):
    overlap = tf.reduce_sum(truth * predicted, axis=[1, 2, 3])
    total = tf.reduce_sum(truth + predicted, axis=[1, 2, 3])
    return 1 - (2 * overlap + 1) / (total + 1)


class IoU(tf.keras.metrics.Metric):
    """Overlap over union, summed over batches."""

    def __init__(self, name="iou", **kwargs):
        super().__init__(name=name, **kwargs)
        self.overlap = self.add_weight(name="overlap", initializer="zeros")
        self.union = self.add_weight(name="union", initializer="zeros")

    def update_state(self, truth, predicted, sample_weight=None):
        found = tf.cast(predicted > 0.5, tf.float32)
        self.overlap.assign_add(tf.reduce_sum(truth * found))
        self.union.assign_add(tf.reduce_sum(tf.maximum(truth, found)))

    def result(self):
        return self.overlap / tf.maximum(self.union, 1.0)


model.compile(tf.keras.optimizers.Adam(0.01), dice, metrics=[IoU()])
images, masks = squares(96)
history = model.fit(images, masks, epochs=6, batch_size=16, verbose=0)
print("loss fell:", history.history["loss"][-1] < history.history["loss"][0])
print("overlap above 0.7:", model.evaluate(*squares(32), verbose=0, return_dict=True)["iou"] > 0.7)
print(model.output_shape, len(model.layers))
augment = tf.keras.Sequential(
    [
        layers.RandomFlip("horizontal", seed=1),
        layers.RandomContrast(0.2, seed=1),
        layers.Rescaling(0.5),
    ]
)
changed = augment(images[:4], training=True)
print("augmented", changed.shape, "differs:", not np.allclose(changed, images[:4] * 0.5))
print("not in use:", np.allclose(augment(images[:4], training=False), images[:4] * 0.5, atol=1e-6))
