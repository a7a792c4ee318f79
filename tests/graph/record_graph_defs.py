"""Writes graph_defs.json: graphs made by TensorFlow 1.15, and what they compute there.

Run with a Python that has TensorFlow 1.15: python tests/graph/record_graph_defs.py
"""

import base64
import json
import os

import tensorflow as tf

CASES = []


def case(name, build):
    tf.reset_default_graph()
    fetches, feeds = build()
    init = None
    if tf.global_variables():
        init = tf.global_variables_initializer()
    graph = tf.get_default_graph()
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        if init is not None:
            session.run(init)
        values = session.run(fetches, {key: value for key, (value, _) in feeds.items()})
    CASES.append(
        {
            "name": name,
            "graph_def": base64.b64encode(graph.as_graph_def().SerializeToString()).decode(),
            "fetches": [tensor.name for tensor in fetches],
            "feeds": {key: [value, dtype] for key, (value, dtype) in feeds.items()},
            "init": init.name if init is not None else None,
            "values": [value.tolist() for value in values],
        }
    )


def arithmetic():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.matmul(x, tf.constant([[1.0, 2.0], [3.0, 4.0]])) + 1.0
    return [y, tf.reduce_mean(tf.nn.relu(y - 5.0), 1), tf.argmax(y, 1)], {
        "x:0": ([[1.0, 2.0], [0.5, -1.0]], "float32")
    }


def convolution():
    x = tf.placeholder(tf.float32, [1, 6, 6, 1], name="x")
    w = tf.get_variable("w", initializer=[[[[0.5, -1.0]], [[1.0, 2.0]]]])
    h = tf.nn.max_pool(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    picture = [[[[float(i * j % 5)] for j in range(6)] for i in range(6)]]
    return [h, tf.nn.lrn(h), tf.reshape(h, [-1])], {"x:0": (picture, "float32")}


def training():
    x = tf.placeholder(tf.float32, [None, 1], name="x")
    w = tf.Variable([[2.0]], name="w")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    (gradient,) = tf.gradients(loss, [w])
    with tf.device("/gpu:0"):
        step = w.assign_sub(0.1 * gradient)
    return [loss, gradient, step], {"x:0": ([[1.0], [2.0]], "float32")}


def indexing():
    x = tf.placeholder(tf.int32, [3, 4], name="x")
    return [
        x[1:, ::2],
        tf.gather(x, [2, 0]),
        tf.one_hot(x[:, 0], 5),
        tf.transpose(x),
        tf.concat([x, x], 1),
        tf.stack(tf.unstack(x)),
        tf.pad(x, [[1, 0], [0, 2]]),
        tf.cast(x, tf.float32) / 2.0,
        tf.shape(x),
        tf.tile(x, [1, 2]),
        tf.where(x > 2, x, -x),
        tf.reduce_max(x, [0, 1]),
    ], {"x:0": ([[1, 2, 3, 4], [0, 1, 2, 3], [4, 3, 2, 1]], "int32")}


for build in (arithmetic, convolution, training, indexing):
    case(build.__name__, build)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "graph_defs.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(each, sort_keys=True) for each in CASES) + "\n]\n")
