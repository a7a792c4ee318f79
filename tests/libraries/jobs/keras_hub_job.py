"""KerasHub: a small BERT encoder and a GPT-like decoder, built and trained."""

import os
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"

import keras_hub
import numpy as np

import keras

keras.utils.set_random_seed(1)
backbone = keras_hub.models.BertBackbone(
    vocabulary_size=20,
    num_layers=1,
    num_heads=2,
    hidden_dim=8,
    intermediate_dim=16,
    max_sequence_length=6,
)
classifier = keras_hub.models.BertTextClassifier(backbone, num_classes=2, preprocessor=None)
tokens = np.random.default_rng(0).integers(1, 20, size=(16, 6))
features = {
    "token_ids": tokens,
    "segment_ids": np.zeros_like(tokens),
    "padding_mask": np.ones_like(tokens),
}
labels = (tokens[:, 0] > 10).astype("int32")
classifier.compile(
    keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
)
history = classifier.fit(features, labels, epochs=8, verbose=0)
print("learns", history.history["loss"][-1] < history.history["loss"][0])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "bert.weights.h5")
    classifier.save_weights(path)
    before = classifier.predict(features, verbose=0)
    classifier.load_weights(path)
    np.testing.assert_allclose(classifier.predict(features, verbose=0), before, 1e-5)
print(
    "metric",
    round(
        float(
            keras_hub.metrics.Perplexity(from_logits=True)(
                np.array([[1, 2]]), np.zeros((1, 2, 4), "float32")
            )
        ),
        4,
    ),
)
