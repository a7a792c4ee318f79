"""Documents of different lengths: tokens, n-grams, embeddings and scores as ragged tensors."""

import tensorflow as tf

documents = tf.constant(["the quick brown fox", "jumps over", "", "the lazy dog the end"])
tokens = tf.strings.split(documents)
print("tokens:", tokens.to_list(), tokens.row_lengths().numpy().tolist())

words = sorted({word for document in tokens.to_list() for word in document})
numbers = tf.range(len(words), dtype=tf.int64)
table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(words, numbers), 1)
ids = tf.ragged.map_flat_values(table.lookup, tokens)
print("ids:", ids.to_list())
print("padded:", ids.to_tensor(-1)[:, :3].numpy().tolist())
print("last words:", ids[:, -1:].to_list())
print("frequent words:", tf.ragged.boolean_mask(ids, ids > 4).to_list())
print("pairs:", tf.strings.ngrams(tokens, 2, separator="_").to_list())
print("joined:", tf.strings.reduce_join(tokens, separator="-", axis=1).numpy().tolist())

embeddings = tf.Variable(tf.reshape(tf.range(30, dtype=tf.float32), [10, 3]))
weights = tf.Variable([0.5, -0.25, 0.125])


@tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int64)])
def score(batch):
    """Return a number for each document: of the sum of its words' embeddings."""
    vectors = tf.nn.embedding_lookup(embeddings, batch)
    return tf.reduce_sum(tf.reduce_sum(vectors, axis=1) * weights, axis=1)


with tf.GradientTape() as tape:
    scores = score(ids)
    loss = tf.reduce_mean(tf.square(scores))
print("scores:", scores.numpy().tolist())
of_embeddings, of_weights = tape.gradient(loss, [embeddings, weights])
print("rows with gradients:", sorted(set(of_embeddings.indices.numpy().tolist())))
print("of the weights:", of_weights.numpy().tolist())

batches = tf.data.Dataset.from_tensor_slices(ids).ragged_batch(3)
print("batches:", [batch.to_list() for batch in batches])
texts = ["héllo", "", "ab"]
characters = tf.strings.unicode_decode(texts, "UTF-8")
print("characters:", characters.to_list())
print("lengths:", tf.strings.length(texts, "UTF8_CHAR").numpy().tolist())
