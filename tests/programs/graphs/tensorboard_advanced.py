"""Histograms of variables and gradients, pictures, text and a layout by device."""

import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(18)
tf.set_random_seed(18)
folder = tempfile.mkdtemp()


def layer(inputs, size, name, activation=tf.nn.relu):
    with tf.name_scope(name):
        weights = tf.Variable(
            tf.truncated_normal([int(inputs.shape[1]), size], stddev=0.3), name="W"
        )
        biases = tf.Variable(tf.zeros([size]), name="B")
        out = activation(tf.matmul(inputs, weights) + biases)
        tf.summary.histogram("activations", out)
        return out


x = tf.placeholder(tf.float32, [None, 16], name="x")
t = tf.placeholder(tf.float32, [None, 1], name="t")
with tf.device("/gpu:0"):
    out = layer(layer(x, 8, "hidden"), 1, "out", tf.identity)
    loss = tf.losses.mean_squared_error(t, out)
optimizer = tf.train.GradientDescentOptimizer(0.1)
grads = optimizer.compute_gradients(loss)
train = optimizer.apply_gradients(grads)

tf.summary.scalar("loss", loss)
tf.summary.image("inputs", tf.reshape(x, [-1, 4, 4, 1]), max_outputs=2)
for variable in tf.trainable_variables():
    tf.summary.histogram(variable.name.replace(":", "_"), variable)
for gradient, variable in grads:
    tf.summary.histogram(variable.name.replace(":", "_") + "/gradient", gradient)
tf.summary.text("note", tf.constant("a short run"))
merged = tf.summary.merge_all()

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(tf.global_variables_initializer())
    train_writer = tf.summary.FileWriter(os.path.join(folder, "train"), sess.graph)
    test_writer = tf.summary.FileWriter(os.path.join(folder, "test"))
    for step in range(5):
        data = rng.uniform(size=(20, 16))
        feed = {x: data, t: data.mean(axis=1, keepdims=True)}
        summary, _ = sess.run([merged, train], feed)
        train_writer.add_summary(summary, step)
        own = tf.Summary(value=[tf.Summary.Value(tag="own", simple_value=step * 0.5)])
        test_writer.add_summary(own, step)
    train_writer.close()
    test_writer.close()

found = {}
for run in ("train", "test"):
    (name,) = os.listdir(os.path.join(folder, run))
    for event in tf.train.summary_iterator(os.path.join(folder, run, name)):
        for value in event.summary.value:
            kind = value.WhichOneof("value")
            found.setdefault((run, kind), []).append(value)
        if event.HasField("graph_def"):
            graph = tf.GraphDef.FromString(event.graph_def)
            on_gpu = sorted(n.name for n in graph.node if "GPU:0" in n.device.upper())
for key in sorted(found):
    print(key, len(found[key]), sorted({value.tag for value in found[key]})[:2])
histogram = found[("train", "histo")][0].histo
print(
    "histogram of",
    int(histogram.num),
    "values, limits rise:",
    list(histogram.bucket_limit) == sorted(histogram.bucket_limit),
)
image = found[("train", "image")][0].image
print("image", image.height, image.width, image.colorspace, image.encoded_image_string[1:4])
print("devices in the graph:", "hidden/MatMul" in on_gpu, file=sys.stdout)
