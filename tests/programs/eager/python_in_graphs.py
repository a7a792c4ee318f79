"""Python called from graphs, and graphs called from Python."""

import numpy as np
import tensorflow as tf

seen = []


def remember(x):
    seen.append(float(tf.reduce_sum(x)))
    return x * 2


@tf.function
def through(x):
    y = tf.py_function(remember, [x], tf.float32)
    y.set_shape(x.shape)
    return y + 1


print(
    through(tf.constant([1.0, 2.0])).numpy().tolist(),
    through(tf.constant([3.0, 4.0])).numpy().tolist(),
    seen,
)
with tf.GradientTape() as tape:
    x = tf.Variable([1.0, 2.0])
    y = tf.py_function(lambda t: t * t, [x], tf.float32)
print("gradient through Python:", tape.gradient(y, x).numpy().tolist())


def sorted_rows(a):
    return np.sort(a, axis=1).astype(np.float32)


ordered = tf.numpy_function(sorted_rows, [tf.constant([[3.0, 1.0], [2.0, 5.0]])], tf.float32)
print("sorted by NumPy:", ordered.numpy().tolist())


def halves(a):
    middle = len(a) // 2
    return a[:middle], a[middle:], np.int64(len(a))


left, right, size = tf.numpy_function(halves, [np.arange(5.0)], [tf.float64, tf.float64, tf.int64])
print(left.numpy().tolist(), right.numpy().tolist(), int(size))
data = tf.data.Dataset.range(3).map(
    lambda n: tf.py_function(lambda v: v.numpy() ** 2, [n], tf.int64)
)
print([int(n) for n in data])


def broken(_):
    raise ValueError("from inside")


try:
    tf.py_function(broken, [1.0], tf.float32)
except (ValueError, tf.errors.InvalidArgumentError) as error:
    print("its error:", "from inside" in str(error))


@tf.autograph.experimental.do_not_convert
def plain(x):
    return x if isinstance(x, tf.Tensor) else None


print(
    tf.function(plain)(tf.constant(1)).numpy(),
    tf.function(lambda: tf.constant(tf.executing_eagerly()))().numpy(),
)


@tf.function
def nested(values, n):
    # Lists, tuples, dictionaries and Python loops around graph loops.
    out = {"sum": tf.constant(0.0), "parts": []}
    for i in range(n):
        part = tf.constant(0.0)
        for v in values:
            if v > i:
                part += v
        out["parts"].append(part)
        out["sum"] += part
    return out


result = nested(tf.constant([1.0, 2.0, 3.0]), 3)
print(float(result["sum"]), [float(p) for p in result["parts"]])
print(tf.vectorized_map(lambda r: tf.reduce_sum(r) * r, tf.ones([2, 3])).numpy().tolist())
print(
    tf.map_fn(lambda t: (t, -t), tf.range(3), fn_output_signature=(tf.int32, tf.int32))[1]
    .numpy()
    .tolist()
)
print(
    tf.switch_case(tf.constant(1), [lambda: tf.constant("a"), lambda: tf.constant("b")]).numpy(),
    tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)).numpy(),
)
print(
    tf.while_loop(
        lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0))
    )[1].numpy()
)
