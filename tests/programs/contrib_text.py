"""Words as ids by a vocabulary, then a bag of words classified; settings kept in HParams."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn

hparams = tf.contrib.training.HParams(embed=8, rate=0.1, steps=60)
hparams.parse("steps=80")
texts = ["good fine day", "bad sad night", "fine good film", "sad bad film"] * 4
labels = np.array([1, 0, 1, 0] * 4)
processor = learn.preprocessing.VocabularyProcessor(4)
ids = np.array(list(processor.fit_transform(texts)))
print("words", len(processor.vocabulary_), ids[0])

tf.set_random_seed(0)
vectors = tf.contrib.layers.embed_sequence(ids, len(processor.vocabulary_), hparams.embed)
logits = tf.contrib.layers.fully_connected(tf.reduce_mean(vectors, 1), 2, activation_fn=None)
loss = tf.contrib.losses.sparse_softmax_cross_entropy(logits, labels)
train = tf.train.AdamOptimizer(hparams.rate).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(hparams.steps):
        sess.run(train)
    found = sess.run(tf.argmax(logits, 1))
print("right:", np.mean(found == labels))
print(hparams.values())
