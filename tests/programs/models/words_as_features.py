"""Vocabularies learned from texts, as numbers, counts and weights; a model that begins with one."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(2)
layers = tf.keras.layers
texts = tf.constant(
    [
        "the cat sat on the mat",
        "A dog ate my Homework!",
        "cats and dogs, living together",
        "mass hysteria",
        "",
        "the the the quick brown fox",
        "naïve café déjà vu",
    ]
)
labels = np.array([0, 1, 0, 1, 0, 1, 0])
for options in (
    {"output_mode": "int", "output_sequence_length": 5},
    {"output_mode": "tf_idf"},
    {"output_mode": "count", "max_tokens": 8},
    {"output_mode": "multi_hot", "ngrams": 2, "max_tokens": 12},
    {"split": "character", "output_sequence_length": 6},
):
    words = layers.TextVectorization(**options)
    words.adapt(tf.data.Dataset.from_tensor_slices(texts).batch(3))
    print(words.get_vocabulary()[:6], words.vocabulary_size())
    print(np.round(words(texts[:2]).numpy(), 3).tolist())

letters = layers.StringLookup(num_oov_indices=2)
letters.adapt([["a"], ["b"], ["a"], ["c"]])
print(letters.get_vocabulary(), letters(tf.constant([["a", "zz"], ["q", "c"]])).numpy().tolist())
numbers = layers.IntegerLookup(output_mode="multi_hot")
numbers.adapt(np.array([5, 7, 7, 9]))
print(numbers(np.array([[5, 7], [1, 9]])).numpy().tolist())
print(layers.Hashing(5, salt=[1, 2])(tf.constant([["a"], ["b"], ["c"]])).numpy().tolist())
print(layers.HashedCrossing(7)((tf.constant(["a", "b"]), tf.constant([1, 2]))).numpy().tolist())
bins = layers.Discretization(num_bins=3)
bins.adapt(np.arange(20.0))
print(bins(np.array([[1.0, 8.0, 19.0]])).numpy().tolist())

words = layers.TextVectorization(max_tokens=40, output_sequence_length=6)
words.adapt(texts)
model = tf.keras.Sequential(
    [
        tf.keras.Input((), dtype="string"),
        words,
        layers.Embedding(40, 8),
        layers.Conv1D(6, 3, activation="relu", padding="causal"),
        layers.GlobalMaxPooling1D(),
        layers.Dense(2),
    ]
)
model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
batches = tf.data.Dataset.from_tensor_slices((texts, labels)).shuffle(7, seed=1).batch(2)
losses = model.fit(batches, epochs=3, verbose=0).history["loss"]
print("losses", [f"{loss:.4f}" for loss in losses])
path = os.path.join(tempfile.mkdtemp(), "words.keras")
model.save(path)
again = tf.keras.models.load_model(path)
print("same", np.allclose(again.predict(texts, verbose=0), model.predict(texts, verbose=0)))
