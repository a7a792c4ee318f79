"""Tags of sequences by a conditional random field over a linear layer."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(2)
drawn = np.random.RandomState(0)
CASES, STEPS, FEATURES, TAGS = 6, 6, 20, 3
x = drawn.rand(CASES, STEPS, FEATURES).astype(np.float32)
y = drawn.randint(TAGS, size=[CASES, STEPS]).astype(np.int32)
lengths = np.full(CASES, STEPS - 1, np.int32)

weights = tf.get_variable("weights", [FEATURES, TAGS])
flat = tf.reshape(tf.constant(x), [-1, FEATURES])
scores = tf.reshape(tf.matmul(flat, weights), [CASES, STEPS, TAGS])
likelihood, transitions = tf.contrib.crf.crf_log_likelihood(
    scores, tf.constant(y), tf.constant(lengths)
)
tags, _ = tf.contrib.crf.crf_decode(scores, transitions, tf.constant(lengths))
train = tf.train.AdamOptimizer(0.05).minimize(tf.reduce_mean(-likelihood))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    before = sess.run(tf.reduce_mean(likelihood))
    for _ in range(60):
        sess.run(train)
    after, found, unary, matrix = sess.run([tf.reduce_mean(likelihood), tags, scores, transitions])
mask = np.arange(STEPS)[None, :] < lengths[:, None]
print("likelier:", after > before)
print("accuracy over 0.6:", np.mean(found[mask] == y[mask]) > 0.6)
path, _ = tf.contrib.crf.viterbi_decode(unary[0][: lengths[0]], matrix)
print("same as viterbi:", path == found[0][: lengths[0]].tolist())
