"""Sonnet 2: a network and its optimizer, trained in a function, saved and restored."""

import os
import tempfile

import numpy as np
import sonnet as snt
import tensorflow as tf

x = np.random.default_rng(0).normal(size=(32, 4)).astype("float32")
y = x.sum(axis=1, keepdims=True)
net = snt.nets.MLP([8, 1], w_init=snt.initializers.Constant(0.1))
optimizer = snt.optimizers.Adam(0.05)


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((net(tf.constant(x)) - y) ** 2)
    variables = net.trainable_variables
    optimizer.apply(tape.gradient(loss, variables), variables)
    return loss


losses = [float(step()) for _ in range(5)]
print("losses", np.round(losses, 4).tolist())
with tempfile.TemporaryDirectory() as folder:
    saved = tf.train.Checkpoint(net=net).save(os.path.join(folder, "net"))
    other = snt.nets.MLP([8, 1])
    other(tf.constant(x))
    tf.train.Checkpoint(net=other).restore(saved).assert_consumed()
    np.testing.assert_allclose(other(tf.constant(x)), net(tf.constant(x)), rtol=1e-5)
conv = snt.Sequential([snt.Conv2D(4, 3), tf.nn.relu, snt.Flatten(), snt.Linear(2)])
print("conv", conv(tf.ones([2, 6, 6, 1])).shape)
core = snt.LSTM(3)
outputs, _ = snt.dynamic_unroll(core, tf.ones([5, 2, 4]), core.initial_state(2))
print("lstm", outputs.shape, [v.name for v in core.trainable_variables])
norm = snt.BatchNorm(True, True)
print("norm", np.round(norm(tf.constant(x), is_training=True).numpy().std(), 3))
