"""Predicts the next word with a sampled softmax, and judges with the full one."""

import numpy as np
import tensorflow as tf

WORDS, WIDTH, BATCH = 50, 16, 40
rng = np.random.RandomState(2)
tf.set_random_seed(2)


def batch():
    # The rule of this language: after word n comes 3n + 1.
    now = rng.randint(0, WORDS, BATCH)
    return now, ((3 * now + 1) % WORDS).reshape(-1, 1)


x = tf.placeholder(tf.int64, [BATCH])
y = tf.placeholder(tf.int64, [BATCH, 1])
with tf.variable_scope("model"):
    table = tf.get_variable("table", [WORDS, WIDTH], initializer=tf.random_normal_initializer())
    w = tf.get_variable(
        "softmax_w", [WORDS, WIDTH], initializer=tf.random_normal_initializer(stddev=0.1)
    )
    b = tf.get_variable("softmax_b", [WORDS], initializer=tf.zeros_initializer())
hidden = tf.nn.embedding_lookup(table, x)
candidates = tf.nn.log_uniform_candidate_sampler(y, 1, 20, True, WORDS, seed=1)
sampled = tf.reduce_mean(
    tf.nn.sampled_softmax_loss(
        weights=w,
        biases=b,
        labels=y,
        inputs=hidden,
        num_sampled=20,
        num_classes=WORDS,
        sampled_values=candidates,
        remove_accidental_hits=True,
    )
)
logits = tf.matmul(hidden, w, transpose_b=True) + b
full = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.squeeze(y, 1), logits=logits)
)
top1 = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, tf.squeeze(y, 1), 1), tf.float32))
train = tf.train.AdagradOptimizer(0.5).minimize(sampled)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    now, following = batch()
    start = sess.run(full, {x: now, y: following})
    for _ in range(150):
        now, following = batch()
        sess.run(train, {x: now, y: following})
    now, following = batch()
    end, hits = sess.run([full, top1], {x: now, y: following})
    chosen = sess.run(candidates.sampled_candidates, {x: now, y: following})
print("full loss fell from %.2f to below 1.5:" % start, end < 1.5)
print("next word right:", hits > 0.8)
print("candidates are different words:", len(set(chosen.tolist())) == 20)
print("variables:", sorted(v.name for v in tf.trainable_variables()))
