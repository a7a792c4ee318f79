"""tf.function: traces, signatures, Python's own control flow turned into graphs."""

import sys

import tensorflow as tf

traces = []


@tf.function
def double(x):
    traces.append(x.dtype.name)
    print("tracing with", x.dtype.name, x.shape)
    return x + x


double(tf.constant(1))
double(tf.constant(2))
double(tf.constant(1.5))
double(tf.constant([1, 2]))
print("traced", len(traces), "times;", double(tf.constant(21)).numpy())


@tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
def next_collatz(x):
    return tf.where(x % 2 == 0, x // 2, 3 * x + 1)


print(next_collatz(tf.constant([1, 2, 7])).numpy().tolist())
try:
    next_collatz(tf.constant([[1, 2], [3, 4]]))
except (ValueError, TypeError) as error:
    print("wrong shape:", type(error).__name__)


@tf.function
def collatz_steps(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


print("steps from 27:", collatz_steps(tf.constant(27)).numpy())


@tf.function
def fizzbuzz(top):
    words = tf.TensorArray(tf.string, size=0, dynamic_size=True)
    for i in tf.range(1, top + 1):
        if i % 15 == 0:
            words = words.write(i - 1, "fizzbuzz")
        elif i % 3 == 0:
            words = words.write(i - 1, "fizz")
        elif i % 5 == 0:
            words = words.write(i - 1, "buzz")
        else:
            words = words.write(i - 1, tf.strings.as_string(i))
    return words.stack()


print(b" ".join(fizzbuzz(tf.constant(15)).numpy()).decode())


@tf.function
def first_above(values, limit):
    found = tf.constant(-1.0)
    for v in values:
        if v < 0:
            continue
        if v > limit:
            found = v
            break
    return found


print(first_above(tf.constant([1.0, -9.0, 5.0, 7.0]), 4.0).numpy())
counter = tf.Variable(0)


@tf.function
def count(by=1):
    counter.assign_add(by)
    if counter > 5:
        tf.print("past five:", counter, output_stream=sys.stdout)
    return counter.read_value()


print([int(count(2)) for _ in range(3)])
graph = double.get_concrete_function(tf.TensorSpec([None], tf.float32)).graph
print([op.type for op in graph.get_operations()][:2])
with tf.GradientTape() as tape:
    x = tf.Variable(3.0)
    y = tf.function(lambda t: t * t * 2.0)(x)
print("gradient through it:", tape.gradient(y, x).numpy())
tf.config.run_functions_eagerly(True)
double(tf.constant(1))
double(tf.constant(1))
tf.config.run_functions_eagerly(False)
print("run eagerly, the body runs each time:", len(traces))
try:

    @tf.function
    def checked(x):
        tf.debugging.assert_positive(x, message="needs positive numbers")
        return tf.sqrt(x)

    print(checked(tf.constant(4.0)).numpy())
    checked(tf.constant(-4.0))
except tf.errors.InvalidArgumentError as error:
    print("needs positive numbers" in str(error))
