"""Small TensorFlow 1 programs with branches, loops and arrays, run here and by TensorFlow.

Each takes the module and a function `run(fetches, feeds)`, and returns what it found.
"""

import collections

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


# Branches.


@program
def cond_takes_the_branch_of_a_placeholder(tf, run):
    x, p = tf.constant([1.0, 2.0]), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: x + 1.0, lambda: x * 10.0)
    return [y.name, run(y, {p: True}), run(y, {p: False})]


@program
def cond_returns_structures(tf, run):
    x, p = tf.constant(2.0), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: {"a": x, "b": (x + 1.0, [x])}, lambda: {"a": -x, "b": (x, [x * 3.0])})
    return [sorted(y), run(y, {p: True}), run(y, {p: False})]


@program
def cond_unpacks_a_list_of_one(tf, run):
    x, p = tf.constant(2.0), tf.placeholder(tf.bool, [])
    loose = tf.cond(p, lambda: [x], lambda: [x + 1.0])
    strict = tf.cond(p, lambda: [x], lambda: [x + 1.0], strict=True)
    return [run(loose, {p: True}), run(strict, {p: False})]


@program
def cond_runs_operations(tf, run):
    v, p = tf.Variable(0.0), tf.placeholder(tf.bool, [])
    step = tf.cond(p, lambda: tf.assign_add(v, 1.0).op, lambda: tf.assign_sub(v, 10.0).op)
    run(tf.global_variables_initializer())
    found = [step.dtype.name]
    for taken in (True, True, False):
        run(step.op, {p: taken})
        found.append(run(v))
    return found


@program
def cond_updates_only_in_the_branch_taken(tf, run):
    v, p = tf.Variable(1.0), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.assign_add(v, 5.0), lambda: tf.identity(v))
    run(tf.global_variables_initializer())
    return [run(y, {p: True}), run(v), run(y, {p: False}), run(v)]


@program
def cond_with_resource_variables(tf, run):
    v = tf.Variable(3.0, use_resource=True)
    p = tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: v * v, lambda: v + 100.0)
    g = tf.gradients(y, v)[0]
    run(tf.global_variables_initializer())
    return [run([y, g], {p: True}), run([y, g], {p: False})]


@program
def cond_is_differentiated(tf, run):
    x, w = tf.constant([1.0, 2.0, 3.0]), tf.constant(2.0)
    p = tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.reduce_sum(x * x * w), lambda: tf.reduce_sum(tf.sin(x)))
    g = tf.gradients(y, [x, w])
    return [run(g, {p: True}), run(g, {p: False})]


@program
def cond_is_differentiated_twice(tf, run):
    x, p = tf.constant(2.0), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: x * x * x, lambda: x * x)
    g = tf.gradients(y, x)[0]
    h = tf.gradients(g, x)[0]
    return [run([y, g, h], {p: True}), run([y, g, h], {p: False})]


@program
def cond_nested_in_cond(tf, run):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(
        x > 0.0,
        lambda: tf.cond(x > 10.0, lambda: x * 100.0, lambda: x * 10.0),
        lambda: tf.cond(x < -10.0, lambda: -x, lambda: x * x),
    )
    g = tf.gradients(y, x)[0]
    return [run([y, g], {x: value}) for value in (20.0, 2.0, -20.0, -2.0)]


@program
def cond_merges_shapes(tf, run):
    p = tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.ones([4, 3]))
    z = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.ones([4]))
    return [str(y.shape), str(z.shape), run(y, {p: False}).shape]


@program
def cond_on_strings(tf, run):
    p = tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.constant(["a", "bc"]), lambda: "no")
    return [run(y, {p: True}).tolist(), run(y, {p: False})]


@program
def cond_on_integers_and_booleans(tf, run):
    x, p = tf.constant(7), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: (x // 2, x > 3), lambda: (x % 4, x < 3))
    return [run(y, {p: True}), run(y, {p: False})]


@program
def cond_passes_outer_tensors_through(tf, run):
    x, z, p = tf.constant(1.0), tf.constant(2.0), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: x, lambda: z)
    return [run(y, {p: True}), run(tf.gradients(y, [x, z]), {p: False})]


