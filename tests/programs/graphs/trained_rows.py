"""Optimizers on a table of which each step reads a few rows, and what they keep of it."""

import numpy as np
import tensorflow as tf

OPTIMIZERS = [
    tf.train.GradientDescentOptimizer(0.1),
    tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    tf.train.AdamOptimizer(0.1),
    tf.train.AdagradOptimizer(0.1),
    tf.train.AdadeltaOptimizer(0.1),
    tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    tf.train.RMSPropOptimizer(0.1, centered=True),
    tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.1),
    tf.train.ProximalAdagradOptimizer(0.1),
    tf.contrib.opt.AdamWOptimizer(0.01, 0.1),
    tf.contrib.opt.LazyAdamOptimizer(0.1),
    tf.contrib.opt.NadamOptimizer(0.1),
]

for number, optimizer in enumerate(OPTIMIZERS):
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.get_variable("table", [4, 2], initializer=tf.ones_initializer())
        bias = tf.get_variable("bias", initializer=[1.0, -2.0])
        rows = tf.placeholder(tf.int32, [None])
        looked_up = tf.nn.embedding_lookup(table, rows)
        loss = tf.reduce_sum(tf.square(looked_up)) + tf.reduce_sum(bias * bias + bias)
        # An optimizer made outside belongs to no graph; it gets its tensors here.
        step = optimizer.minimize(loss)
        sess.run(tf.global_variables_initializer())
        for fed in ([0, 2, 0], [1, 2], [0]):
            sess.run(step, {rows: fed})
        values = [
            np.round(value.astype(float), 3).tolist() for value in sess.run([table[:, 0], bias])
        ]
        print(type(optimizer).__name__, values, optimizer.get_slot_names())
