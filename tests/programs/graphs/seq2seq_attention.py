"""Reverses digits: an encoder, and a decoder that looks back at it with attention."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(13)
tf.set_random_seed(13)
LENGTH, DIGITS, UNITS, BATCH = 4, 6, 32, 64
GO = DIGITS

source = tf.placeholder(tf.int32, [None, LENGTH], name="source")
target = tf.placeholder(tf.int32, [None, LENGTH], name="target")
embedding = tf.get_variable("embedding", [DIGITS + 1, 12])

with tf.variable_scope("encoder"):
    cell = tf.nn.rnn_cell.GRUCell(UNITS)
    memory, final = tf.nn.dynamic_rnn(
        cell, tf.nn.embedding_lookup(embedding, source), dtype=tf.float32
    )
    keys = tf.layers.dense(memory, UNITS, use_bias=False, name="keys")


def attend(state):
    """Return a mixture of the memory for this state, and the mixture's weights."""
    query = tf.layers.dense(state, UNITS, name="query", reuse=tf.AUTO_REUSE)
    v = tf.get_variable("v", [UNITS])
    scores = tf.reduce_sum(v * tf.tanh(keys + tf.expand_dims(query, 1)), 2)
    weights = tf.nn.softmax(scores)
    return tf.reduce_sum(tf.expand_dims(weights, 2) * memory, 1), weights


def decode(feed_truth):
    with tf.variable_scope("decoder", reuse=tf.AUTO_REUSE):
        cell = tf.nn.rnn_cell.GRUCell(UNITS)
        state, token = final, tf.fill([tf.shape(source)[0]], GO)
        logits, looked = [], []
        for i in range(LENGTH):
            context, weights = attend(state)
            inputs = tf.concat([tf.nn.embedding_lookup(embedding, token), context], 1)
            output, state = cell(inputs, state)
            logits.append(tf.layers.dense(output, DIGITS, name="project", reuse=tf.AUTO_REUSE))
            looked.append(weights)
            token = target[:, i] if feed_truth else tf.argmax(logits[-1], 1, output_type=tf.int32)
        return tf.stack(logits, 1), tf.stack(looked, 1)


train_logits, _ = decode(feed_truth=True)
free_logits, attention = decode(feed_truth=False)
loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=train_logits)
)
optimizer = tf.train.AdamOptimizer(0.02)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
train = optimizer.apply_gradients(zip(clipped, variables))
answer = tf.argmax(free_logits, 2, output_type=tf.int32)
right = tf.reduce_mean(tf.cast(tf.equal(answer, target), tf.float32))


def batch():
    digits = rng.randint(0, DIGITS, (BATCH, LENGTH))
    return {source: digits, target: digits[:, ::-1]}


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = [sess.run([train, loss], batch())[1] for _ in range(120)]
    accuracy, weights = sess.run([right, attention], batch())
    print("loss fell:", losses[-1] < losses[0] / 3)
    print("digits right, without the truth: above 0.8:", accuracy > 0.8)
    print("attention", weights.shape, "sums to one:", np.allclose(weights.sum(2), 1, atol=1e-5))
print("decoder variables shared:", len([v for v in variables if "decoder" in v.name]))
