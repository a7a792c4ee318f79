"""Seeds at every level, generators that are objects, and numbers that depend on keys alone."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(5)
first = tf.random.uniform([3])
second = tf.random.uniform([3])
tf.random.set_seed(5)
print(
    "again:",
    bool(tf.reduce_all(first == tf.random.uniform([3]))),
    bool(tf.reduce_all(second == tf.random.uniform([3]))),
)
print("uniform", np.round(first.numpy(), 4).tolist())
tf.random.set_seed(5)
print("with an op seed", np.round(tf.random.normal([2], seed=1).numpy(), 4).tolist())

generator = tf.random.Generator.from_seed(123)
print(
    "generator",
    np.round(generator.normal([2]).numpy(), 4).tolist(),
    generator.uniform([], 0, 10, tf.int32).numpy(),
)
copies = generator.split(2)
print("split differ:", bool(tf.reduce_any(copies[0].normal([3]) != copies[1].normal([3]))))
state = generator.state.numpy().copy()
a = generator.normal([2])
generator.reset(state)
print("put back:", bool(tf.reduce_all(a == generator.normal([2]))), generator.algorithm)

print("stateless", np.round(tf.random.stateless_uniform([2], seed=(1, 2)).numpy(), 4).tolist())
print(
    tf.random.stateless_uniform([4], seed=(3, 4), minval=0, maxval=100, dtype=tf.int32)
    .numpy()
    .tolist()
)
print(np.round(tf.random.stateless_normal([2], seed=(1, 2)).numpy(), 4).tolist())
key = tf.random.experimental.stateless_fold_in((1, 2), 7)
print("folded", np.asarray(key).shape)

tf.random.set_seed(1)
big = tf.random.normal([20000], mean=2.0, stddev=3.0)
print("moments %.1f %.1f" % (tf.reduce_mean(big), tf.math.reduce_std(big)))
truncated = tf.random.truncated_normal([5000])
print("truncated within two:", float(tf.reduce_max(tf.abs(truncated))) <= 2.0)
counts = tf.math.bincount(
    tf.cast(tf.random.categorical(tf.math.log([[0.2, 0.8]]), 4000)[0], tf.int32)
)
print("categorical", (counts.numpy() / 4000).round(1).tolist())
print(
    "gamma %.1f poisson %.1f"
    % (tf.reduce_mean(tf.random.gamma([8000], 2.0)), tf.reduce_mean(tf.random.poisson([8000], 3.0)))
)
shuffled = tf.random.shuffle(tf.range(10))
print("shuffled:", sorted(shuffled.numpy().tolist()) == list(range(10)))


@tf.function
def noisy(x):
    return x + tf.random.normal([2])


print("each call new:", bool(tf.reduce_any(noisy(0.0) != noisy(0.0))))