@program
def cond_of_gathered_rows(tf, run):
    table, p = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.gather(table, [2, 0, 2]), lambda: tf.gather(table, [1]))
    g = tf.convert_to_tensor(tf.gradients(tf.reduce_sum(y * y), table)[0])
    run(tf.global_variables_initializer())
    return [run(g, {p: True}), run(g, {p: False})]


@program
def cond_with_a_constant_predicate(tf, run):
    x = tf.constant(4.0)
    y = tf.cond(tf.constant(True), lambda: tf.sqrt(x), lambda: x / 0.0)
    return [run(y), run(tf.gradients(y, x))]


@program
def cond_makes_variables_outside(tf, run):
    p = tf.placeholder(tf.bool, [])

    def branch():
        return tf.get_variable("v", initializer=lambda: tf.constant(3.0)) * 2.0

    y = tf.cond(p, branch, lambda: 0.0)
    run(tf.global_variables_initializer())
    return [[v.name for v in tf.global_variables()], run(y, {p: True}), run(y, {p: False})]


@program
def cond_waits_for_what_is_around_it(tf, run):
    v, p = tf.Variable(0.0), tf.placeholder(tf.bool, [])
    with tf.control_dependencies([tf.assign(v, 7.0)]):
        y = tf.cond(p, lambda: v + 1.0, lambda: v + 2.0)
    run(tf.global_variables_initializer())
    return [run(y, {p: True})]


@program
def case_takes_the_first_that_holds(tf, run):
    x = tf.placeholder(tf.float32, [])
    y = tf.case([(x > 10.0, lambda: x * 100.0), (x > 1.0, lambda: x * 10.0)], default=lambda: -x)
    g = tf.gradients(y, x)[0]
    return [y.name] + [run([y, g], {x: value}) for value in (20.0, 2.0, 0.0)]


@program
def case_without_default(tf, run):
    x = tf.placeholder(tf.float32, [])
    y = tf.case([(x > 10.0, lambda: x * 100.0), (x > 1.0, lambda: x * 10.0)])
    return [run(y, {x: 20.0}), run(y, {x: 5.0})]


@program
def case_exclusive(tf, run):
    x = tf.placeholder(tf.float32, [])
    pairs = {x > 10.0: lambda: x * 100.0, x < 1.0: lambda: x * 10.0}
    y = tf.case(pairs, default=lambda: x, exclusive=True)
    return [run(y, {x: 20.0}), run(y, {x: 0.5}), run(y, {x: 5.0})]


@program
def switch_case_by_number(tf, run):
    i, x = tf.placeholder(tf.int32, []), tf.constant(3.0)
    y = tf.switch_case(i, [lambda: x, lambda: x * x, lambda: x * x * x])
    z = tf.switch_case(i, {0: lambda: x, 1: lambda: x + 1.0}, default=lambda: -x)
    g = tf.gradients(y, x)[0]
    return [run([y, z, g], {i: k}) for k in (0, 1, 2, 5, -1)]


# What cond refuses.


def _refuses(name, make):
    def found(tf, run):
        p, x = tf.placeholder(tf.bool, [], name="p"), tf.constant(1.0, name="x")
        return [str(make(tf, p, x))]

    found.__name__ = name
    return program(found)


_refuses("cond_refuses_a_python_bool", lambda tf, p, x: tf.cond(True, lambda: x, lambda: x))
_refuses("cond_refuses_numbers", lambda tf, p, x: tf.cond(tf.constant(1), lambda: x, lambda: x))
_refuses(
    "cond_refuses_vectors", lambda tf, p, x: tf.cond(tf.constant([True]), lambda: x, lambda: x)
)
_refuses("cond_needs_a_true_fn", lambda tf, p, x: tf.cond(p, None, lambda: x))
_refuses("cond_needs_a_false_fn", lambda tf, p, x: tf.cond(p, lambda: x))
_refuses("cond_needs_functions", lambda tf, p, x: tf.cond(p, x, lambda: x))
_refuses("cond_takes_fn1", lambda tf, p, x: tf.cond(p, fn1=lambda: x, fn2=lambda: x))
_refuses("cond_takes_one_of_fn1", lambda tf, p, x: tf.cond(p, lambda: x, fn1=lambda: x))
_refuses("cond_needs_one_structure", lambda tf, p, x: tf.cond(p, lambda: x, lambda: (x, x)))
_refuses("cond_needs_one_kind", lambda tf, p, x: tf.cond(p, lambda: [x, x], lambda: (x, x)))
_refuses(
    "cond_needs_the_same_keys", lambda tf, p, x: tf.cond(p, lambda: {"a": x}, lambda: {"b": x})
)
_refuses("cond_needs_one_dtype", lambda tf, p, x: tf.cond(p, lambda: x, lambda: 1))
_refuses("cond_needs_a_value", lambda tf, p, x: tf.cond(p, lambda: None, lambda: x))


