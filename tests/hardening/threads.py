"""Many threads on one session, one function and eager ops; closing while others run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import placewise as tf

_tf1 = tf.compat.v1


def run_threads(count: int, work: Callable[[int], Any]) -> list[str]:
    """Call `work(i)` in many threads at once; return what they raised."""
    problems: list[str] = []

    def call(index: int) -> None:
        try:
            problem = work(index)
            if problem:
                problems.append(str(problem))
        except Exception as error:
            problems.append(f"{type(error).__name__}: {str(error)[:100]}")

    threads = [threading.Thread(target=call, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
        if thread.is_alive():
            problems.append("a thread never ended")
    return problems


def sessions(threads: int, calls: int) -> list[str]:
    """Run one session from many threads: each gets the result of its own feed."""
    with tf.Graph().as_default():
        x = _tf1.placeholder(tf.float32, [3])
        total = _tf1.get_variable("total", [], initializer=_tf1.zeros_initializer())
        y, add = tf.reduce_sum(x * 2.0), _tf1.assign_add(total, 1.0, use_locking=True)
        with _tf1.Session() as session:
            session.run(total.initializer)

            def work(index: int) -> str | None:
                for call in range(calls):
                    value = float(index * calls + call) % 1000
                    if session.run(y, {x: [value] * 3}) != 6 * value:
                        return "wrong result"
                    session.run(add)
                return None

            problems = run_threads(threads, work)
            if session.run(total) != threads * calls:
                problems.append(f"{session.run(total)} of {threads * calls} locked updates")
    return problems


def functions(threads: int, calls: int) -> list[str]:
    """Call one function from many threads, with several traces."""
    double = tf.function(lambda x: tf.reduce_sum(x) * 2.0)

    def work(index: int) -> str | None:
        for call in range(calls):
            size = 1 + (index + call) % 4
            if double(tf.fill([size], 3.0)).numpy() != 6.0 * size:
                return "wrong result"
        return None

    return run_threads(threads, work)


def eager(threads: int, calls: int) -> list[str]:
    """Compute gradients in many threads, each on its own device scope and tape."""

    def work(index: int) -> str | None:
        x = tf.Variable(float(index))
        for _ in range(calls):
            with tf.GradientTape() as tape:
                y = x * x
            if tape.gradient(y, x).numpy() != 2.0 * index:
                return "wrong gradient"
        return None

    return run_threads(threads, work)


def closing(rounds: int) -> list[str]:
    """Close a session while others run it: they end with TensorFlow's error or a result."""
    problems: list[str] = []
    for _ in range(rounds):
        with tf.Graph().as_default():
            x = _tf1.placeholder(tf.float32, [64, 64])
            problems += run_threads(4, _closer(_tf1.Session(), x, tf.linalg.matmul(x, x)))
    return problems


def _closer(session: Any, x: Any, y: Any) -> Callable[[int], Any]:
    feed = np.ones((64, 64), "f")

    def work(index: int) -> Any:
        if not index:
            return session.close()
        try:
            while True:
                session.run(y, {x: feed})
        except (RuntimeError, tf.errors.CancelledError) as error:
            return None if "closed" in str(error).lower() else str(error)

    return work
