"""Gradients through functions, inside of them, and of gradients."""

# ruff: noqa - cases are written as programs are

import numpy as np
from core_cases import Cases, attempt

case = Cases()


@case
def first_order(tf):
    f = tf.function(lambda x: tf.reduce_sum(x * x * x))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, x)]


@case
def three_orders(tf):
    f = tf.function(lambda x: tf.sin(x) * x * x)
    x = tf.constant(1.3)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as c:
                c.watch(x)
                y = f(x)
            dy = c.gradient(y, x)
        ddy = b.gradient(dy, x)
    return [y, dy, ddy, a.gradient(ddy, x)]


@case
def three_orders_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as a:
            a.watch(x)
            with tf.GradientTape() as b:
                b.watch(x)
                with tf.GradientTape() as c:
                    c.watch(x)
                    y = tf.exp(x) * tf.sin(x)
                dy = c.gradient(y, x)
            ddy = b.gradient(dy, x)
        return y, dy, ddy, a.gradient(ddy, x)

    return f(tf.constant(0.7))


@case
def mixed_orders(tf):
    @tf.function
    def slope(x):
        with tf.GradientTape() as t:
            t.watch(x)
            y = x * x * x * x
        return t.gradient(y, x)

    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            y = slope(x)
        dy = b.gradient(y, x)
    return [y, dy, a.gradient(dy, x)]


@case
def several_outputs(tf):
    @tf.function
    def f(x, y):
        return x * y, x + y, tf.constant(3.0), tf.cast(x, tf.int32)

    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        a, b, c, d = f(x, y)
        s = a * b
    return [
        tape.gradient(a, [x, y]),
        tape.gradient(b, [x, y]),
        tape.gradient(c, [x, y]),
        tape.gradient([a, b], [x, y]),
        tape.gradient(s, [x, y]),
    ]


@case
def unconnected(tf):
    f = tf.function(lambda x, y: x * 2.0)
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z = f(x, y)
    return [tape.gradient(z, [x, y]), tape.gradient(z, [x, y], unconnected_gradients="zero")]


@case
def output_gradients(tf):
    f = tf.function(lambda x: x * x)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, output_gradients=tf.constant([10.0, 100.0]))


@case
def captured_variable(tf):
    v, w = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    f = tf.function(lambda x: x * v * w)
    with tf.GradientTape() as tape:
        y = f(tf.constant(5.0))
    return [tape.gradient(y, [v, w]), [each.trainable for each in tape.watched_variables()]]


@case
def variable_argument(tf):
    v = tf.Variable(3.0)
    f = tf.function(lambda u: u * u)
    with tf.GradientTape() as tape:
        y = f(v)
    return tape.gradient(y, v)


@case
def captured_tensor(tf):
    x = tf.constant(3.0)
    f = tf.function(lambda: x * x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f()
    return tape.gradient(y, x)


@case
def captured_tensor_of_tape_after_first_call(tf):
    x = tf.constant(np.ones(200, np.float32))
    f = tf.function(lambda k: tf.reduce_sum(x * k))
    f(tf.constant(1.0))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(tf.constant(2.0))
    return tf.reduce_sum(tape.gradient(y, x))


@case
def assigned_variable(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        y = v * x
        v.assign_add(10.0)
        return y + v * x

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, [x, v]), v.numpy()]


@case
def training_inside(tf):
    w = tf.Variable([1.0, -1.0])

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.reduce_sum(x * w, 1) - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    x, y = tf.constant([[1.0, 2.0], [3.0, -1.0]]), tf.constant([1.0, 2.0])
    return [[step(x, y) for _ in range(3)], w.numpy()]


