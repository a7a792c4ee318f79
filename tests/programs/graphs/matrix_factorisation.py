"""Recommends films: users and films as vectors, learnt from the ratings there are."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(26)
tf.set_random_seed(26)
USERS, FILMS, RANK = 30, 20, 3
taste, kind = rng.normal(size=(USERS, RANK)), rng.normal(size=(FILMS, RANK))
full = taste @ kind.T + 3
known = rng.rand(USERS, FILMS) < 0.6
users, films = np.nonzero(known)
ratings = full[users, films].astype("float32")

u = tf.placeholder(tf.int32, [None])
f = tf.placeholder(tf.int32, [None])
r = tf.placeholder(tf.float32, [None])
with tf.device("/cpu:0"):
    P = tf.get_variable("users", [USERS, 4], initializer=tf.random_normal_initializer(stddev=0.3))
    Q = tf.get_variable("films", [FILMS, 4], initializer=tf.random_normal_initializer(stddev=0.3))
    bu = tf.get_variable("user_bias", [USERS], initializer=tf.zeros_initializer())
    bf = tf.get_variable("film_bias", [FILMS], initializer=tf.zeros_initializer())
    mean = tf.Variable(ratings.mean(), trainable=False)
    pu, qf = tf.nn.embedding_lookup(P, u), tf.nn.embedding_lookup(Q, f)
    predicted = mean + tf.gather(bu, u) + tf.gather(bf, f) + tf.reduce_sum(pu * qf, 1)
    error = tf.reduce_mean(tf.square(predicted - r))
    loss = error + 0.002 * (tf.nn.l2_loss(pu) + tf.nn.l2_loss(qf)) / tf.cast(tf.size(u), tf.float32)
    optimizer = tf.train.AdamOptimizer(0.05)
    gradients = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(gradients)
print("sparse gradients:", [isinstance(g, tf.IndexedSlices) for g, _ in gradients])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    start = sess.run(error, {u: users, f: films, r: ratings})
    for _ in range(100):
        chosen = rng.randint(0, len(users), 128)
        sess.run(train, {u: users[chosen], f: films[chosen], r: ratings[chosen]})
    end = sess.run(error, {u: users, f: films, r: ratings})
    hidden = np.nonzero(~known)
    guess = sess.run(predicted, {u: hidden[0], f: hidden[1]})
    whole = sess.run(tf.matmul(P, Q, transpose_b=True))
print("error fell:", end < 0.3 * start, "matrix", whole.shape)
print("guesses what it has not seen:", np.corrcoef(guess, full[hidden])[0, 1] > 0.5)
