"""Sequences copied backwards: an encoder, attention, a decoder trained and then run greedily."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn, seq2seq

tf.set_random_seed(0)
VOCABULARY, LENGTH, BATCH, UNITS = 6, 3, 16, 16
GO, END = 0, 1
source = tf.placeholder(tf.int32, [BATCH, LENGTH])
target = tf.placeholder(tf.int32, [BATCH, LENGTH + 1])
lengths = tf.fill([BATCH], LENGTH)

embedding = tf.get_variable("embedding", [VOCABULARY, 12])
cell = rnn.DropoutWrapper(rnn.GRUCell(UNITS), input_keep_prob=1.0)
memory, state = tf.nn.dynamic_rnn(
    cell, tf.nn.embedding_lookup(embedding, source), lengths, dtype=tf.float32
)
attention = seq2seq.LuongAttention(UNITS, memory, memory_sequence_length=lengths)
decoder_cell = seq2seq.AttentionWrapper(rnn.GRUCell(UNITS), attention, attention_layer_size=UNITS)
start = decoder_cell.zero_state(BATCH, tf.float32).clone(cell_state=state)
output_layer = tf.layers.Dense(VOCABULARY, use_bias=False, name="output")

shifted = tf.concat([tf.fill([BATCH, 1], GO), target[:, :-1]], 1)
helper = seq2seq.TrainingHelper(
    tf.nn.embedding_lookup(embedding, shifted), tf.fill([BATCH], LENGTH + 1)
)
decoder = seq2seq.BasicDecoder(decoder_cell, helper, start, output_layer)
outputs, _, _ = seq2seq.dynamic_decode(decoder)
loss = seq2seq.sequence_loss(outputs.rnn_output, target, tf.ones([BATCH, LENGTH + 1]))
train = tf.train.AdamOptimizer(0.03).minimize(loss)

greedy = seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([BATCH], GO), END)
with tf.variable_scope("", reuse=True):
    answering = seq2seq.BasicDecoder(decoder_cell, greedy, start, output_layer)
    answers, _, _ = seq2seq.dynamic_decode(
        answering, maximum_iterations=LENGTH + 2, scope="decoder"
    )

drawn = np.random.RandomState(1)


def batch():
    given = drawn.randint(2, VOCABULARY, [BATCH, LENGTH])
    return given, np.concatenate([given[:, ::-1], np.full([BATCH, 1], END)], 1)


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = None
    for _ in range(40):
        given, wanted = batch()
        value, _ = sess.run([loss, train], {source: given, target: wanted})
        first = value if first is None else first
    given, wanted = batch()
    found = sess.run(answers.sample_id, {source: given})
    right = np.mean(found[:, :LENGTH] == wanted[:, :LENGTH])
print("loss went down:", value < first * 0.8)
print("better than chance:", right > 0.3)
