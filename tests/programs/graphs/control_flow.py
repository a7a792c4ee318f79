"""Decisions and loops that are part of the graph."""

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [], name="x")
branch = tf.cond(x > 0, lambda: tf.sqrt(x), lambda: -x)
which = tf.case(
    [(x < -1, lambda: tf.constant("low")), (x > 1, lambda: tf.constant("high"))],
    default=lambda: tf.constant("middle"),
)

# The greatest common divisor.
a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
gcd, _ = tf.while_loop(lambda m, n: n > 0, lambda m, n: (n, m % n), [a, b])

# A loop whose value grows in shape.
_, triangle = tf.while_loop(
    lambda i, t: i < 4,
    lambda i, t: (i + 1, tf.concat([t, [t[-1] + i + 1]], 0)),
    [tf.constant(1), tf.constant([1])],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
)

values = tf.constant([1.0, 2.0, 3.0, 4.0])
running = tf.scan(lambda total, v: total + v, values)
fibonacci = tf.scan(lambda pair, _: (pair[1], pair[0] + pair[1]), tf.range(8), initializer=(0, 1))
squares = tf.map_fn(lambda v: v * v, values)
sums, products = tf.map_fn(
    lambda pair: (pair[0] + pair[1], pair[0] * pair[1]),
    (values, values),
    dtype=(tf.float32, tf.float32),
)
folded = tf.foldl(lambda acc, v: acc * 10 + v, tf.constant([1, 2, 3]))
backwards = tf.foldr(lambda acc, v: acc * 10 + v, tf.constant([1, 2, 3]))


def collect(count):
    array = tf.TensorArray(tf.float32, size=count, element_shape=[])
    _, array = tf.while_loop(
        lambda i, _: i < count,
        lambda i, arr: (i + 1, arr.write(i, tf.cast(i, tf.float32) ** 2)),
        [0, array],
    )
    return array.stack()


written = collect(5)
# Through a loop: d/dx of x applied to itself, five times.
power = tf.while_loop(lambda i, p: i < 5, lambda i, p: (i + 1, p * x), [0, tf.constant(1.0)])[1]
slope = tf.gradients(power, x)[0]
bent = tf.gradients(branch, x)[0]

counter = tf.Variable(0)
with tf.control_dependencies([tf.assign_add(counter, 5)]):
    after = tf.identity(counter.read_value())
checked = tf.Assert(x < 10, ["x is", x])
with tf.control_dependencies([checked]):
    safe = tf.identity(x)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([float(sess.run(branch, {x: v})) for v in (9.0, -3.0)])
    print([sess.run(which, {x: v}).decode() for v in (-5, 0, 5)])
    print("gcd", sess.run(gcd, {a: 84, b: 36}), "triangle", sess.run(triangle).tolist())
    print(sess.run(running).tolist(), [f.tolist() for f in sess.run(fibonacci)][0])
    print(sess.run(squares).tolist(), sess.run(sums).tolist(), sess.run(products).tolist())
    print([int(n) for n in sess.run([folded, backwards])], sess.run(written).tolist())
    print(
        "slope",
        float(sess.run(slope, {x: 2.0})),
        [round(float(sess.run(bent, {x: v})), 4) for v in (4.0, -4.0)],
    )
    print("after", sess.run(after), "then", sess.run(counter))
    try:
        sess.run(safe, {x: 11.0})
    except tf.errors.InvalidArgumentError as error:
        print("assertion failed: [x is] [11]" in error.message)
    print(np.round(sess.run(values) / 4, 2).tolist())
