"""Where the time of a step went: run metadata, a timeline for the browser, memory by device."""

import json
import os
import tempfile

import tensorflow as tf
from tensorflow.python.client import timeline

with tf.device("/cpu:0"):
    x = tf.random_normal([64, 64], name="noise")
with tf.device("/gpu:0"):
    y = tf.matmul(x, x, name="first")
with tf.device("/gpu:1"):
    z = tf.reduce_sum(tf.matmul(y, y, name="second"), name="sum")

config = tf.ConfigProto()
config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
with tf.Session(config=config) as sess:
    run_options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)
    run_metadata = tf.RunMetadata()
    sess.run(z, options=run_options, run_metadata=run_metadata)

where = {}
for stats in run_metadata.step_stats.dev_stats:
    for node in stats.node_stats:
        where.setdefault(node.node_name, set()).add(stats.device.split("/")[-1])
print("second ran on", sorted(d for d in where["second"] if d.startswith("device:GPU")))
print(
    "times are there:",
    all(n.all_end_rel_micros >= 0 for s in run_metadata.step_stats.dev_stats for n in s.node_stats),
)
print("partitions:", len(run_metadata.partition_graphs) >= 3)

trace = timeline.Timeline(step_stats=run_metadata.step_stats).generate_chrome_trace_format()
path = os.path.join(tempfile.mkdtemp(), "timeline.json")
with open(path, "w") as file:
    file.write(trace)
events = json.load(open(path))["traceEvents"]
print("events of kinds", sorted({event["ph"] for event in events} & {"M", "X"}))
print("matmuls in it:", sum(event.get("name") == "MatMul" for event in events) >= 2)

with tf.Session() as sess:
    plain = tf.RunMetadata()
    sess.run(z, run_metadata=plain)
    print("without a trace:", len(plain.step_stats.dev_stats))
