"""One transformer block with positions and a causal mask learns to copy what came first."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

tf.keras.utils.set_random_seed(7)
rng = np.random.RandomState(7)
LENGTH, WORDS, WIDTH = 6, 8, 16


def positions(length, depth):
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(depth // 2)[None] / (depth / 2))
    return tf.cast(np.concatenate([np.sin(angles), np.cos(angles)], axis=-1), tf.float32)


def scaled_dot_product(q, k, v, mask=None):
    logits = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(tf.shape(k)[-1], tf.float32))
    if mask is not None:
        logits += (1.0 - mask) * -1e9
    weights = tf.nn.softmax(logits, axis=-1)
    return tf.matmul(weights, v), weights


class Block(layers.Layer):
    """Attention, then a network for each place, each with a way around."""

    def __init__(self, width, heads, wide):
        super().__init__()
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.network = tf.keras.Sequential(
            [layers.Dense(wide, activation="gelu"), layers.Dense(width)]
        )
        self.norms = [layers.LayerNormalization(epsilon=1e-6) for _ in range(2)]
        self.dropout = layers.Dropout(0.05)

    def call(self, x, training=False):
        attended = self.attention(x, x, use_causal_mask=True)
        x = self.norms[0](x + self.dropout(attended, training=training))
        return self.norms[1](x + self.network(x))


class Model(tf.keras.Model):
    """Words in, the next word at each place out."""

    def __init__(self):
        super().__init__()
        self.embed = layers.Embedding(WORDS, WIDTH)
        self.block = Block(WIDTH, 2, 32)
        self.out = layers.Dense(WORDS)

    def call(self, x, training=False):
        x = self.embed(x) * WIDTH**0.5 + positions(LENGTH, WIDTH)[None]
        return self.out(self.block(x, training=training))


x = rng.randint(0, WORDS, (256, LENGTH))
y = np.repeat(x[:, :1], LENGTH, axis=1)
model = Model()
model.compile(
    tf.keras.optimizers.Adam(0.01),
    tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(x, y, epochs=6, batch_size=32, verbose=0)
print("accuracy above 0.9:", history.history["accuracy"][-1] > 0.9)
changed = x[:1].copy()
changed[0, -1] = (changed[0, -1] + 1) % WORDS
first, second = model(x[:1]), model(changed)
print("the past does not see the future:", np.allclose(first[:, :-1], second[:, :-1], atol=1e-5))
_, scores = model.block.attention(
    tf.ones([1, 4, WIDTH]), tf.ones([1, 4, WIDTH]), return_attention_scores=True
)
print("scores", scores.shape)
out, weights = scaled_dot_product(
    tf.ones([1, 3, 4]),
    tf.ones([1, 3, 4]),
    tf.eye(3)[None],
    tf.linalg.band_part(tf.ones([3, 3]), -1, 0),
)
print("by hand", np.round(weights[0].numpy(), 2).tolist()[1], out.shape)
