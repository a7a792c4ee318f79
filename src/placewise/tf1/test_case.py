"""tf.test.TestCase of TensorFlow 1: each test has a graph of its own, and sessions to run it."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise import messages
from placewise.core.scope import Scope, current
from placewise.eager.device_scope import device
from placewise.graph.defaults import get_default_graph
from placewise.graph.seeds import set_random_seed
from placewise.session.session import Session, get_default_session
from placewise.test import case

if TYPE_CHECKING:
    from placewise.graph.variables import RefVariable


_SEED = 87654321


class TestCase(case.TestCase):
    """A test case of unittest whose tests write graphs and run them in `self.session()`.

    `methodName`: the name of the test to run; unittest passes it.

    Each test has a default graph of its own, and random numbers that begin with the same seed.
    `test_session` is the former name of `cached_session`. The assertions are those of
    `tf.test.TestCase`.

    >>> class Adding(tf.compat.v1.test.TestCase):
    ...     def test_sum(self):
    ...         with tf.Graph().as_default(), self.session() as session:
    ...             self.assertEqual(session.run(tf.constant(1) + 2), 3)
    >>> Adding("test_sum").run().wasSuccessful()
    True
    """

    _cached: Any = None

    def setUp(self) -> None:
        """Begin with an empty graph and fixed seeds."""
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        if current.interpreter is not Scope.eager:
            set_random_seed(_SEED)

    def tearDown(self) -> None:
        """Close the session that the test's blocks shared."""
        if self._cached is not None:
            self._cached.close()
            self._cached = None
        super().tearDown()

    def _made(self, graph: Any, config: Any, force_gpu: bool) -> Any:
        used = messages.ConfigProto()
        if config is not None:
            used.CopyFrom(config)
        else:
            used.allow_soft_placement = not force_gpu
        return Session(graph=graph, config=used)

    @contextlib.contextmanager
    def _inside(self, session: Session, use_gpu: bool, force_gpu: bool) -> Iterator[Any]:
        """Make a session and its graph the default ones for a block, on a GPU if asked."""
        wanted = "/device:GPU:0" if force_gpu else None if use_gpu else "/device:CPU:0"
        with session.graph.as_default(), session.as_default(), contextlib.ExitStack() as stack:
            if wanted is not None:
                stack.enter_context(device(wanted))
            yield session

    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Any]:
        """Return a context with a new session of the default graph, or of the one given."""
        if current.interpreter is Scope.eager:
            with super().session(graph, config, use_gpu, force_gpu) as found:
                yield found
            return
        made = self._made(graph or get_default_graph(), config, force_gpu)
        try:
            with self._inside(made, use_gpu, force_gpu) as session:
                yield session
        finally:
            made.close()

    @contextlib.contextmanager
    def cached_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Iterator[Any]:
        """Return a context with a session that all such blocks of a test share."""
        if current.interpreter is Scope.eager:
            with super().cached_session(graph, config, use_gpu, force_gpu) as found:
                yield found
            return
        if self._cached is None:
            self._cached = self._made(graph or get_default_graph(), config, force_gpu)
        with self._inside(self._cached, use_gpu, force_gpu) as session:
            yield session

    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = False, force_gpu: bool = False
    ) -> Any:
        """As `cached_session`, or `session` where a graph is given, under its oldest name."""
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        chosen = self.cached_session if graph is None else self.session
        return chosen(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors: RefVariable) -> Any:
        """Return tensors, or a structure of them, as NumPy values."""
        if current.interpreter is Scope.eager:
            return super().evaluate(tensors)
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.cached_session() as session:
            return session.run(tensors)
