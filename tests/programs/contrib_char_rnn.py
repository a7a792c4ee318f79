"""The next letter of a text, by LSTM cells unrolled step by step and the legacy sequence loss."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import legacy_seq2seq, rnn

tf.set_random_seed(1)
TEXT = "hello placewise " * 8
letters = sorted(set(TEXT))
codes = np.array([letters.index(c) for c in TEXT])
BATCH, STEPS, UNITS = 4, 5, 16
inputs = tf.placeholder(tf.int32, [BATCH, STEPS])
targets = tf.placeholder(tf.int32, [BATCH, STEPS])
cell = rnn.BasicLSTMCell(UNITS)
state = cell.zero_state(BATCH, tf.float32)
with tf.variable_scope("rnnlm"):
    softmax_w = tf.get_variable("softmax_w", [UNITS, len(letters)])
    softmax_b = tf.get_variable("softmax_b", [len(letters)])
    embedding = tf.get_variable("embedding", [len(letters), UNITS])
steps = [
    tf.squeeze(each, [1]) for each in tf.split(tf.nn.embedding_lookup(embedding, inputs), STEPS, 1)
]
outputs, last = legacy_seq2seq.rnn_decoder(steps, state, cell, scope="rnnlm")
output = tf.reshape(tf.concat(outputs, 1), [-1, UNITS])
logits = tf.matmul(output, softmax_w) + softmax_b
loss = legacy_seq2seq.sequence_loss_by_example(
    [logits], [tf.reshape(targets, [-1])], [tf.ones([BATCH * STEPS])]
)
cost = tf.reduce_sum(loss) / BATCH / STEPS
variables = tf.trainable_variables()
gradients, _ = tf.clip_by_global_norm(tf.gradients(cost, variables), 5.0)
train = tf.train.AdamOptimizer(0.05).apply_gradients(list(zip(gradients, variables, strict=True)))

drawn = np.random.RandomState(0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(25):
        starts = drawn.randint(len(codes) - STEPS - 1, size=BATCH)
        x = np.stack([codes[s : s + STEPS] for s in starts])
        y = np.stack([codes[s + 1 : s + STEPS + 1] for s in starts])
        value, _ = sess.run([cost, train], {inputs: x, targets: y})
print("cost below 2:", value < 2.0)