@case
def not_watching_variables(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = x * v
        return tape.gradient(y, [x, v])

    return f(tf.constant(3.0))


@case
def stopped_recording(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = x * x * x
            w = y + z
        return tape.gradient(w, x)

    return f(tf.constant(3.0))


@case
def stopped_recording_outside(tf):
    f = tf.function(lambda x: x * x)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = f(x)
        with tape.stop_recording():
            b = f(x)
        c = a + b
    return tape.gradient(c, x)


@case
def reset_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
            tape.reset()
            tape.watch(x)
            z = x * 5.0
            w = y + z
        return tape.gradient(w, x)

    return f(tf.constant(3.0))


@case
def persistent_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = y * y
        return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(z, y)

    return f(tf.constant(3.0))


@case
def used_twice_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)
        return tape.gradient(y, x)

    return attempt(f, tf.constant(3.0))


@case
def jacobians(tf):
    f = tf.function(lambda x: tf.stack([x[0] * x[1], x[0] ** 2, x[1]]))
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    return [tape.jacobian(y, x), tape.jacobian(y, x, experimental_use_pfor=False)]


@case
def jacobian_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * tf.reduce_sum(x)
        return tape.jacobian(y, x)

    return f(tf.constant([1.0, 2.0]))


@case
def batch_jacobians(tf):
    f = tf.function(lambda x: x * tf.reduce_sum(x, 1, keepdims=True))
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.batch_jacobian(y, x)


@case
def hessian(tf):
    f = tf.function(lambda x: tf.reduce_sum(x * x * x) + x[0] * x[1])
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


@case
def hessian_inside(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.exp(x)) * x[0]
            g = inner.gradient(y, x)
        return outer.jacobian(g, x)

    return f(tf.constant([0.5, 1.0]))


@case
def custom_gradient_inside(tf):
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda dy: tf.clip_by_value(dy * 100.0, -1.0, 1.0)

    f = tf.function(lambda x: clipped(x) * 3.0)
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return [y, tape.gradient(y, x)]


@case
def custom_gradient_outside(tf):
    f = tf.function(lambda x: x * x)

    @tf.custom_gradient
    def odd(x):
        return f(x), lambda dy: dy * 7.0 * f(x)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = odd(x)
    return [y, tape.gradient(y, x)]


@case
def custom_gradient_of_traced(tf):
    @tf.custom_gradient
    @tf.function
    def f(x):
        return x * x, lambda dy: dy

    return attempt(f, tf.constant(1.0))["error"]


@case
def custom_gradient_is_traced(tf):
    @tf.function
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 5.0

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@case
def custom_gradient_with_variables(tf):
    v = tf.Variable(4.0)

    @tf.custom_gradient
    def f(x):
        def gradient(dy, variables=None):
            return dy * 2.0, [dy * 10.0 for _ in variables]

        return x * v, gradient

    g = tf.function(lambda x: f(x))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    return [y, tape.gradient(y, [x, v])]


@case
def custom_gradient_reads_the_forward_pass(tf):
    @tf.custom_gradient
    def f(x):
        e = tf.exp(x)
        return tf.math.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))

    g = tf.function(lambda x: f(x))
    x = tf.constant(3.0)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            y = g(x)
        dy = b.gradient(y, x)
    return [dy, attempt(lambda: a.gradient(dy, x))]


@case
def second_order_of_custom(tf):
    @tf.custom_gradient
    def f(x):
        return x**3, lambda dy: dy * 3.0 * x * x

    g = tf.function(lambda x: f(x) * x)
    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            y = g(x)
        dy = b.gradient(y, x)
    return [dy, a.gradient(dy, x)]


@case
def stopped_gradient(tf):
    f = tf.function(lambda x: x * tf.stop_gradient(x))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@case
def recomputed_gradient(tf):
    f = tf.function(lambda x: tf.recompute_grad(lambda t: tf.sin(t) * t)(x))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


@case
def forward_mode(tf):
    f = tf.function(lambda x: x * x * x)
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = f(x)
    return [y, acc.jvp(y)]


@case
def forward_over_reverse(tf):
    f = tf.function(lambda x: tf.reduce_sum(x * x * x))
    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        g = tape.gradient(y, x)
    return acc.jvp(g)


@case
def forward_mode_inside(tf):
    @tf.function
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.sin(x) * x
        return acc.jvp(y)

    return f(tf.constant(1.0))