# Loops.


@program
def while_counts(tf, run):
    i, total = tf.while_loop(lambda i, t: i < 10, lambda i, t: (i + 1, t + i), [0, 0])
    return [i.name, total.name, run([i, total])]


@program
def while_of_one_variable(tf, run):
    alone = tf.while_loop(lambda i: i < 5, lambda i: i + 2, [0])
    listed = tf.while_loop(lambda i: i < 5, lambda i: i + 2, [0], return_same_structure=True)
    return [alone.name, run(alone), run(listed)]


@program
def while_of_structures(tf, run):
    Pair = collections.namedtuple("Pair", "left right")
    first = (0, {"a": 1.0, "b": (2.0,)}, Pair(tf.constant([1.0, 2.0]), 3))
    _, d, pair = tf.while_loop(
        lambda i, d, p: i < 3,
        lambda i, d, p: (
            i + 1,
            {"a": d["a"] * 2.0, "b": (d["b"][0] + d["a"],)},
            Pair(p.left * 2.0, p.right + i),
        ),
        first,
    )
    return [run(d["a"]), run(d["b"]), run(pair.left), run(pair.right)]


@program
def while_that_never_runs(tf, run):
    x = tf.constant(3.0)
    _, y = tf.while_loop(lambda i, y: i > 10, lambda i, y: (i + 1, y * 2.0), [0, x])
    return [run(y), run(tf.gradients(y, x))]


@program
def while_up_to_a_limit(tf, run):
    n = tf.placeholder(tf.int32, [])
    y = tf.while_loop(lambda y: y < 1000, lambda y: y * 2, [1], maximum_iterations=4)
    z = tf.while_loop(lambda y: y < 1000, lambda y: y * 2, [1], maximum_iterations=n)
    return [run(y), run(z, {n: 100}), run(z, {n: 0})]


@program
def while_is_differentiated(tf, run):
    x, w = tf.constant(1.5), tf.constant(2.0)
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * y * w), [0, x])
    return [run(y), run(tf.gradients(y, [x, w]))]


@program
def while_of_a_fed_length_is_differentiated(tf, run):
    n, x = tf.placeholder(tf.int32, []), tf.constant([[1.0, 2.0], [0.5, -1.0]])
    _, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.matmul(y, x)), [0, x])
    g = tf.gradients(tf.reduce_sum(y), x)[0]
    return [run([y, g], {n: k}) for k in (0, 1, 3)]


@program
def while_reads_what_is_fed(tf, run):
    x = tf.placeholder(tf.float32, [None])
    _, y = tf.while_loop(
        lambda i, y: i < tf.shape(x)[0], lambda i, y: (i + 1, y + x[i] * 2.0), [0, 0.0]
    )
    g = tf.gradients(y, x)[0]
    return [run([y, g], {x: [1.0, 2.0, 3.0]}), run([y, g], {x: [5.0]})]


@program
def while_whose_shape_grows(tf, run):
    y = tf.while_loop(
        lambda y: tf.size(y) < 10,
        lambda y: tf.concat([y, y + 1], 0),
        [tf.constant([1])],
        shape_invariants=[tf.TensorShape([None])],
    )
    return [str(y.shape), run(y)]


@program
def while_whose_shape_grows_is_differentiated(tf, run):
    x = tf.constant([1.0, 2.0])
    _, y = tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (i + 1, tf.concat([y, y[:1] * 3.0], 0)),
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    return [run(y), run(tf.gradients(y * y, x))]


