"""An encoder and a decoder with attention, in Keras, with teacher forcing and greedy search."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(14)
rng = np.random.RandomState(14)
LENGTH, WORDS, UNITS = 4, 7, 24
START = 0


class Encoder(tf.keras.Model):
    """Words to a sequence of states."""

    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(WORDS, 8)
        self.gru = layers.GRU(UNITS, return_sequences=True, return_state=True)

    def call(self, x):
        return self.gru(self.embedding(x))


class Attention(layers.Layer):
    """Scores each state of the encoder for a query."""

    def __init__(self, units):
        super().__init__()
        self.W1, self.W2, self.V = layers.Dense(units), layers.Dense(units), layers.Dense(1)

    def call(self, query, values):
        score = self.V(tf.nn.tanh(self.W1(values) + self.W2(query[:, None])))
        weights = tf.nn.softmax(score, axis=1)
        return tf.reduce_sum(weights * values, axis=1), weights


class Decoder(tf.keras.Model):
    """One word further."""

    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(WORDS, 8)
        self.cell = layers.GRUCell(UNITS)
        self.attention = Attention(UNITS)
        self.out = layers.Dense(WORDS)

    def call(self, token, state, memory):
        context, weights = self.attention(state, memory)
        inputs = tf.concat([self.embedding(token), context], axis=1)
        output, state = self.cell(inputs, state)
        return self.out(output), state, weights


encoder, decoder = Encoder(), Decoder()
optimizer = tf.keras.optimizers.Adam(0.02)
loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")


@tf.function
def train_step(source, target):
    loss = 0.0
    with tf.GradientTape() as tape:
        memory, state = encoder(source)
        token = tf.fill([tf.shape(source)[0]], START)
        for t in range(LENGTH):
            logits, state, _ = decoder(token, state, memory)
            loss += tf.reduce_mean(loss_object(target[:, t], logits))
            token = target[:, t]
    variables = encoder.trainable_variables + decoder.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss / LENGTH


def batch(count=64):
    source = rng.randint(1, WORDS, (count, LENGTH)).astype("int32")
    return tf.constant(source), tf.constant(source[:, ::-1].copy())


@tf.function
def translate(source):
    memory, state = encoder(source)
    token = tf.fill([tf.shape(source)[0]], START)
    words, looked = [], []
    for _ in range(LENGTH):
        logits, state, weights = decoder(token, state, memory)
        token = tf.argmax(logits, axis=1, output_type=tf.int32)
        words.append(token)
        looked.append(weights[..., 0])
    return tf.stack(words, 1), tf.stack(looked, 1)


# The layers make their weights before the step is traced.
decoder(
    tf.zeros([1], tf.int32),
    encoder(tf.zeros([1, LENGTH], tf.int32))[1],
    encoder(tf.zeros([1, LENGTH], tf.int32))[0],
)
losses = [float(train_step(*batch())) for _ in range(80)]
print("loss fell:", losses[-1] < 0.5 * losses[0])
source, target = batch(100)
words, attention = translate(source)
print("words right above 0.5:", float(tf.reduce_mean(tf.cast(words == target, tf.float32))) > 0.5)
print("attention", attention.shape, np.allclose(tf.reduce_sum(attention, 2), 1, atol=1e-5))
