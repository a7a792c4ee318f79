"""Named scopes, a scalar of each step and the graph, written for TensorBoard and read back."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(17)
logs = os.path.join(tempfile.mkdtemp(), "example")

x = tf.placeholder(tf.float32, [None, 6], name="InputData")
y = tf.placeholder(tf.float32, [None, 2], name="LabelData")
W = tf.Variable(tf.zeros([6, 2]), name="Weights")
b = tf.Variable(tf.zeros([2]), name="Bias")

with tf.name_scope("Model"):
    pred = tf.nn.softmax(tf.matmul(x, W) + b)
with tf.name_scope("Loss"):
    cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
with tf.name_scope("SGD"):
    optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(cost)
with tf.name_scope("Accuracy"):
    acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1)), tf.float32))

tf.summary.scalar("cost", cost)
tf.summary.scalar("share right", acc)
merged = tf.summary.merge_all()

features = rng.normal(size=(128, 6))
labels = np.eye(2)[(features[:, 0] > features[:, 1]).astype(int)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter(logs, graph=tf.get_default_graph())
    for step in range(8):
        _, summary = sess.run([optimizer, merged], {x: features, y: labels})
        writer.add_summary(summary, step)
    writer.close()

(file,) = glob.glob(os.path.join(logs, "events.out.tfevents.*"))
values, nodes, version = {}, [], None
for event in tf.train.summary_iterator(file):
    if event.HasField("file_version"):
        version = event.file_version
    if event.HasField("graph_def"):
        nodes = [node.name for node in tf.GraphDef.FromString(event.graph_def).node]
    for value in event.summary.value:
        values.setdefault(value.tag, []).append((event.step, value.simple_value))
print(version, sorted(values))
print("steps", [step for step, _ in values["cost"]])
print(
    "first loss %.4f" % values["cost"][0][1], "fell:", values["cost"][-1][1] < values["cost"][0][1]
)
print("accuracy above 0.9:", values["share_right"][-1][1] > 0.9)
print([name for name in ("InputData", "Model/MatMul", "Loss/Log", "SGD") if name in nodes])