@program
def while_in_while(tf, run):
    x = tf.constant(1.1)

    def outer(i, y):
        _, y = tf.while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y * x + 1.0), [0, y])
        return i + 1, y

    _, y = tf.while_loop(lambda i, y: i < 4, outer, [0, x])
    return [run(y), run(tf.gradients(y, x))]


@program
def cond_in_while(tf, run):
    x, w = tf.constant(3.0), tf.constant(0.5)

    def body(i, y):
        return i + 1, tf.cond(y > 4.0, lambda: y * w, lambda: y * y + w)

    _, y = tf.while_loop(lambda i, y: i < 5, body, [0, x])
    return [run(y), run(tf.gradients(y, [x, w]))]


@program
def while_in_cond(tf, run):
    x, p = tf.constant(2.0), tf.placeholder(tf.bool, [])

    def loop():
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]

    y = tf.cond(p, loop, lambda: x * 5.0)
    g = tf.gradients(y, x)[0]
    return [run([y, g], {p: True}), run([y, g], {p: False})]


@program
def while_of_strings(tf, run):
    y = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, tf.string_join([s, "ab"], "-")), [0, "x"]
    )
    return [run(y[1])]


@program
def while_over_booleans(tf, run):
    y = tf.while_loop(lambda go, n: go, lambda go, n: (n < 5, n * 2), [True, 1])
    return [run(y)]


@program
def while_assigns_in_every_iteration(tf, run):
    v = tf.Variable(1.0)

    def body(i):
        with tf.control_dependencies([tf.assign(v, v * 2.0)]):
            return i + 1

    y = tf.while_loop(lambda i: i < 5, body, [0])
    run(tf.global_variables_initializer())
    return [run(y), run(v)]


@program
def while_leaves_unneeded_effects_out(tf, run):
    v = tf.Variable(1.0)

    def body(i):
        tf.assign(v, v * 2.0)
        return i + 1

    y = tf.while_loop(lambda i: i < 5, body, [0])
    run(tf.global_variables_initializer())
    return [run(y), run(v)]


@program
def while_with_trained_variables(tf, run):
    v = tf.Variable([1.0, 2.0])
    r = tf.Variable(0.5, use_resource=True)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v + r), [0, v])
    g = tf.gradients(tf.reduce_sum(y), [v, r])
    run(tf.global_variables_initializer())
    return [run(y), run(g)]


@program
def while_of_gathered_rows(tf, run):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    ids = tf.constant([2, 0, 2, 2])
    _, y = tf.while_loop(
        lambda i, y: i < 4,
        lambda i, y: (i + 1, y + tf.gather(table, [ids[i], 1])),
        [0, tf.zeros([2, 2])],
    )
    g = tf.convert_to_tensor(tf.gradients(tf.reduce_sum(y * y), table)[0])
    run(tf.global_variables_initializer())
    return [run(y), run(g)]


@program
def while_without_back_prop(tf, run):
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x], back_prop=False)
    return [run(y), tf.gradients(y, x)]


@program
def while_stops_gradients(tf, run):
    x, w = tf.constant(2.0), tf.constant(3.0)
    _, y = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * tf.stop_gradient(w) + y), [0, x]
    )
    return [run(y), run(tf.gradients(y, x))]


@program
def while_with_several_targets(tf, run):
    x = tf.constant(2.0)
    _, y, z = tf.while_loop(
        lambda i, y, z: i < 3, lambda i, y, z: (i + 1, z * 2.0, y + z), [0, x, x * x]
    )
    return [run(tf.gradients([y, z], x)), run(tf.gradients(z, x)), run(tf.gradients(y * z, x))]


@program
def while_swaps(tf, run):
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a), [0, 1.0, 2.0])
    return [run([a, b])]


