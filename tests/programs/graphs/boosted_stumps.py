"""AdaBoost with decision stumps: every threshold of every feature scored at once on a GPU."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)
SAMPLES, FEATURES, ROUNDS = 200, 4, 12
inputs = rng.uniform(-1, 1, (SAMPLES, FEATURES)).astype("float32")
truth = np.where(inputs[:, 0] + 0.8 * inputs[:, 2] > 0, 1.0, -1.0).astype("float32")

x = tf.constant(inputs)
y = tf.constant(truth)
weights = tf.Variable(tf.fill([SAMPLES], 1.0 / SAMPLES), trainable=False)
score = tf.Variable(tf.zeros([SAMPLES]), trainable=False)
cuts = tf.linspace(-0.9, 0.9, 19)

with tf.device("/gpu:0"):
    # votes[i, f, c]: what the stump (feature f, cut c) says of sample i.
    votes = tf.where(
        x[:, :, None] > cuts[None, None, :],
        tf.ones([SAMPLES, FEATURES, 19]),
        -tf.ones([SAMPLES, FEATURES, 19]),
    )
    wrong = tf.cast(tf.not_equal(votes, y[:, None, None]), tf.float32)
    errors = tf.reshape(tf.einsum("i,ifc->fc", weights, wrong), [-1])
    # A stump that is wrong more often than not is right when turned around.
    turned = tf.concat([errors, 1.0 - errors], 0)
    best = tf.cast(tf.argmin(turned), tf.int32)
    error = tf.gather(turned, best)
    sign = tf.where(best < FEATURES * 19, 1.0, -1.0)
    place = best % (FEATURES * 19)
    said = sign * tf.gather(tf.reshape(votes, [SAMPLES, -1]), place, axis=1)
    trust = 0.5 * tf.log((1 - error) / error)
    grown = weights * tf.exp(-trust * y * said)

step = tf.group(
    tf.assign_add(score, trust * said), tf.assign(weights, grown / tf.reduce_sum(grown))
)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.sign(score), y), tf.float32))

config = tf.ConfigProto(allow_soft_placement=True)
with tf.Session(config=config) as sess:
    sess.run(tf.global_variables_initializer())
    first = None
    for number in range(ROUNDS):
        rate, where = sess.run([error, place])
        sess.run(step)
        if first is None:
            first = sess.run(accuracy)
            print("first stump: feature %d, error %.3f" % (where // 19, rate))
    last = sess.run(accuracy)
    total = sess.run(tf.reduce_sum(weights))
print("one stump %.3f, %d stumps %.3f" % (first, ROUNDS, last))
print("better:", last > first, "above 0.93:", last > 0.93, "weights sum to %.3f" % total)
