"""Marks, for each number of a sequence, whether a larger one came before or comes after."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(12)
tf.set_random_seed(12)
LENGTH, BATCH, HIDDEN = 6, 64, 20


def batch():
    values = rng.uniform(0, 1, (BATCH, LENGTH))
    largest = (values == values.max(axis=1, keepdims=True)).astype("int32")
    return values[..., None], largest


def model(x, bidirectional):
    with tf.variable_scope("both" if bidirectional else "one"):
        if not bidirectional:
            out, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(HIDDEN), x, dtype=tf.float32)
        else:
            cells = [tf.nn.rnn_cell.LSTMCell(HIDDEN, state_is_tuple=True) for _ in range(2)]
            (forward, backward), states = tf.nn.bidirectional_dynamic_rnn(
                cells[0], cells[1], x, dtype=tf.float32
            )
            print("states:", len(states), states[0].h.shape)
            out = tf.concat([forward, backward], axis=2)
        return tf.layers.dense(out, 2)


x = tf.placeholder(tf.float32, [None, LENGTH, 1])
y = tf.placeholder(tf.int32, [None, LENGTH])
measures, steps = [], []
for both in (False, True):
    logits = model(x, both)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    steps.append(tf.train.AdamOptimizer(0.03).minimize(loss))
    right = tf.equal(tf.argmax(logits, 2, output_type=tf.int32), y)
    measures.append(tf.reduce_mean(tf.cast(tf.reduce_all(right, axis=1), tf.float32)))

# The unrolled form of the same thing, on lists.
pieces = tf.unstack(x, axis=1)
outs, fw, bw = tf.nn.static_bidirectional_rnn(
    tf.nn.rnn_cell.BasicRNNCell(3), tf.nn.rnn_cell.BasicRNNCell(3), pieces, dtype=tf.float32
)
print("unrolled:", len(outs), outs[0].shape, fw.shape)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(100):
        bx, by = batch()
        sess.run(steps, {x: bx, y: by})
    bx, by = batch()
    one, both = sess.run(measures, {x: bx, y: by})
print("looking both ways helps:", both > one)
print("sequences all right: above 0.6:", both > 0.6)
