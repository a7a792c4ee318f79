"""Classifies each picture as its nearest known picture is (L1 distance)."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
centres = rng.uniform(0, 1, (5, 20)).astype("float32")


def points(count):
    which = rng.randint(0, 5, count)
    return centres[which] + rng.normal(0, 0.05, (count, 20)).astype("float32"), np.eye(5)[which]


Xtr, Ytr = points(200)
Xte, Yte = points(30)

xtr = tf.placeholder("float", [None, 20])
xte = tf.placeholder("float", [20])
distance = tf.reduce_sum(tf.abs(tf.add(xtr, tf.negative(xte))), reduction_indices=1)
nearest = tf.arg_min(distance, 0)
# The five nearest, for a vote.
_, best_five = tf.nn.top_k(-distance, k=5)

accuracy = votes_right = 0.0
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(len(Xte)):
        index, five = sess.run([nearest, best_five], feed_dict={xtr: Xtr, xte: Xte[i, :]})
        if i < 3:
            print("Test", i, "Prediction:", np.argmax(Ytr[index]), "True:", np.argmax(Yte[i]))
        if np.argmax(Ytr[index]) == np.argmax(Yte[i]):
            accuracy += 1.0 / len(Xte)
        if np.argmax(Ytr[five].sum(axis=0)) == np.argmax(Yte[i]):
            votes_right += 1.0 / len(Xte)
print("Done!")
print("Accuracy: %.2f" % accuracy, "by vote of five: %.2f" % votes_right)
