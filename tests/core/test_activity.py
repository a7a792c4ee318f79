"""Training steps are counted, and phases last as long as their blocks."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from placewise.core.activity import activity, current_phase, phase


def test_phases_nest_and_end() -> None:
    with phase("tracing"):
        with phase("planning"):
            assert current_phase().name == "planning"
        assert current_phase().name == "tracing"
    assert current_phase() is None


def test_a_phase_ends_with_an_error() -> None:
    @phase("saving")
    def fail() -> None:
        assert current_phase().name == "saving"
        raise OSError

    with pytest.raises(OSError):
        fail()
    assert current_phase() is None


def test_a_thread_ends_its_own_phase() -> None:
    entered, leave = threading.Event(), threading.Event()

    def trace() -> None:
        with phase("tracing"):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=trace)
    with phase("tracing"):
        thread.start()
        entered.wait(10)
    assert current_phase().thread == thread.ident
    leave.set()
    thread.join(10)
    assert current_phase() is None


def test_a_run_that_trains_is_a_step(graph_mode: None) -> None:
    import placewise.v1 as tf

    weight = tf.Variable(1.0)
    counter = tf.Variable(0, trainable=False)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(weight * weight)
    by_hand = tf.assign(weight, weight * 0.5)
    count = tf.assign_add(counter, 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert activity.steps == 0, "setting variables is no step"
        for _ in range(3):
            session.run(train)
        assert activity.steps == 3
        session.run([weight, count])
        assert activity.steps == 3, "reading and counting is no step"
        session.run(by_hand)
        assert activity.steps == 4


def test_a_call_of_a_function_that_trains_is_a_step() -> None:
    import placewise as tf

    weight, seen = tf.Variable(1.0), tf.Variable(0, trainable=False)

    @tf.function
    def train(x):
        weight.assign_sub(0.1 * x)
        return weight * x

    @tf.function
    def evaluate(x):
        seen.assign_add(1)
        return weight * x

    for _ in range(3):
        train(tf.constant(2.0))
        evaluate(tf.constant(2.0))
    assert activity.steps == 3


def test_a_gradient_outside_of_functions_is_a_step() -> None:
    import placewise as tf

    weight = tf.Variable(1.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = weight * weight
        weight.assign_sub(tape.gradient(loss, weight))
    assert activity.steps == 2


def test_a_batch_of_fit_is_a_step() -> None:
    import placewise as tf

    keras = tf.keras
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    x = np.ones((8, 2), "float32")
    model.fit(x, x[:, :1], batch_size=2, epochs=2, verbose=0)
    assert activity.steps == 8
    model.evaluate(x, x[:, :1], batch_size=2, verbose=0)
    assert activity.steps == 8
