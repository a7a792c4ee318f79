"""Every kind of summary, a traced run, and a graph with devices, for TensorBoard."""

import os
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
with tf.device("/cpu:0"):
    x = tf.placeholder(tf.float32, [4, 8, 8, 1], name="pictures")
    with tf.variable_scope("conv"):
        kernel = tf.get_variable("kernel", [3, 3, 1, 2], initializer=tf.ones_initializer())
        made = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"))
    tf.summary.image("input", x, max_outputs=2)
    tf.summary.histogram("activations", made)
    tf.summary.scalar("mean", tf.reduce_mean(made))
    tf.summary.audio("tone", tf.sin(tf.reshape(tf.range(0.0, 20.0), [1, 20])), 8000)
    tf.summary.text("notes", tf.constant(["# title", "text"]))
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter(folder, sess.graph)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    feeds = {x: np.arange(256.0).reshape(4, 8, 8, 1)}
    summary = sess.run(merged, feeds, options=options, run_metadata=metadata)
    writer.add_run_metadata(metadata, "traced", 1)
    writer.add_summary(summary, 1)
    writer.close()
(name,) = os.listdir(folder)
for event in tf.train.summary_iterator(os.path.join(folder, name)):
    kind = event.WhichOneof("what")
    if kind == "summary":
        for value in event.summary.value:
            print(event.step, value.tag, value.WhichOneof("value"))
    elif kind == "graph_def":
        graph = tf.GraphDef.FromString(event.graph_def)
        print(sorted({node.device for node in graph.node if node.op == "Conv2D"}))
    else:
        print(kind)
