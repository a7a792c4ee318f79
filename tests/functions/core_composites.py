"""Composite values, odd results, modes, leaks, and graphs of TensorFlow 1."""

# ruff: noqa - cases are written as programs are

import copy
import pickle
import threading

import numpy as np
from core_cases import Cases, attempt

case = Cases()


@case
def ragged_in_and_out(tf):
    f = tf.function(lambda r: r * 2)
    a = f(tf.ragged.constant([[1], [2, 3]]))
    b = f(tf.ragged.constant([[1, 5], [], [6]]))
    return [a, b, f.experimental_get_tracing_count()]


@case
def sparse_in_and_out(tf):
    f = tf.function(lambda s: tf.sparse.map_values(tf.add, s, 1))
    s = tf.sparse.SparseTensor([[0, 0], [1, 2]], [1, 2], [3, 4])
    return [
        f(s),
        f.experimental_get_tracing_count(),
        f(tf.sparse.SparseTensor([[0, 0]], [7], [3, 4])),
        f.experimental_get_tracing_count(),
    ]


@case
def indexed_slices_in_and_out(tf):
    f = tf.function(lambda s: tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape))
    return f(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]), tf.constant([3, 1])))


@case
def results_of_every_kind(tf):
    @tf.function
    def f(x):
        return {
            "a": [x, None, (x + 1,)],
            "b": 3,
            "c": 2.5,
            "d": np.float32(4),
            "e": True,
            "f": "text",
            "g": [],
        }

    return f(tf.constant(1))


@case
def result_is_an_argument(tf):
    x = tf.constant([1.0])
    y = tf.function(lambda t: t)(x)
    return [y, y is x]


@case
def result_is_a_variable(tf):
    v = tf.Variable(3.0)
    found = tf.function(lambda: v)()
    return [found, isinstance(found, tf.Variable), tf.is_tensor(found)]


@case
def result_is_a_captured_tensor(tf):
    held = tf.constant([1.0, 2.0])
    return tf.function(lambda: held)()


@case
def same_result_twice(tf):
    @tf.function
    def f(x):
        y = x + 1
        return y, y, [y]

    return f(tf.constant(1))


@case
def result_not_a_tensor(tf):
    class Thing:
        pass

    return [
        attempt(tf.function(lambda: Thing()))["error"],
        attempt(tf.function(lambda: {1}))["error"],
    ]


