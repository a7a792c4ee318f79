"""Two stacked cells learn a rhyme letter by letter, then write on their own."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(14)
TEXT = "one two three four five; " * 12
letters = sorted(set(TEXT))
number = {letter: i for i, letter in enumerate(letters)}
data = np.array([number[letter] for letter in TEXT])
VOCABULARY, BATCH, STEPS, UNITS = len(letters), 5, 10, 24

inputs = tf.placeholder(tf.int32, [None, None], name="inputs")
targets = tf.placeholder(tf.int32, [None, None], name="targets")
keep = tf.placeholder_with_default(1.0, [], name="keep")


def make_cell():
    cell = tf.contrib.rnn.GRUCell(UNITS)
    return tf.contrib.rnn.DropoutWrapper(cell, output_keep_prob=keep)


cell = tf.contrib.rnn.MultiRNNCell([make_cell() for _ in range(2)])
batch_size = tf.shape(inputs)[0]
initial_state = cell.zero_state(batch_size, tf.float32)
x_onehot = tf.one_hot(inputs, VOCABULARY)
outputs, final_state = tf.nn.dynamic_rnn(cell, x_onehot, initial_state=initial_state)
logits = tf.layers.dense(tf.reshape(outputs, [-1, UNITS]), VOCABULARY)
probabilities = tf.nn.softmax(logits)
loss = tf.contrib.legacy_seq2seq.sequence_loss_by_example(
    [logits], [tf.reshape(targets, [-1])], [tf.ones_like(tf.reshape(targets, [-1]), tf.float32)]
)
cost = tf.reduce_mean(loss)
trained = tf.trainable_variables()
grads, _ = tf.clip_by_global_norm(tf.gradients(cost, trained), 5.0)
train_op = tf.train.AdamOptimizer(0.02).apply_gradients(zip(grads, trained))

rows = data[: len(data) // BATCH * BATCH].reshape(BATCH, -1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(14):
        state = sess.run(initial_state, {inputs: rows[:, :1]})
        for start in range(0, rows.shape[1] - STEPS, STEPS):
            feed = {
                inputs: rows[:, start : start + STEPS],
                targets: rows[:, start + 1 : start + STEPS + 1],
                keep: 0.95,
            }
            for i, part in enumerate(initial_state):
                feed[part] = state[i]
            value, state, _ = sess.run([cost, final_state, train_op], feed)
        if epoch == 0:
            first = value
    print("cost fell:", value < 0.5 * first, "states:", len(state))

    written, state = "o", sess.run(initial_state, {inputs: [[0]]})
    for _ in range(24):
        feed = {inputs: [[number[written[-1]]]]}
        feed.update(zip(initial_state, state))
        chances, state = sess.run([probabilities, final_state], feed)
        written += letters[int(np.argmax(chances[0]))]
print("writes the rhyme:", "two three four five" in written)
