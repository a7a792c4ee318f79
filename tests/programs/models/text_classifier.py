"""Tells good from bad reviews: vectorised text, an embedding, and the strings end to end."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(6)
rng = np.random.RandomState(6)
GOOD, BAD = ["great", "lovely", "superb", "fine"], ["dull", "awful", "boring", "weak"]
FILLER = ["the", "film", "was", "and", "quite", "plot", "cast"]


def review(label):
    words = list(rng.choice(FILLER, 5)) + list(rng.choice(GOOD if label else BAD, 2))
    rng.shuffle(words)
    return " ".join(words) + "!"


labels = rng.randint(0, 2, 160)
texts = np.array([review(label) for label in labels])
dataset = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(16)

vectorize = layers.TextVectorization(max_tokens=30, output_sequence_length=8)
vectorize.adapt(dataset.map(lambda text, label: text))
print("vocabulary", len(vectorize.get_vocabulary()), vectorize.get_vocabulary()[:2])
print("as numbers", vectorize(tf.constant(["The film was GREAT!"])).shape)

model = tf.keras.Sequential(
    [
        layers.Embedding(30, 8, mask_zero=True),
        layers.GlobalAveragePooling1D(),
        layers.Dropout(0.1),
        layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile(tf.keras.optimizers.Adam(0.05), loss="binary_crossentropy", metrics=["accuracy"])
numbers = (
    dataset.map(lambda text, label: (vectorize(text), label)).cache().prefetch(tf.data.AUTOTUNE)
)
history = model.fit(numbers, epochs=5, verbose=0)
print("accuracy above 0.9:", history.history["accuracy"][-1] > 0.9)
print("embedding", model.layers[0].get_weights()[0].shape)

asked = tf.constant(["the cast was superb and lovely", "quite a dull and awful plot"])
answers = model(vectorize(asked)).numpy().ravel()
print("good before bad:", answers[0] > 0.5 > answers[1])
lookup = layers.StringLookup(vocabulary=["a", "b"])
print(lookup(tf.constant(["b", "z", "a"])).numpy().tolist())
back = layers.StringLookup(vocabulary=["a", "b"], invert=True)
print(back(tf.constant([1, 0, 2])).numpy().tolist())
print(layers.IntegerLookup(vocabulary=[10, 20])(tf.constant([20, 30])).numpy().tolist())
print(
    layers.CategoryEncoding(num_tokens=3, output_mode="multi_hot")(tf.constant([0, 2]))
    .numpy()
    .tolist()
)
