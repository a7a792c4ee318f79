"""Writes what TensorBoard reads: graphs, run metadata of a session, and a profile."""

import sys

import numpy as np

import placewise as tf

tf1 = tf.compat.v1
logdir = sys.argv[1]


@tf.function
def step(x, w):
    with tf.device("/gpu:0"):
        hidden = tf.nn.relu(x @ w, name="hidden")
    with tf.device("/gpu:1"):
        return tf.reduce_sum(hidden, name="total")


def trace_a_function():
    values = tf.ones([64, 64])
    with tf.summary.create_file_writer(f"{logdir}/tf2").as_default() as writer:
        tf.summary.trace_on(graph=True)
        step(values, values)
        tf.summary.trace_export("step", step=0)
        writer.flush()
    with tf.profiler.experimental.Profile(f"{logdir}/tf2"):
        for number in range(3):
            with tf.profiler.experimental.Trace("train", step_num=number):
                step(values, values)


def trace_a_session():
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        fed = tf1.placeholder(tf.float32, [8, 8], name="fed")
        with tf.device("/gpu:1"):
            product = tf.matmul(fed, fed, name="product")
        total = tf.reduce_sum(product, name="total")
        writer = tf1.summary.FileWriter(f"{logdir}/tf1", graph)
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        metadata = tf1.RunMetadata()
        session.run(total, {fed: np.ones([8, 8])}, options, metadata)
        writer.add_run_metadata(metadata, "step 1")
        writer.close()


trace_a_function()
trace_a_session()
