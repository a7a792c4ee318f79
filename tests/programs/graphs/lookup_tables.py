"""Words to numbers and back, with tables that are part of the graph."""

import os
import tempfile

import tensorflow as tf

vocabulary = os.path.join(tempfile.mkdtemp(), "words.txt")
with open(vocabulary, "w") as file:
    file.write("emerson\nlake\npalmer\n")

from_file = tf.contrib.lookup.index_table_from_file(vocabulary, num_oov_buckets=1)
from_tensor = tf.contrib.lookup.index_table_from_tensor(["red", "green", "blue"], default_value=-1)
back = tf.contrib.lookup.index_to_string_table_from_file(vocabulary, default_value="UNKNOWN")
prices = tf.contrib.lookup.HashTable(
    tf.contrib.lookup.KeyValueTensorInitializer(["tea", "milk"], [1.5, 0.5]), -1.0
)
mutable = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, default_value=0)

words = tf.placeholder(tf.string, [None])
numbers = from_file.lookup(words)
again = back.lookup(numbers)
sentence = tf.string_split(["green red purple"])
coloured = tf.sparse_tensor_to_dense(
    tf.SparseTensor(sentence.indices, from_tensor.lookup(sentence.values), sentence.dense_shape),
    default_value=9,
)
counted = mutable.insert(words, mutable.lookup(words) + 1)
buckets = tf.string_to_hash_bucket_fast(words, 10)

with tf.Session() as sess:
    try:
        sess.run(numbers, {words: ["lake"]})
    except tf.errors.FailedPreconditionError as error:
        print("not yet:", "not initialized" in error.message)
    sess.run(tf.tables_initializer())
    print(sess.run(numbers, {words: ["palmer", "lake", "and"]}).tolist())
    print([w.decode() for w in sess.run(again, {words: ["emerson", "nobody"]})])
    print(sess.run(coloured).tolist())
    print(sess.run(prices.lookup(tf.constant(["milk", "tea", "air"]))).tolist())
    for batch in (["a", "b"], ["a"], ["a", "c"]):
        sess.run(counted, {words: batch})
    keys, values = sess.run(mutable.export())
    print(
        sorted(zip([k.decode() for k in keys], values.tolist())), "size", sess.run(mutable.size())
    )
    print("size of the file's", sess.run(from_file.size()))
    print("buckets", sess.run(buckets, {words: ["hello", "world"]}).tolist())
