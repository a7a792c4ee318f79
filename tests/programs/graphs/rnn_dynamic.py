"""Tells rising sequences from random ones, each of its own length."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(11)
tf.set_random_seed(11)
LONGEST, BATCH, HIDDEN = 8, 64, 16


class ToySequences:
    """Sequences of numbers, padded with zeros; half of them rise evenly."""

    def __init__(self, count):
        self.data, self.labels, self.lengths = [], [], []
        for _ in range(count):
            length = rng.randint(4, LONGEST + 1)
            if rng.rand() < 0.5:
                values, label = rng.rand() * 0.3 + 0.08 * np.arange(length), [1.0, 0.0]
            else:
                values, label = rng.rand(length), [0.0, 1.0]
            self.data.append(np.pad(values, (0, LONGEST - length))[:, None])
            self.labels.append(label)
            self.lengths.append(length)
        self.position = 0

    def next(self, size):
        if self.position + size > len(self.data):
            self.position = 0
        chosen = slice(self.position, self.position + size)
        self.position += size
        return self.data[chosen], self.labels[chosen], self.lengths[chosen]


x = tf.placeholder("float", [None, LONGEST, 1])
y = tf.placeholder("float", [None, 2])
seqlen = tf.placeholder(tf.int32, [None])

cell = tf.nn.rnn_cell.GRUCell(HIDDEN)
outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, sequence_length=seqlen)
# Take the output at each sequence's own end.
index = tf.range(0, tf.shape(outputs)[0]) * LONGEST + (seqlen - 1)
last = tf.gather(tf.reshape(outputs, [-1, HIDDEN]), index)
logits = tf.layers.dense(last, 2)
cost = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=y))
train = tf.train.AdamOptimizer(0.02).minimize(cost)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1)), tf.float32))

training, testing = ToySequences(512), ToySequences(200)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(60):
        bx, by, bl = training.next(BATCH)
        sess.run(train, {x: bx, y: by, seqlen: bl})
    feed = {x: testing.data, y: testing.labels, seqlen: testing.lengths}
    print("Accuracy above 0.85:", sess.run(accuracy, feed) > 0.85)
    out, end, at_end = sess.run([outputs, state, last], feed)
short = int(np.argmin(testing.lengths))
print("outputs after the end are zero:", not out[short, testing.lengths[short] :].any())
print("the state is the last output:", np.allclose(end, at_end))
print("outputs", outputs.shape, "state", state.shape)
