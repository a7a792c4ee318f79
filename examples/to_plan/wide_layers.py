"""Train layers that are too large for one small GPU, without a word about devices.

`placewise run --simulate 4xK20m --place auto wide_layers.py` spreads them over four.
"""

import sys

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
width = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
x = tf.placeholder(tf.float32, [None, 256])
hidden = x
for layer in range(22):
    size = int(hidden.shape[1])
    weights = tf.get_variable(f"weights{layer}", [size, width])
    hidden = tf.nn.relu(tf.matmul(hidden, weights))
loss = tf.reduce_mean(tf.square(hidden))
train = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        print(session.run([train, loss], {x: [[1.0] * 256] * 64})[1] >= 0)