@program
def while_collatz(tf, run):
    n = tf.placeholder(tf.int32, [])

    def body(n, steps):
        even = tf.equal(n % 2, 0)
        return tf.cond(even, lambda: n // 2, lambda: 3 * n + 1), steps + 1

    _, steps = tf.while_loop(lambda n, s: n > 1, body, [n, 0])
    return [run(steps, {n: k}) for k in (1, 7, 27)]


@program
def while_newton(tf, run):
    a = tf.placeholder(tf.float64, [])
    _, x = tf.while_loop(
        lambda i, x: tf.logical_and(i < 50, tf.abs(x * x - a) > 1e-12),
        lambda i, x: (i + 1, 0.5 * (x + a / x)),
        [0, a],
    )
    g = tf.gradients(x, a)[0]
    return [run([x, g], {a: 2.0}), run([x, g], {a: 9.0})]


@program
def while_with_sparse_tensors(tf, run):
    first = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
    _, s = tf.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)),
        [0, first],
    )
    return [run(s.values), run(s.indices), run(s.dense_shape)]


def _loop_refuses(name, make):
    def found(tf, run):
        return [str(make(tf, tf.while_loop))]

    found.__name__ = name
    return program(found)


_loop_refuses("while_needs_a_function", lambda tf, w: w(1, lambda i: i, [0]))
_loop_refuses("while_needs_a_body", lambda tf, w: w(lambda i: i, 1, [0]))
_loop_refuses("while_needs_variables", lambda tf, w: w(lambda: True, lambda: (), []))
_loop_refuses(
    "while_needs_iterations",
    lambda tf, w: w(lambda i: i < 3, lambda i: i, [0], parallel_iterations=0),
)
_loop_refuses(
    "while_needs_one_shape",
    lambda tf, w: w(
        lambda i, x: i < 3, lambda i, x: (i, tf.concat([x, x], 0)), [0, tf.constant([1])]
    ),
)
_loop_refuses(
    "while_needs_one_rank",
    lambda tf, w: w(lambda x: tf.size(x) < 9, lambda x: tf.stack([x, x]), [tf.constant(1)]),
)
_loop_refuses(
    "while_needs_a_fitting_invariant",
    lambda tf, w: w(
        lambda x: tf.size(x) < 9,
        lambda x: x,
        [tf.constant([1])],
        shape_invariants=[tf.TensorShape([2])],
    ),
)
_loop_refuses(
    "while_keeps_to_the_invariant",
    lambda tf, w: w(
        lambda x: tf.size(x) < 9,
        lambda x: tf.stack([x, x]),
        [tf.constant([1])],
        shape_invariants=[tf.TensorShape([None])],
    ),
)
_loop_refuses("while_needs_a_bool", lambda tf, w: w(lambda i: i, lambda i: i + 1, [0]))
_loop_refuses(
    "while_needs_a_scalar", lambda tf, w: w(lambda i: tf.reshape(i < 3, [1]), lambda i: i + 1, [0])
)
_loop_refuses(
    "while_needs_one_structure", lambda tf, w: w(lambda i, x: i < 3, lambda i, x: [i + 1], [0, 1])
)
_loop_refuses(
    "while_needs_a_scalar_limit",
    lambda tf, w: w(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=[1, 2]),
)


