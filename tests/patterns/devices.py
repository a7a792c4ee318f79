"""Patterns of devices, scopes and sessions."""

import threading

from .table import pattern


@pattern
def init_scope_stays_in_a_graph(tf, folder):
    with tf.Graph().as_default() as graph, tf.device("/cpu:0"), tf.init_scope():
        lifted = tf.constant(1.0)
        return [lifted.graph is graph, lifted.device]


@pattern
def init_scope_of_a_function_in_a_graph_is_that_graph(tf, folder):
    seen = []
    with tf.Graph().as_default() as graph:

        @tf.function
        def f():
            with tf.init_scope():
                lifted = tf.constant(1.0)
                seen.append(lifted.graph is graph)
            return lifted + 1.0

        return [tf.compat.v1.Session().run(f()), seen]


@pattern
def init_scope_in_a_function_runs_at_once(tf, folder):
    seen = []

    @tf.function
    def f():
        with tf.init_scope():
            seen.append((tf.constant(3) + 1).numpy())
        return tf.constant(1.0)

    return [f(), seen]


@pattern
def functions_wait_for_tensors_of_outside(tf, folder):
    outside = tf.constant(1.0)

    @tf.function
    def f():
        with tf.control_dependencies([outside]):
            return tf.constant(2.0)

    return f()


@pattern
def sums_of_gradients_are_where_their_ops_are(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with tf.device("/gpu:0"):
            x = tf.constant(1.0, name="x")
        with tf.device("/gpu:1"):
            a = tf.square(x, name="a")
        with tf.device("/gpu:2"):
            y = a + tf.exp(x, name="b") + tf.sin(x, name="c")
        v1.gradients(y, [x], colocate_gradients_with_ops=True)
        return [[op.name, op.device] for op in graph.get_operations() if op.type == "AddN"]


@pattern
def a_device_scope_does_not_move_what_is_colocated(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            a = tf.constant(1.0, name="a")
        with v1.colocate_with(a), tf.device("/gpu:0"):
            b = tf.constant(2.0, name="b")
        with tf.device("/gpu:0"), v1.colocate_with(a):
            c = tf.constant(2.0, name="c")
        return [[t.device, [str(g) for g in t.op.colocation_groups()]] for t in (b, c)]


@pattern
def a_job_of_its_own_gets_no_task_of_a_parameter_server(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.device(v1.train.replica_device_setter(ps_tasks=2)):
        devices = []
        for name in ("/job:moon", "/cpu:0", "/job:ps/task:5", "/task:1", "/job:worker"):
            with v1.device(name):
                devices.append([v1.Variable(1.0).device, tf.constant(1.0).device])
        return devices


@pattern
def ops_are_colocated_with_variables(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=1.0, use_resource=True)
        w = v1.get_variable("w", initializer=1.0, use_resource=False)
        with v1.colocate_with(v):
            a = tf.constant(1.0)
        with v1.colocate_with(w):
            b = tf.constant(1.0)
        return [[str(g) for g in t.op.colocation_groups()] for t in (a, b)]


@pattern
def a_session_is_entered_once(tf, folder):
    session = tf.compat.v1.Session(graph=tf.Graph())
    with session, session:
        return "entered"


@pattern
def callables_of_sessions_are_traced(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32)
        doubled = v1.Session().make_callable(x * 2.0, [x], accept_options=True)
        metadata = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        result = doubled(3.0, options=options, run_metadata=metadata)
        return [result, len(metadata.step_stats.dev_stats) > 0]


_KEPT = []  # scopes that were not left: freed, they would be left in whichever thread frees them


def _entered_and_left_in_one_order(scopes):
    """Enter scopes and leave the first of them first, in a thread of its own."""
    outcome = []

    def run():
        try:
            first, second = scopes()
            _KEPT.extend((first, second))
            first.__enter__()
            second.__enter__()
            first.__exit__(None, None, None)
            outcome.append("left")
        except Exception as problem:
            outcome.append(f"{type(problem).__name__}: {str(problem).split('<')[0].splitlines()}")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    return outcome[0].replace("\\n", "")


@pattern
def graphs_are_left_in_the_order_of_a_stack(tf, folder):
    graphs = [tf.Graph(), tf.Graph()]
    return _entered_and_left_in_one_order(lambda: [g.as_default() for g in graphs])[:60]


@pattern
def sessions_are_left_in_the_order_of_a_stack(tf, folder):
    sessions = [tf.compat.v1.Session(graph=tf.Graph()) for _ in range(2)]
    return [
        _entered_and_left_in_one_order(lambda: [s.as_default() for s in sessions])[:60],
        _entered_and_left_in_one_order(lambda: sessions)[:60],
    ]


@pattern
def device_scopes_are_left_in_the_order_of_a_stack(tf, folder):
    device = tf.Graph().device
    return [
        _entered_and_left_in_one_order(lambda: [device("/gpu:0"), device("/gpu:1")])[:60],
        _entered_and_left_in_one_order(lambda: [tf.device("/cpu:0"), tf.device("/cpu:0")])[:60],
    ]


@pattern
def control_dependencies_are_left_in_the_order_of_a_stack(tf, folder):
    graph = tf.Graph()
    with graph.as_default():
        one = tf.constant(1.0)
    blocks = [graph.control_dependencies([one]) for _ in range(2)]
    return _entered_and_left_in_one_order(lambda: blocks)[:14]


@pattern
def variable_scopes_are_left_in_the_order_of_a_stack(tf, folder):
    def scopes():
        return [tf.compat.v1.variable_scope(name) for name in "ab"]

    return _entered_and_left_in_one_order(scopes)[:50]
