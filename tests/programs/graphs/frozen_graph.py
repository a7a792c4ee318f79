"""Turns variables into constants, writes one file, and serves from it."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
rng = np.random.RandomState(20)

with tf.Graph().as_default() as graph:
    tf.set_random_seed(20)
    inputs = tf.placeholder(tf.float32, [None, 4], name="input")
    hidden = tf.layers.dense(inputs, 8, activation=tf.nn.relu, name="hidden")
    output = tf.nn.softmax(tf.layers.dense(hidden, 3, name="logits"), name="output")
    unused = tf.layers.dense(inputs, 50, name="unused")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sample = rng.normal(size=(2, 4))
        expected = sess.run(output, {inputs: sample})
        tf.train.write_graph(sess.graph_def, folder, "graph.pbtxt", as_text=True)
        frozen = tf.graph_util.convert_variables_to_constants(
            sess, graph.as_graph_def(), ["output"]
        )

kinds = {node.op for node in frozen.node}
print("no variables left:", not any("Variable" in kind or "VarHandle" in kind for kind in kinds))
print("unused is gone:", not any(node.name.startswith("unused") for node in frozen.node))
with tf.gfile.GFile(os.path.join(folder, "frozen.pb"), "wb") as file:
    file.write(frozen.SerializeToString())
print("first line:", open(os.path.join(folder, "graph.pbtxt")).readline().strip())


def load(path):
    with tf.gfile.FastGFile(path, "rb") as file:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="prefix")
    return graph


served = load(os.path.join(folder, "frozen.pb"))
with tf.Session(graph=served) as sess:
    answer = sess.run("prefix/output:0", {"prefix/input:0": sample})
print("same answers:", np.allclose(answer, expected), answer.shape)
print("trainable here:", len(served.get_collection("trainable_variables")))
print(
    "nodes:", [op.name for op in served.get_operations() if op.type in ("Placeholder", "Softmax")]
)

smaller = tf.graph_util.extract_sub_graph(frozen, ["hidden/Relu"])
print("sub-graph ends at:", smaller.node[-1].name, len(smaller.node) < len(frozen.node))
