"""What functions hold on to, and what they leave behind when something fails."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import placewise as tf
from placewise.core.scope import Scope, current
from placewise.functions import execution

MIB = 1 << 20


def in_use() -> int:
    """Return the bytes in use on the simulated GPU."""
    gc.collect()
    found: int = tf.config.experimental.get_memory_info("GPU:0")["current"]
    return found


def test_the_arguments_of_the_first_call_are_let_go() -> None:
    f = tf.function(lambda x: tf.reduce_sum(x))
    first = tf.ones([1000])
    content = weakref.ref(first._value)
    f(first)
    del first
    gc.collect()
    assert content() is None


def test_what_a_function_computes_on_the_way_is_freed() -> None:
    with tf.simulate("V100"):
        f = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * tf.sin(x) + x))
        x = tf.ones([256, 256])
        f(x)
        before = in_use()
        for _ in range(20):
            f(x)
        assert in_use() == before


def test_a_thousand_training_steps_do_not_grow() -> None:
    with tf.simulate("V100"):
        w = tf.Variable(tf.ones([64, 64]))

        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ w) ** 2)
            w.assign_sub(0.001 * tape.gradient(loss, w))
            return loss

        x = tf.ones([8, 64])
        step(x)
        before = in_use()
        for _ in range(1000):
            step(x)
        assert in_use() == before


def test_gradients_outside_let_go_of_what_was_kept() -> None:
    with tf.simulate("V100"):
        f = tf.function(lambda x: tf.reduce_sum(tf.exp(x) * tf.sin(x)))
        x = tf.ones([128, 128])

        def once() -> None:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = f(x)
            tape.gradient(y, x)

        once()
        before = in_use()
        for _ in range(10):
            once()
        assert in_use() == before


def test_running_out_of_memory_inside_is_recovered_from() -> None:
    with tf.simulate("V100"):
        f = tf.function(lambda n: tf.reduce_sum(tf.ones([n, n]) + 1.0))
        small = float(f(tf.constant(10)))
        before = in_use()
        with pytest.raises(tf.errors.ResourceExhaustedError):
            f(tf.constant(200_000))
        assert in_use() == before
        assert float(f(tf.constant(10))) == small


def test_a_failed_trace_restores_every_scope() -> None:
    @tf.function
    def f(x: Any) -> Any:
        with tf.name_scope("inner"), tf.device("/cpu:0"), tf.GradientTape() as tape:
            tape.watch(x)
            raise RuntimeError("stop")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="stop"):
            f(tf.constant(1.0))
        assert current.interpreter is Scope.eager
        assert current.tapes == () and current.name_scope == "" and current.request == ""


def test_a_function_goes_with_its_object() -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(np.ones(10, np.float32))

        @tf.function
        def call(self, x: Any) -> Any:
            return x * self.w

    model = Model()
    model.call(tf.ones([10]))
    held = weakref.ref(model)
    del model
    gc.collect()
    assert held() is None


def test_variables_are_made_once_however_many_threads_call_first() -> None:
    class Holder(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v: Any = None

        @tf.function
        def add(self, x: Any) -> Any:
            if self.v is None:
                self.v = tf.Variable(0.0)
            return self.v.assign_add(x)

    holder = Holder()
    threads = [threading.Thread(target=lambda: holder.add(tf.constant(1.0))) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert holder.v.numpy() == 6.0
    assert len(holder.variables) == 1


def test_plans_are_made_once_however_many_threads_call_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = execution.Executor._plan
    made = []

    def slow(*arguments: Any) -> Any:
        time.sleep(0.05)
        made.append(plan(*arguments))
        return made[-1]

    def call() -> None:
        results.append(float(double(tf.constant(2.0))))

    double = tf.function(lambda x: x * 2.0)
    double.get_concrete_function(tf.TensorSpec([]))
    results: list[float] = []
    monkeypatch.setattr(execution.Executor, "_plan", slow)
    threads = [threading.Thread(target=call) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert results == [4.0] * 4
    assert len(made) == 1
