"""Plans of many small operations: graphs, functions, gradients, many variables, compilation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LIMIT = 1.0
LIMITS: dict[str, tuple[float, str]] = {}


def in_session(tf: Any, build: Callable[[Any], tuple[Any, Any]], size: int = 4) -> Any:
    """Return a run of what `build` makes of a placeholder of some numbers."""
    v1 = tf.compat.v1
    graph = v1.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [size])
        fetched = build(x)
        session = v1.Session(config=one_thread(v1))
        session.run(v1.global_variables_initializer())
    feed = {x: np.ones(size, np.float32)}
    return lambda: session.run(fetched, feed)


def one_thread(v1: Any) -> Any:
    """Return the settings of a session that has one thread."""
    return v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)


def chained(tf: Any, x: Any, count: int) -> Any:
    """Return x after some multiplications and additions."""
    for place in range(count // 2):
        x = x * 1.0001 + 0.0001 * place
    return x


def chain(tf: Any) -> Callable[[], object]:
    """Run 1,000 operations, one after the other."""
    return in_session(tf, lambda x: chained(tf, x, 1000))


def add_tanh(tf: Any) -> Callable[[], object]:
    """Run 500 additions and 500 tanh."""

    def build(x: Any) -> Any:
        for _ in range(500):
            x = tf.tanh(x + 0.5)
        return x

    return in_session(tf, build)


def wide(tf: Any) -> Callable[[], object]:
    """Run 300 operations beside each other, and add them."""
    return in_session(tf, lambda x: tf.add_n([tf.tanh(x * float(i)) for i in range(300)]))


def gradient(tf: Any) -> Callable[[], object]:
    """Run the gradient of 300 operations."""

    def build(x: Any) -> Any:
        y = x
        for _ in range(150):
            y = tf.tanh(y + 0.1)
        return tf.compat.v1.gradients(y, x)[0]

    return in_session(tf, build)


def function(tf: Any) -> Callable[[], object]:
    """Call a function of 2,000 operations."""
    x = tf.ones([4])
    called = tf.function(lambda x: chained(tf, x, 2000))
    return lambda: called(x)


def variables(tf: Any, count: int) -> Callable[[], object]:
    """Call a step of gradient descent over many variables of 10 numbers."""
    held = [tf.Variable(tf.ones([10])) for _ in range(count)]

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(variable * variable) for variable in held])
        for variable, slope in zip(held, tape.gradient(loss, held), strict=True):
            variable.assign_sub(0.01 * slope)

    return step


def variables_session(tf: Any, count: int) -> Callable[[], object]:
    """Run a step of gradient descent over many variables of 10 numbers, in a session."""
    v1 = tf.compat.v1

    def build(x: Any) -> Any:
        held = [v1.get_variable(f"v{i}", initializer=np.ones(10, np.float32)) for i in range(count)]
        loss = tf.add_n([tf.reduce_sum(variable * variable) for variable in held])
        return v1.train.GradientDescentOptimizer(0.01).minimize(loss)

    return in_session(tf, build)


def compiled(tf: Any) -> Callable[[], object]:
    """Call 20 compiled products of 16 x 16."""
    matrix = tf.ones([16, 16]) / 16.0
    called = tf.function(lambda x: products(tf, x, matrix), jit_compile=True)
    return lambda: called(matrix)


def products(tf: Any, x: Any, matrix: Any) -> Any:
    """Return x after 20 products."""
    for _ in range(20):
        x = tf.nn.relu(tf.matmul(x, matrix) + 0.1)
    return x


def compilation(tf: Any) -> Callable[[], object]:
    """Compile a function of 150 operations."""
    matrix = tf.ones([16, 16]) / 16.0
    counter = iter(range(10**9))

    def compile_once() -> Any:
        factor = 1.0 + 1e-6 * next(counter)  # another one each time, so that no cache has it

        def body(x: Any) -> Any:
            for _ in range(50):
                x = tf.tanh(x * factor + 0.1)
            return x

        return tf.function(body, jit_compile=True)(matrix)

    return compile_once


ROWS: dict[str, Callable[[Any], Callable[[], object]]] = {
    "chain of 1,000, session": chain,
    "add and tanh 500 times, session": add_tanh,
    "300 beside each other, session": wide,
    "gradient of 300, session": gradient,
    "function of 2,000 ops": function,
    "step over 100 variables, function": lambda tf: variables(tf, 100),
    "step over 1,000 variables, function": lambda tf: variables(tf, 1000),
    "step over 100 variables, session": lambda tf: variables_session(tf, 100),
    "step over 1,000 variables, session": lambda tf: variables_session(tf, 1000),
    "jit_compile: 20 small products": compiled,
    "jit_compile: compiling 150 ops": compilation,
}