@case
def result_is_an_operation(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        return tf.group(v.assign_add(1.0))

    return [f(), v.numpy()]


@case
def named_tuple_result(tf):
    import collections

    Point = collections.namedtuple("Point", "x y")
    found = tf.function(lambda a: Point(a, a + 1))(tf.constant(1))
    return [type(found).__name__, found.x, found.y]


@case
def dict_subclass_results(tf):
    import collections

    found = tf.function(lambda a: collections.OrderedDict([("z", a), ("a", a + 1)]))(tf.constant(1))
    return [type(found).__name__, list(found), list(found.values())]


@case
def very_large_output(tf):
    found = tf.function(lambda: tf.ones([1000, 1000]) * 2.0)()
    return [found.shape.as_list(), tf.reduce_sum(found)]


@case
def many_outputs(tf):
    found = tf.function(lambda x: [x + k for k in range(300)])(tf.constant(0))
    return [len(found), found[299]]


@case
def leaked_tensor_used_eagerly(tf):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    f(tf.constant(1))
    return [
        attempt(lambda: leaked[0] + 1)["error"],
        attempt(lambda: leaked[0].numpy()),
        attempt(lambda: bool(leaked[0]))["error"],
        attempt(lambda: int(leaked[0]))["error"],
    ]


@case
def leaked_tensor_used_in_another(tf):
    leaked = []

    @tf.function
    def f(x):
        leaked.append(x + 1)
        return x

    @tf.function
    def g(x):
        return x + leaked[0]

    f(tf.constant(1))
    found = attempt(g, tf.constant(1))
    return [found["error"], found["text"][-330:][:150]]


@case
def leaked_out_of_a_loop(tf):
    @tf.function
    def f(n):
        kept = []
        for k in tf.range(n):
            kept.append(k)
        return kept[0]

    found = attempt(f, tf.constant(3))
    return found["error"]


@case
def symbolic_tensors_refuse_python(tf):
    found = []

    @tf.function(autograph=False)
    def f(x):
        for use in (
            bool,
            int,
            float,
            len,
            list,
            np.array,
            lambda t: t.numpy(),
            lambda t: [t][0].item(),
            lambda t: hash(t),
            lambda t: range(t),
        ):
            found.append(attempt(use, x))
        return x

    f(tf.constant([1, 2]))
    return [each["error"] if isinstance(each, dict) else "fine" for each in found]


@case
def run_eagerly(tf):
    seen = []

    @tf.function
    def f(x):
        seen.append(tf.executing_eagerly())
        return x + 1

    tf.config.run_functions_eagerly(True)
    try:
        flags = tf.config.functions_run_eagerly()
        found = [f(tf.constant(1)), f(tf.constant(1))]
    finally:
        tf.config.run_functions_eagerly(False)
    return [
        found,
        flags,
        seen,
        f(tf.constant(2)),
        seen,
        f.experimental_get_tracing_count(),
        tf.config.functions_run_eagerly(),
    ]


@case
def run_eagerly_with_signature(tf):
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.config.run_functions_eagerly(True)
    try:
        return attempt(f, tf.constant(2.0))
    finally:
        tf.config.run_functions_eagerly(False)


@case
def global_jit_setting(tf):
    before = tf.config.optimizer.get_jit()
    tf.config.optimizer.set_jit(False)
    return [before, tf.config.optimizer.get_jit()]


@case
def inside_executing(tf):
    seen = []

    @tf.function
    def f():
        seen.append([tf.executing_eagerly(), tf.inside_function()])
        return tf.constant(1)

    f()
    return [seen, tf.executing_eagerly(), tf.inside_function()]


@case
def recursion_in_python(tf):
    @tf.function
    def f(x, n):
        return x if n == 0 else f(x + 1, n - 1)

    return [f(tf.constant(0), 5), f.experimental_get_tracing_count()]


@case
def nested_functions_trace_once(tf):
    traces = []

    @tf.function
    def inner(x):
        traces.append("inner")
        return x + 1

    @tf.function
    def outer(x):
        traces.append("outer")
        return inner(inner(x))

    return [outer(tf.constant(1)), outer(tf.constant(2)), inner(tf.constant(5)), traces]


@case
def function_defined_inside(tf):
    @tf.function
    def outer(x):
        @tf.function
        def inner(y):
            return y * x

        return inner(x) + inner(x + 1)

    return [outer(tf.constant(2)), outer(tf.constant(3))]


@case
def closure_over_loop_value(tf):
    fs = []
    for k in range(3):

        @tf.function
        def f(x, k=k):
            return x * k

        fs.append(f)
    return [f(tf.constant(5)) for f in fs]


@case
def in_a_graph_with_session(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        f = tf.function(lambda x: x * 2 + 1)
        y = f(tf.constant(3))
        p = v1.placeholder(tf.int32, [])
        z = f(p)
        with v1.Session() as session:
            return [session.run(y).item(), session.run(z, {p: 10}).item()]


@case
def in_a_graph_with_variables(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = tf.Variable(2.0)

        @tf.function
        def f(x):
            v.assign_add(x)
            return v.read_value()

        y = f(tf.constant(3.0))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            return [session.run(y).item(), session.run(y).item()]


@case
def gradients_in_a_graph(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        f = tf.function(lambda x: tf.sin(x) * x)
        x = tf.constant(2.0)
        y = f(x)
        g = tf.gradients(y, x)[0]
        gg = tf.gradients(g, x)[0]
        with v1.Session() as session:
            return [session.run(g).item(), session.run(gg).item()]


@case
def functions_in_threads(tf):
    traces = []

    @tf.function
    def f(x):
        traces.append(1)
        return tf.reduce_sum(x * 2.0)

    found = [None] * 8

    def work(k):
        for _ in range(20):
            found[k] = f(tf.fill([3], float(k))).numpy().item()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return [found, len(traces)]


@case
def errors_leave_everything_usable(tf):
    @tf.function
    def bad(x):
        with tf.name_scope("s"), tf.device("/cpu:0"), tf.GradientTape() as tape:
            tape.watch(x)
            with tf.control_dependencies([x]):
                raise RuntimeError("stop")

    found = attempt(bad, tf.constant(1.0))
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * 2.0
    return [
        found["error"],
        tf.executing_eagerly(),
        tf.constant(1).numpy().item(),
        tape.gradient(y, v),
        tf.function(lambda x: x + 1)(1),
    ]


@case
def errors_in_nested_leave_everything_usable(tf):
    @tf.function
    def inner(x):
        raise KeyError("inner")

    @tf.function
    def outer(x):
        try:
            inner(x)
        except KeyError:
            return x + 1
        return x

    return [attempt(outer, tf.constant(1)), tf.executing_eagerly()]


@case
def runtime_errors_leave_everything_usable(tf):
    v = tf.Variable(0)

    @tf.function
    def f(x, k):
        v.assign_add(1)
        y = tf.gather(x, k)
        v.assign_add(10)
        return y

    found = attempt(f, tf.constant([1, 2]), tf.constant(5))
    return [found["error"], f(tf.constant([1, 2]), tf.constant(1))]


@case
def pickling(tf):
    f = tf.function(_pickled)
    found = attempt(lambda: pickle.loads(pickle.dumps(f))(tf.constant(1)))
    return found["error"] if isinstance(found, dict) else found


def _pickled(x):
    return x + 1


@case
def copying(tf):
    f = tf.function(lambda x: x + 1)
    f(tf.constant(1))
    found = attempt(lambda: copy.copy(f)(tf.constant(1)))
    return found["error"] if isinstance(found, dict) else found


@case
def decorating_options(tf):
    @tf.function(
        jit_compile=False, reduce_retracing=True, autograph=True, experimental_implements="name"
    )
    def f(x):
        return x

    return f(tf.constant(1))


@case
def placement_inside(tf):
    @tf.function
    def f(x):
        with tf.device("/cpu:0"):
            y = x + 1
        return y

    y = f(tf.constant(1))
    return [
        y,
        y.device[-12:],
        [
            op.device
            for op in f.get_concrete_function(tf.constant(1)).graph.get_operations()
            if op.type == "AddV2"
        ],
    ]


@case
def placement_of_missing_device(tf):
    @tf.function
    def f(x):
        with tf.device("/gpu:7"):
            return x + 1

    tf.config.set_soft_device_placement(False)
    try:
        found = attempt(f, tf.constant(1))
    finally:
        tf.config.set_soft_device_placement(True)
    return found["error"]


@case
def names_of_operations(tf):
    @tf.function
    def f(x):
        with tf.name_scope("a"):
            y = tf.add(x, 1, name="plus")
        return tf.identity(y, name="out")

    return [
        op.name
        for op in f.get_concrete_function(tf.TensorSpec([], tf.int32, "x")).graph.get_operations()
        if op.type in ("AddV2", "Placeholder")
    ]


@case
def tensor_shape_inside(tf):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        seen.append(
            [x.shape.as_list(), tf.shape(x).dtype.name, (x @ tf.ones([3, 2])).shape.as_list()]
        )
        return tf.shape(x)

    return [f(tf.ones([5, 3])), seen]


@case
def ensure_and_set_shape(tf):
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        x = tf.ensure_shape(x, [None, 2])
        return x.shape[1] * tf.shape(x)[0]

    return [f(tf.ones([3, 2])), attempt(f, tf.ones([3, 3]))["error"]]


@case
def graph_utilities(tf):
    f = tf.function(lambda x: tf.nn.relu(x) + 1.0)
    graph_def = f.get_concrete_function(tf.TensorSpec([2], tf.float32)).graph.as_graph_def()
    return sorted({node.op for node in graph_def.node if node.op != "NoOp"})


@case
def strings_inside(tf):
    @tf.function
    def f(s):
        return tf.strings.join([s, tf.strings.as_string(tf.strings.length(s))], "-")

    return f(tf.constant(["ab", "c"]))


@case
def map_and_scan_inside(tf):
    @tf.function
    def f(x):
        return (
            tf.map_fn(lambda t: t * 2, x),
            tf.scan(lambda a, t: a + t, x),
            tf.vectorized_map(lambda t: t + 1, x),
        )

    return f(tf.constant([1, 2, 3]))


@case
def switch_case_and_cond_inside(tf):
    @tf.function
    def f(k):
        return tf.switch_case(k, [lambda: tf.constant(10), lambda: tf.constant(20)]), tf.cond(
            k > 0, lambda: k, lambda: -k
        )

    return [f(tf.constant(0)), f(tf.constant(1))]


@case
def while_loop_inside(tf):
    @tf.function
    def f(n):
        return tf.while_loop(
            lambda i, a: i < n,
            lambda i, a: (i + 1, a * 2),
            [tf.constant(0), tf.constant(1)],
            maximum_iterations=5,
        )

    return [f(tf.constant(3)), f(tf.constant(100))]
