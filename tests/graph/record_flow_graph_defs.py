"""Writes flow_graph_defs_*.json: loops, branches and calls as TensorFlow writes them down.

Run with TensorFlow 1.15 and with TensorFlow 2: python tests/graph/record_flow_graph_defs.py
TensorFlow 1's own nodes (Switch, Merge, Enter, …) come first, then functions of a library.
"""

import base64
import json
import os
import zlib

import numpy as np
import tensorflow

tf = tensorflow.compat.v1
IS_FIRST = tensorflow.__version__.startswith("1.")
CASES = []


def case(build, prefix=""):
    graph = tf.Graph()
    with graph.as_default():
        fetches, feeds = build()
        init = tf.global_variables_initializer() if tf.global_variables() else None
        with tf.Session() as session:
            if init is not None:
                session.run(init)
            values = session.run(fetches, feeds)
    message = zlib.compress(graph.as_graph_def().SerializeToString(), 9)
    CASES.append(
        {
            "name": prefix + build.__name__,
            "graph_def": base64.b64encode(message).decode(),
            "fetches": [tensor.name for tensor in fetches],
            "feeds": feeds,
            "init": None if init is None else init.name,
            "values": [value.tolist() for value in values],
        }
    )


def v1_cond():
    x = tf.placeholder(tf.float32, [], name="x")
    w = tf.constant(2.0)
    y = tf.cond(x > 1.0, lambda: x * w, lambda: x - w)
    return [y, *tf.gradients(y, [x, w])], {"x:0": 3.0}


def v1_cond_false():
    f, _d = v1_cond()
    return f, {"x:0": 0.5}


def v1_two_conds():
    x = tf.placeholder(tf.float32, [], name="x")
    p = x > 1.0
    a = tf.cond(p, lambda: x * 2.0, lambda: x + 1.0)
    b = tf.cond(p, lambda: a * a, lambda: tf.constant(7.0))
    c = tf.cond(tf.less(x, 5.0), lambda: tf.cond(p, lambda: b, lambda: b * x), lambda: a)
    return [a, b, c, *tf.gradients(c, x)], {"x:0": 3.0}


def v1_loop():
    n = tf.placeholder(tf.int32, [], name="n")
    i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 2.0 + 1.0), [0, 1.0])
    return [i, y], {"n:0": 4}


def v1_loop_gradient():
    w = tf.Variable(1.5, name="w")
    x = tf.placeholder(tf.float32, [], name="x")
    _i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y * w) + x), [0, x])
    return [y, *tf.gradients(y, [w, x])], {"x:0": 0.3}


def v1_shapes():
    _i, y = tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, tf.concat([y, [tf.cast(i, tf.float32)]], 0)),
        [0, tf.constant([1.0])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    return [y], {}


def v1_nested():
    n = tf.placeholder(tf.int32, [], name="n")

    def body(i, y):
        z = tf.cond(tf.equal(i % 2, 0), lambda: y * 2.0, lambda: y + tf.cast(i, tf.float32))
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * 1.1), [0, z])
        return i + 1, z

    _i, y = tf.while_loop(lambda i, y: i < n, body, [0, 1.0])
    z = tf.cond(
        y > 1.0, lambda: tf.while_loop(lambda a: a < 100.0, lambda a: a * 2.0, [y]), lambda: y
    )
    return [y, z], {"n:0": 4}


def v1_nested_gradient():
    w = tf.constant(1.2)

    def body(i, y):
        z = tf.cond(tf.equal(i % 2, 0), lambda: y * w, lambda: y + w)
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * w), [0, z])
        return i + 1, z

    _i, y = tf.while_loop(lambda i, y: i < 4, body, [0, 1.0])
    return [y, *tf.gradients(y, [w])], {}


def v1_assert():
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.control_dependencies([tf.Assert(tf.reduce_all(x > 0.0), [x])]):
        return [tf.sqrt(x)], {"x:0": [4.0, 9.0]}


def v1_map():
    xs = tf.constant([1.0, 2.0, 3.0])
    y = tf.map_fn(lambda x: x * x, xs)
    s = tf.scan(lambda a, x: a + x, xs)
    return [y, s, *tf.gradients(y, [xs])], {}


def v1_assign():
    v = tf.Variable(1.0, name="v")
    p = tf.placeholder(tf.bool, [], name="p")
    y = tf.cond(p, lambda: tf.assign_add(v, 2.0), lambda: tf.identity(v))
    return [y], {"p:0": True}


def v1_case():
    x = tf.placeholder(tf.int32, [], name="x")
    return [
        tf.case(
            [(x < 1, lambda: tf.constant(10)), (x < 3, lambda: tf.constant(20))],
            default=lambda: tf.constant(30),
        )
    ], {"x:0": 2}


def v1_rnn():
    x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
    with tf.variable_scope("r", initializer=tf.constant_initializer(0.1)):
        o, s = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.BasicLSTMCell(3), x, sequence_length=[3, 2], dtype=tf.float32
        )
    return [o, s.c, *tf.gradients(tf.reduce_sum(o), tf.trainable_variables())], {
        "x:0": np.linspace(-1, 1, 24).reshape(2, 3, 4).tolist()
    }


def cond():
    x = tf.placeholder(tf.float32, [], name="x")
    w = tf.constant(2.0)
    y = tf.cond(x > 1.0, lambda: x * w, lambda: x - w)
    return [y, *tf.gradients(y, [x, w])], {"x:0": 3.0}


def loop():
    w = tf.get_variable("w", initializer=1.5)
    x = tf.placeholder(tf.float32, [], name="x")
    _i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.tanh(y * w) + x), [0, x])
    return [y, *tf.gradients(y, [w, x])], {"x:0": 0.3}


def nested():
    n = tf.placeholder(tf.int32, [], name="n")

    def body(i, y):
        z = tf.cond(tf.equal(i % 2, 0), lambda: y * 2.0, lambda: y + tf.cast(i, tf.float32))
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * 1.1), [0, z])
        return i + 1, z

    _i, y = tf.while_loop(lambda i, y: i < n, body, [0, 1.0])
    return [y], {"n:0": 4}


def rows():
    xs = tf.constant([1.0, 2.0, 3.0])
    y = tf.map_fn(lambda x: x * x, xs)
    return [y, *tf.gradients(y, [xs])], {}


def call():
    v = tf.get_variable("v", initializer=2.0)

    @tensorflow.function
    def g(a):
        return a * v

    @tensorflow.function
    def f(a, b):
        v.assign_add(1.0)
        return g(a) + b, a - b

    x = tf.placeholder(tf.float32, [], name="x")
    y = f(x, tf.constant(1.0))
    return [y[0], y[1]], {"x:0": 3.0}


def switch():
    k = tf.placeholder(tf.int32, [], name="k")
    return [tf.switch_case(k, [lambda: tf.constant(1.0), lambda: tf.constant(2.0)])], {"k:0": 1}


if IS_FIRST:
    for each in (
        v1_cond,
        v1_cond_false,
        v1_two_conds,
        v1_loop,
        v1_loop_gradient,
        v1_shapes,
        v1_nested,
        v1_nested_gradient,
        v1_assert,
        v1_map,
        v1_assign,
        v1_case,
        v1_rnn,
    ):
        case(each)
tf.enable_control_flow_v2()
tf.enable_resource_variables()
for each in (cond, loop, nested, rows, call, switch):
    case(each, "v1_functional_" if IS_FIRST else "v2_")
name = "flow_graph_defs_1.json" if IS_FIRST else "flow_graph_defs_2.json"
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(each, sort_keys=True) for each in CASES) + "\n]\n")