@program
def a_tensor_of_a_loop_is_not_for_outside(tf, run):
    kept = []

    def body(i):
        kept.append(i + 1)
        return kept[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    return [kept[0] + 1]


@program
def a_tensor_of_a_loop_is_not_fetched(tf, run):
    kept = []

    def body(i):
        kept.append(i + 1)
        return kept[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    return [run(kept[0])]


# Rows.


@program
def map_fn_squares(tf, run):
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.map_fn(lambda r: r * r, x)
    return [y.name, str(y.shape), run(y), run(tf.gradients(y, x))]


@program
def map_fn_of_several(tf, run):
    x, n = tf.placeholder(tf.float32, [None, 2]), tf.constant([1, 2, 3])
    y = tf.map_fn(
        lambda row: (row[0] * 2.0, tf.cast(row[1], tf.float32) + row[0][0]),
        (x, n),
        dtype=(tf.float32, tf.float32),
    )
    feed = {x: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}
    return [[str(each.shape) for each in y], run(y, feed), run(tf.gradients(y, x), feed)]


@program
def map_fn_in_map_fn(tf, run):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.map_fn(lambda row: tf.map_fn(lambda e: e * e + row[0], row), x)
    return [run(y), run(tf.gradients(y, x))]


@program
def map_fn_changes_dtype(tf, run):
    y = tf.map_fn(lambda n: tf.cast(n, tf.float32) / 2.0, tf.constant([1, 2, 3]), dtype=tf.float32)
    s = tf.map_fn(lambda n: tf.as_string(n), tf.constant([1, 2, 3]), dtype=tf.string)
    return [run(y), run(s).tolist()]


@program
def map_fn_refuses_scalars(tf, run):
    return [tf.map_fn(lambda r: r, tf.constant(1.0))]


@program
def scan_adds_up(tf, run):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    y = tf.scan(lambda a, r: a * 0.5 + r, x)
    return [y.name, str(y.shape), run(y), run(tf.gradients(y, x))]


@program
def scan_backwards_from_a_value(tf, run):
    x, a = tf.constant([1.0, 2.0, 3.0]), tf.constant(10.0)
    y = tf.scan(lambda a, r: a * r, x, initializer=a, reverse=True)
    return [run(y), run(tf.gradients(y, [x, a]))]


@program
def scan_fibonacci(tf, run):
    y = tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([8]), (tf.constant(0), tf.constant(1)))
    return [run(y)]


@program
def scan_of_a_recurrent_cell(tf, run):
    w = tf.Variable([[0.1, 0.2], [0.3, 0.4]])
    x = tf.placeholder(tf.float32, [None, 3, 2])
    h = tf.scan(lambda h, x: tf.tanh(tf.matmul(h, w) + x), x, initializer=tf.zeros([3, 2]))
    g = tf.gradients(tf.reduce_sum(h[-1]), w)[0]
    run(tf.global_variables_initializer())
    feed = {x: [[[0.1 * (i + j), 0.2] for j in range(3)] for i in range(4)]}
    return [str(h.shape), run(h, feed), run(g, feed)]


@program
def foldl_and_foldr(tf, run):
    x = tf.constant([1.0, 2.0, 3.0])
    left = tf.foldl(lambda a, r: a - r * r, x)
    right = tf.foldr(lambda a, r: a / r, x, initializer=12.0)
    return [run(left), run(right), run(tf.gradients([left, right], x))]


# Arrays.


@program
def array_is_written_and_stacked(tf, run):
    a = tf.TensorArray(tf.float32, 3).write(0, 1.0).write(2, 3.0)
    b = tf.TensorArray(tf.float32, 2, element_shape=[2]).unstack([[1.0, 2.0], [3.0, 4.0]])
    return [run(a.stack()), run(b.read(1)), run(b.size()), str(b.stack().shape)]


@program
def array_gathers_scatters_concats_splits(tf, run):
    def made(**options):
        return tf.TensorArray(tf.float32, 3, **options)

    return [
        run(made().scatter([2, 0, 1], [[1.0], [2.0], [3.0]]).stack()),
        run(made().unstack([[1.0], [2.0], [3.0]]).gather([2, 0])),
        run(made().unstack([[1.0], [2.0], [3.0]]).concat()),
        run(made(infer_shape=False).split([1.0, 2.0, 3.0, 4.0], [1, 2, 1]).read(1)),
        run(tf.TensorArray(tf.float32, 0, dynamic_size=True).write(4, 1.0).size()),
    ]


@program
def array_is_differentiated(tf, run):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    a = tf.TensorArray(tf.float32, 2, clear_after_read=False).unstack(x)
    y = a.read(0) * a.read(1) + a.read(0)
    z = a.concat() * tf.constant([1.0, 2.0, 3.0, 4.0])
    s = tf.TensorArray(tf.float32, 2).split(tf.reshape(x, [4]), [2, 2]).stack()
    return [
        run(tf.gradients(y, x)),
        run(tf.gradients(z, x)),
        run(tf.gradients(s * s, x)),
        run(tf.gradients(a.gather([1, 1]), x)),
    ]


@program
def array_in_a_loop(tf, run):
    x = tf.constant(2.0)
    _, y, a = tf.while_loop(
        lambda i, y, a: i < 4,
        lambda i, y, a: (i + 1, y * x, a.write(i, y)),
        [0, x, tf.TensorArray(tf.float32, 4)],
    )
    stacked = a.stack()
    return [str(stacked.shape), run([y, stacked]), run(tf.gradients(stacked, x))]


@program
def array_through_a_cond(tf, run):
    p = tf.placeholder(tf.bool, [])
    a = tf.TensorArray(tf.float32, 2).write(0, 1.0)
    b = tf.cond(p, lambda: a.write(1, 5.0), lambda: a.write(1, 6.0))
    return [run(b.stack(), {p: True}), run(b.stack(), {p: False})]


@program
def array_of_gradients(tf, run):
    a = tf.TensorArray(tf.float32, 2, clear_after_read=False).write(0, 1.0)
    return [run(a.grad("g").write(0, 2.0).write(0, 3.0).read(0))]


def _array_refuses(name, make):
    def found(tf, run):
        def made(**options):
            return tf.TensorArray(tf.float32, **dict({"size": 2}, **options))

        return [run(make(tf, made))]

    found.__name__ = name
    return program(found)


_array_refuses("array_refuses_an_index_past_the_end", lambda tf, a: a().write(4, 1.0).flow)
_array_refuses("array_refuses_a_second_write", lambda tf, a: a().write(0, 1.0).write(0, 2.0).flow)
_array_refuses("array_refuses_to_read_past_the_end", lambda tf, a: a().read(5))
_array_refuses("array_refuses_to_read_nothing", lambda tf, a: a().read(0))
_array_refuses("array_gives_zeros_of_a_known_shape", lambda tf, a: a(element_shape=[2]).read(0))
_array_refuses("array_refuses_another_dtype", lambda tf, a: a().write(0, tf.constant(1)).flow)
_array_refuses(
    "array_refuses_another_shape", lambda tf, a: a().write(0, [1.0]).write(1, [2.0, 2.0]).flow
)
_array_refuses(
    "array_refuses_shapes_that_differ",
    lambda tf, a: a(infer_shape=False).write(0, [1.0]).write(1, [2.0, 2.0]).stack(),
)
_array_refuses("array_refuses_too_many_rows", lambda tf, a: a().unstack([1.0, 2.0, 3.0]).flow)
_array_refuses("array_refuses_to_concat_scalars", lambda tf, a: a().unstack([1.0, 2.0]).concat())
_array_refuses(
    "array_refuses_lengths_that_do_not_add_up",
    lambda tf, a: a().split([1.0, 2.0, 3.0], [1, 1]).flow,
)
_array_refuses("array_refuses_to_stack_nothing", lambda tf, a: a(size=0).stack())
_array_refuses("array_needs_a_size", lambda tf, a: tf.TensorArray(tf.float32).flow)


# Mixtures.


@program
def gradients_inside_a_loop(tf, run):
    x = tf.constant([3.0, -2.0])

    def body(i, x):
        loss = tf.reduce_sum(x * x * x * x)
        return i + 1, x - 0.01 * tf.gradients(loss, x)[0]

    _, y = tf.while_loop(lambda i, x: i < 5, body, [0, x])
    return [run(y), run(tf.gradients(y, x))]


@program
def array_made_inside_a_loop(tf, run):
    x = tf.constant([1.0, 2.0, 3.0])

    def body(i, total):
        array = tf.TensorArray(tf.float32, 3).unstack(x * tf.cast(i, tf.float32))
        return i + 1, total + array.read(1) * array.read(2)

    _, y = tf.while_loop(lambda i, t: i < 4, body, [0, 0.0])
    return [run(y), run(tf.gradients(y, x))]


@program
def recurrent_network_by_hand(tf, run):
    x, steps = tf.placeholder(tf.float32, [None, 2, 3]), tf.placeholder(tf.int32, [2])
    w = tf.Variable([[0.1, -0.2], [0.3, 0.4], [0.5, 0.1]])
    u = tf.Variable([[0.2, 0.1], [-0.1, 0.3]])
    inputs = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)

    def body(t, h, outputs):
        new = tf.tanh(tf.matmul(inputs.read(t), w) + tf.matmul(h, u))
        new = tf.where(t < steps, new, h)
        return t + 1, new, outputs.write(t, new)

    first = [0, tf.zeros([2, 2]), tf.TensorArray(tf.float32, tf.shape(x)[0])]
    _, h, outputs = tf.while_loop(lambda t, h, o: t < tf.shape(x)[0], body, first)
    stacked = outputs.stack()
    loss = tf.reduce_sum(stacked * stacked) + tf.reduce_sum(h)
    gradients = tf.gradients(loss, [w, u, x])
    run(tf.global_variables_initializer())
    feed = {x: [[[0.1 * (i + j + k) for k in range(3)] for j in range(2)] for i in range(4)]}
    feed[steps] = [4, 2]
    return [str(stacked.shape), run([h, stacked], feed), run(gradients, feed)]


