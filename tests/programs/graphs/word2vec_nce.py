"""Skip-gram word vectors with noise-contrastive estimation, on a language of two topics."""

import collections
import random

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
random.seed(0)
TOPICS = [
    ["cat", "dog", "mouse", "horse", "sheep", "cow"],
    ["iron", "gold", "silver", "tin", "lead", "zinc"],
]
words = []
for _ in range(300):
    topic = TOPICS[rng.randint(2)]
    words += [topic[rng.randint(6)] for _ in range(8)] + ["stop"] * 2

count = collections.Counter(words).most_common()
dictionary = {word: index for index, (word, _) in enumerate(count)}
reverse = {index: word for word, index in dictionary.items()}
data = [dictionary[word] for word in words]
print("Most common:", count[0][0], "vocabulary", len(dictionary))

vocabulary, EMBEDDING, BATCH, SKIPS, WINDOW = len(dictionary), 8, 64, 2, 2
position = 0


def generate_batch():
    global position
    batch, labels = np.ndarray(BATCH, np.int32), np.ndarray((BATCH, 1), np.int32)
    for i in range(BATCH // SKIPS):
        middle = position + WINDOW
        around = [middle + d for d in range(-WINDOW, WINDOW + 1) if d]
        for j, other in enumerate(random.sample(around, SKIPS)):
            batch[i * SKIPS + j] = data[middle]
            labels[i * SKIPS + j, 0] = data[other]
        position = (position + 1) % (len(data) - 2 * WINDOW)
    return batch, labels


graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(3)
    train_inputs = tf.placeholder(tf.int32, shape=[BATCH])
    train_labels = tf.placeholder(tf.int32, shape=[BATCH, 1])
    with tf.device("/cpu:0"):
        embeddings = tf.Variable(tf.random_uniform([vocabulary, EMBEDDING], -1.0, 1.0))
        embed = tf.nn.embedding_lookup(embeddings, train_inputs)
        nce_weights = tf.Variable(
            tf.truncated_normal([vocabulary, EMBEDDING], stddev=1.0 / np.sqrt(EMBEDDING))
        )
        nce_biases = tf.Variable(tf.zeros([vocabulary]))
    loss = tf.reduce_mean(
        tf.nn.nce_loss(
            weights=nce_weights,
            biases=nce_biases,
            labels=train_labels,
            inputs=embed,
            num_sampled=4,
            num_classes=vocabulary,
        )
    )
    optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
    normalized = embeddings / norm
    similarity = tf.matmul(normalized, normalized, transpose_b=True)
    init = tf.global_variables_initializer()

with tf.Session(graph=graph) as session:
    init.run()
    losses = []
    for step in range(250):
        inputs, labels = generate_batch()
        _, value = session.run([optimizer, loss], {train_inputs: inputs, train_labels: labels})
        losses.append(value)
    sim = similarity.eval()

print("loss fell:", np.mean(losses[-50:]) < np.mean(losses[:50]))
right = 0
for topic in TOPICS:
    for word in topic:
        order = [reverse[i] for i in (-sim[dictionary[word]]).argsort()[1:4]]
        right += sum(other in topic for other in order)
print("neighbours of the same topic: more than 30 of 36:", right > 30)