@case
def sparse_gradients(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = tf.function(lambda k: tf.reduce_sum(tf.gather(v, k) ** 2))
    with tf.GradientTape() as tape:
        y = f(tf.constant([2, 0, 2]))
    g = tape.gradient(y, v)
    return [type(g).__name__, g]


@case
def sparse_gradients_inside(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    @tf.function
    def f(k):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.embedding_lookup(v, k) ** 2)
        return tape.gradient(y, v)

    g = f(tf.constant([1, 1]))
    return [type(g).__name__, g]


@case
def through_a_loop(tf):
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = x * x + 0.1
        return x

    x = tf.constant(0.9)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            y = f(x, tf.constant(3))
        dy = b.gradient(y, x)
    return [y, dy, a.gradient(dy, x)]


@case
def through_a_branch(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        if x > 0:
            return x * v
        return x * x

    found = []
    for value in (3.0, -3.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        found.append(tape.gradient(y, [x, v]))
    return found


@case
def through_nested_functions(tf):
    v = tf.Variable(2.0)
    inner = tf.function(lambda x: x * v)
    outer = tf.function(lambda x: inner(inner(x)))
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outer(x)
    return tape.gradient(y, [x, v])


@case
def inner_function_under_inner_tape(tf):
    inner = tf.function(lambda x: tf.sin(x))

    @tf.function
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)
        return tape.gradient(y, x)

    return outer(tf.constant(1.0))


@case
def outer_tape_over_inner_gradients_with_variables(tf):
    v = tf.Variable(3.0)

    @tf.function
    def penalty(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = v * x * x
        return tf.square(tape.gradient(y, x))

    with tf.GradientTape() as tape:
        loss = penalty(tf.constant(2.0))
    return [loss, tape.gradient(loss, v)]


@case
def integer_and_string_inputs(tf):
    f = tf.function(lambda x, k, s: x * tf.cast(k, tf.float32))
    x, k = tf.constant(2.0), tf.constant(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, k, tf.constant("a"))
    return tape.gradient(y, [x, k])


@case
def tf_gradients_inside(tf):
    @tf.function
    def f(x):
        y = x * x * x
        (g,) = tf.gradients(y, x)
        (h,) = tf.gradients(g, x)
        return g, h

    return f(tf.constant(2.0))


@case
def hessians_inside(tf):
    f = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x)[0])
    return f(tf.constant([1.0, 2.0]))


@case
def gradient_of_a_result_of_ragged(tf):
    f = tf.function(lambda r: tf.reduce_sum(r * r))
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        y = f(tf.RaggedTensor.from_row_lengths(values, [1, 2]))
    return tape.gradient(y, values)


@case
def complex_gradients(tf):
    f = tf.function(lambda x: tf.math.real(x * tf.math.conj(x)))
    x = tf.constant(1.0 + 2.0j)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    g = tape.gradient(y, x).numpy()
    return [g.real.item(), g.imag.item()]


@case
def accumulated_through_structures(tf):
    @tf.function
    def f(d):
        return {"p": d["a"] * d["b"][0], "q": [d["b"][0] ** 2]}

    d = {"a": tf.constant(2.0), "b": [tf.constant(3.0)]}
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(d)
        out = f(d)
    return [tape.gradient(out, d), tape.gradient(out["q"], d)]


@case
def gradient_of_a_gradient_function_with_an_effect(tf):
    v = tf.Variable(0.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        return x * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            y = f(x)
        dy = b.gradient(y, x)
    return [dy, a.gradient(dy, x), v.numpy()]


@case
def gradient_called_later(tf):
    f = tf.function(lambda x: tf.nn.softmax(x))
    x = tf.constant([1.0, 2.0, 3.0])
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = f(x)[0]
    f(tf.constant([9.0, 9.0, 9.0]))
    return tape.gradient(y, x)


@case
def gradients_with_dropout_repeat_the_mask(tf):
    @tf.function
    def f(x):
        return tf.nn.dropout(x, 0.5, seed=3)

    x = tf.ones([50])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return bool(np.array_equal(y.numpy(), tape.gradient(y, x).numpy()))