@program
def variable_made_inside_a_loop(tf, run):
    def body(i, y):
        v = tf.get_variable("v", initializer=lambda: tf.constant(2.0))
        return i + 1, y * v

    _, y = tf.while_loop(lambda i, y: i < 3, body, [0, 1.0])
    g = tf.gradients(y, tf.trainable_variables())
    run(tf.global_variables_initializer())
    return [[v.name for v in tf.global_variables()], run(y), run(g)]


@program
def loop_outputs_by_name_and_fed_inside(tf, run):
    x = tf.identity(tf.constant(2.0), name="x")
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + x), [0, 0.0])
    return [run("while/Exit_1:0"), run(y, {"x:0": 10.0})]


@program
def after_a_loop(tf, run):
    v = tf.Variable(1.0)
    done = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    with tf.control_dependencies([done]):
        after = tf.assign_add(v, 5.0)
    run(tf.global_variables_initializer())
    return [run(after), run(v)]


@program
def a_branch_of_a_loop_that_writes(tf, run):
    v = tf.Variable([0, 0, 0, 0, 0, 0])

    def mark(i):
        return tf.scatter_update(v, [i], [i * 10])

    def body(i):
        marked = tf.cond(tf.equal(i % 2, 0), lambda: mark(i).op, lambda: tf.no_op())
        with tf.control_dependencies([marked]):
            return i + 1

    y = tf.while_loop(lambda i: i < 6, body, [0])
    run(tf.global_variables_initializer())
    return [run(y), run(v)]


