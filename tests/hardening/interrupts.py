"""Ctrl-C at random moments: the state stays usable, and no variable is half updated."""

from __future__ import annotations

import random
import signal
import time
from typing import Any

import numpy as np

import placewise as tf

_tf1 = tf.compat.v1
SIZE = 50_000


def _uniform(value: Any, what: str) -> str | None:
    return None if (value == value.flat[0]).all() else f"{what} is half updated"


def _raise(*_: object) -> None:
    raise KeyboardInterrupt


class Interrupts:
    """The n-th interrupt, in a session, a function, eager ops or `fit`, by turns."""

    def __init__(self) -> None:
        self.last = ""
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.v = _tf1.get_variable("v", [SIZE], initializer=_tf1.zeros_initializer())
            self.step = _tf1.assign_add(self.v, tf.ones([SIZE]))
            self.session = _tf1.Session(graph=self.graph)
            self.session.run(self.v.initializer)
        self.w = tf.Variable(tf.zeros([SIZE]))
        self.function = tf.function(lambda: self.w.assign_add(tf.ones([SIZE])))
        self.function()
        keras = tf.keras
        self.model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
        self.model.compile("sgd", "mse")
        self.rows = np.ones((64, 4), "f"), np.ones((64, 1), "f")
        self.model.fit(*self.rows, verbose=0)

    def run(self, number: int) -> str | None:
        """Interrupt one kind of work, then check what is left of it."""
        rng = random.Random(number)
        kinds = (self._session, self._function, self._eager, self._fit)
        work = kinds[number % len(kinds)]
        self.last = work.__name__
        signal.signal(signal.SIGINT, _raise)
        end = time.monotonic() + 5
        signal.signal(signal.SIGALRM, _raise)
        signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.0005, 0.02))
        try:
            while time.monotonic() < end:
                work()
        except KeyboardInterrupt:
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        work()  # it still works
        values = (self.session.run(self.v), self.w.numpy())
        return _uniform(values[0], "a session's variable") or _uniform(values[1], "a variable")

    def _session(self) -> None:
        self.session.run(self.step)

    def _function(self) -> None:
        self.function()

    def _eager(self) -> None:
        self.w.assign_add(tf.ones([SIZE]))

    def _fit(self) -> None:
        self.model.fit(*self.rows, batch_size=16, verbose=0)
