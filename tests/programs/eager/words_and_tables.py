"""Text taken apart: splitting, joining, counting, ragged rows and vocabularies."""

import tensorflow as tf

lines = tf.constant(["the cat sat", "on the mat", "", "a cat and the dog sat"])
words = tf.strings.split(lines)
print(words.to_list()[1], words.row_lengths().numpy().tolist(), words.shape)
print("flat", words.flat_values.shape, "longest", int(words.bounding_shape()[1]))
print(words.to_tensor("-")[1].numpy().tolist())

vocabulary = tf.constant(["the", "cat", "sat", "mat"])
table = tf.lookup.StaticVocabularyTable(
    tf.lookup.KeyValueTensorInitializer(vocabulary, tf.range(4, dtype=tf.int64)), num_oov_buckets=2
)
ids = tf.ragged.map_flat_values(table.lookup, words)
print(
    "known:",
    ids.to_list()[0],
    "unknown at least 4:",
    bool(ids[3][0] >= 4),
    "size",
    int(table.size()),
)
static = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(["one", "two"], [1, 2]), default_value=-1
)
print(static[tf.constant(["two", "three"])].numpy().tolist())
counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
for row in words:
    for word in row:
        counts.insert([word], counts.lookup([word]) + 1)
keys, values = counts.export()
order = tf.argsort(values, direction="DESCENDING", stable=True)
print("most frequent:", tf.gather(keys, order)[0].numpy(), int(tf.reduce_max(values)))

# Rows of different lengths as they are.
ragged = tf.ragged.constant([[3, 1, 4], [], [1, 5], [9, 2, 6, 5]])
print(
    tf.reduce_sum(ragged, axis=1).numpy().tolist(),
    tf.reduce_mean(tf.cast(ragged, tf.float32), axis=0).shape,
)
print((ragged * 2 + 1).to_list(), ragged[1:, :2].to_list())
print(
    tf.concat([ragged, ragged[:, :1]], axis=1).to_list()[3],
    tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 1, 3]).to_list(),
)
table_of_vectors = tf.reshape(tf.range(20.0), [10, 2])
vectors = tf.nn.embedding_lookup(table_of_vectors, ragged)
print("vectors", vectors.shape, tf.reduce_sum(vectors, axis=1).numpy().tolist()[2])
dense = ragged.to_tensor(default_value=-1, shape=[None, 5])
print(dense.shape, tf.RaggedTensor.from_tensor(dense, padding=-1).to_list() == ragged.to_list())

# Letters, numbers, patterns.
print(
    tf.strings.length(["abc", "ü"], unit="UTF8_CHAR").numpy().tolist(),
    tf.strings.substr("placement", 0, 5).numpy(),
)
print(tf.strings.regex_replace("2024-01-02", r"(\d+)-(\d+)-(\d+)", r"\3.\2.\1").numpy())
print(tf.strings.to_number(["1.5", "2"]).numpy().tolist(), tf.strings.join(["a", "b"], "+").numpy())
print(tf.strings.reduce_join([["x", "y"], ["z", ""]], axis=1, separator="/").numpy().tolist())
print(
    tf.strings.unicode_decode("héy", "UTF-8").numpy().tolist(),
    tf.strings.bytes_split("ab").numpy().tolist(),
)
print(tf.strings.ngrams(tf.constant(["a", "b", "c"]), 2).numpy().tolist())
print(tf.strings.format("{} of {}", (tf.constant(1), tf.constant([2, 3]))).numpy())
print(tf.strings.to_hash_bucket_fast(["hello", "world"], 10).numpy().tolist())