@program
def map_fn_of_unknown_shape(tf, run):
    x = tf.placeholder(tf.float32)
    y = tf.map_fn(lambda r: r * r, x)
    g = tf.gradients(y, x)[0]
    return [str(y.shape), run([y, g], {x: [[1.0, 2.0], [3.0, 4.0]]}), run(y, {x: [[[2.0]]]})]


@program
def map_fn_of_no_rows(tf, run):
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.map_fn(lambda r: r * 2.0, x)
    return [run(y, {x: [[1.0, 2.0]]}), run(tf.shape(y), {x: [[1.0, 2.0]]})]


@program
def powers_of_matrices_with_whiles_in_conds_in_whiles(tf, run):
    m = tf.constant([[0.5, 0.2], [0.1, 0.9]])

    def power(n):
        return tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.matmul(a, m)), [0, m])[1]

    def body(i, total):
        more = tf.cond(i > 1, lambda: power(i), lambda: tf.matmul(m, m, transpose_b=True))
        return i + 1, total + more

    _, y = tf.while_loop(lambda i, t: i < 4, body, [0, tf.zeros([2, 2])])
    return [run(y), run(tf.gradients(y, m))]


@program
def loop_gradient_of_broadcasting(tf, run):
    x, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0.5, -0.5])
    s = tf.constant(1.5)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * s + b), [0, x])
    return [run(y), run(tf.gradients(y, [x, b, s]))]


@program
def loop_over_half_and_complex(tf, run):
    h = tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * y), [0, tf.constant(1.5, tf.float16)]
    )
    c = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * y), [0, tf.constant(1 + 1j)])
    return [run(h[1]), [run(c[1]).real, run(c[1]).imag]]


@program
def a_loop_that_stops_at_a_string(tf, run):
    words = tf.constant(["go", "go", "stop", "go"])
    i = tf.while_loop(lambda i: tf.not_equal(words[i], "stop"), lambda i: i + 1, [0])
    return [run(i)]
