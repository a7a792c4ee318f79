"""TensorFlow Datasets: a dataset of one's own, prepared, read back, cut and fed to a model."""

import tempfile

import numpy as np
import tensorflow as tf
import tensorflow_datasets as tfds


class Points(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        return tfds.core.DatasetInfo(
            builder=self,
            features=tfds.features.FeaturesDict(
                {
                    "x": tfds.features.Tensor(shape=(2,), dtype=np.float32),
                    "label": tfds.features.ClassLabel(names=["low", "high"]),
                    "image": tfds.features.Image(shape=(4, 4, 1)),
                }
            ),
            supervised_keys=("x", "label"),
        )

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples(20), "test": self._generate_examples(5)}

    def _generate_examples(self, count):
        for i in range(count):
            yield (
                i,
                {
                    "x": np.array([i, -i], np.float32),
                    "label": "high" if i % 2 else "low",
                    "image": np.full((4, 4, 1), i, np.uint8),
                },
            )


with tempfile.TemporaryDirectory() as folder:
    builder = Points(data_dir=folder)
    builder.download_and_prepare()
    print(builder.info.splits["train"].num_examples, builder.info.features["label"].names)
    train = builder.as_dataset(split="train[:50%]", as_supervised=True, shuffle_files=False)
    print("sum", float(sum(x[0] for x, _ in tfds.as_numpy(train))), len(train))
    whole = builder.as_dataset(split="test")
    print("images", sorted(int(e["image"].numpy().max()) for e in whole))
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    model.compile(tf.keras.optimizers.SGD(1e-3), "mse")
    data = builder.as_dataset(split="train", as_supervised=True).batch(20)
    print("loss", np.round(model.fit(data, epochs=2, verbose=0).history["loss"][0], 4))
