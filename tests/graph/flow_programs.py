"""Programs of loops and branches, written down by `as_graph_def`; the answers of TensorFlow 1.15
and 2.21 that loaded what was written are in flow_answers.json.

`python -m tests.graph.flow_programs write FILE` writes them; `python flow_programs.py read FILE`,
with a Python that has TensorFlow, runs them there and says what it computed.
"""

from __future__ import annotations

import base64
import json
import sys


def cond(tf):
    x, w = tf.placeholder(tf.float32, [], name="x"), tf.constant(2.0)
    y = tf.cond(x > 1.0, lambda: x * w, lambda: x - w)
    return [y, tf.gradients(y, x)[0]], {"x:0": 3.0}


def loop(tf):
    n, w = tf.placeholder(tf.int32, [], name="n"), tf.constant(2.0)
    i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * w + 1.0), [0, 1.0])
    return [i, y, tf.gradients(y, w)[0]], {"n:0": 4}


def limited(tf):
    x = tf.constant([1.0, 2.0])
    y = tf.while_loop(
        lambda y: tf.reduce_sum(y) < 1e6, lambda y: y * 2.0, [x], maximum_iterations=3
    )
    return [y], {}


def nested(tf):
    n = tf.placeholder(tf.int32, [], name="n")
    w = tf.get_variable("w", initializer=1.5, use_resource=True)

    def body(i, y):
        z = tf.cond(tf.equal(i % 2, 0), lambda: y * w, lambda: y + tf.cast(i, tf.float32))
        _, z = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * 1.1), [0, z])
        return i + 1, z

    _, y = tf.while_loop(lambda i, y: i < n, body, [0, 1.0])
    return [y, tf.gradients(y, w)[0]], {"n:0": 4}


def references(tf):
    p = tf.placeholder(tf.bool, [], name="p")
    v = tf.Variable(1.0, name="v", use_resource=False)
    y = tf.cond(p, lambda: tf.assign_add(v, 2.0), lambda: v - 1.0)
    return [y], {"p:0": True}


def arrays(tf):
    xs = tf.constant([1.0, 2.0, 3.0])
    y, s = tf.map_fn(lambda x: x * x, xs), tf.scan(lambda a, x: a + x, xs)
    return [y, s, tf.gradients(s, xs)[0]], {}


def switch(tf):
    k = tf.placeholder(tf.int32, [], name="k")
    return [tf.switch_case(k, [lambda: tf.constant(1.0), lambda: tf.constant(2.0)])], {"k:0": 1}


def gathering(tf):
    n = tf.placeholder(tf.int32, [], name="n")
    t = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    _, y = tf.while_loop(
        lambda i, y: i < n, lambda i, y: (i + 1, y + tf.reduce_sum(tf.gather(t, [i]))), [0, 0.0]
    )
    return [y, tf.convert_to_tensor(tf.gradients(y, t)[0])], {"n:0": 2}


PROGRAMS = {
    f.__name__: f for f in (cond, loop, limited, nested, references, arrays, switch, gathering)
}


def written(tf, build):
    """Return a program's graph as bytes, what to fetch and feed, and its initializer."""
    graph = tf.Graph()
    with graph.as_default():
        fetches, feeds = build(tf)
        init = tf.global_variables_initializer().name if tf.global_variables() else None
    return {
        "graph_def": graph.as_graph_def().SerializeToString(),
        "fetches": [tensor.name for tensor in fetches],
        "feeds": feeds,
        "init": init,
    }


def computed(tf, case):
    """Return what a graph read from bytes computes."""
    graph = tf.Graph()
    with graph.as_default():
        message = tf.GraphDef()
        message.ParseFromString(case["graph_def"])
        tf.import_graph_def(message, name="")
        with tf.Session() as session:
            if case["init"]:
                session.run(graph.get_operation_by_name(case["init"]))
            return [value.tolist() for value in session.run(case["fetches"], case["feeds"])]


if __name__ == "__main__":
    if sys.argv[1] == "write":
        import placewise.v1

        cases = {name: written(placewise.v1, build) for name, build in PROGRAMS.items()}
        for each in cases.values():
            each["graph_def"] = base64.b64encode(each["graph_def"]).decode()
        with open(sys.argv[2], "w") as file:
            json.dump(cases, file)
    else:
        import tensorflow

        tensorflow.compat.v1.disable_eager_execution()
        with open(sys.argv[2]) as file:
            cases = json.load(file)
        for each in cases.values():
            each["graph_def"] = base64.b64decode(each["graph_def"])
        answers = {name: computed(tensorflow.compat.v1, each) for name, each in cases.items()}
        sys.stdout.write(json.dumps(answers, indent=1, sort_keys=True) + "\n")
