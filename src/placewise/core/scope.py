"""The scope stack: what an op call means in this thread, right now.

Every op call crosses one point, `bind`, and asks the thread's `Scope` what to do: run it (eager),
record it (a graph), watch it (a tape). What nests (device, tape, name, graph) is set here for the
time of a `with` block and put back after it. Each thread has its own.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Interpreter(Protocol):
    """What gives an op call its meaning."""

    def run(self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
        """Run or record one op."""

    def constant(self, value: Any, dtype: Any, shape: Any, name: str | None) -> Any:
        """Return a tensor that holds a host value."""


class _FirstUse:
    """Loads the eager runtime when the first op of the process is called."""

    def _eager(self) -> Interpreter:
        interpreter: Interpreter = importlib.import_module("placewise.eager.dispatch").interpreter
        Scope.eager = interpreter
        if current.interpreter is self:
            current.interpreter = interpreter
        return interpreter

    def run(self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
        """Load the eager runtime, then run the op there."""
        return self._eager().run(op, inputs, attrs, name)

    def constant(self, value: Any, dtype: Any, shape: Any, name: str | None) -> Any:
        """Load the eager runtime, then make the constant there."""
        return self._eager().constant(value, dtype, shape, name)

    def capture(self, tensor: Any, name: str | None) -> Any:
        """Return a tensor as it is."""
        return tensor


class _FirstGraphUse:
    """Loads graphs when the first op of a TensorFlow 1 program is called."""

    def _recorder(self) -> Interpreter:
        importlib.import_module("placewise.graph.defaults").disable_eager_execution()
        return current.interpreter

    @property
    def graph(self) -> Any:
        """The default graph."""
        return self._recorder().graph  # type: ignore[attr-defined]  # a recorder has one

    def run(self, op: Any, inputs: tuple[Any, ...], attrs: dict[str, Any], name: str | None) -> Any:
        """Load graphs, then write the op down there."""
        return self._recorder().run(op, inputs, attrs, name)

    def constant(self, value: Any, dtype: Any, shape: Any, name: str | None) -> Any:
        """Load graphs, then make the constant there."""
        return self._recorder().constant(value, dtype, shape, name)

    def capture(self, tensor: Any, name: str | None) -> Any:
        """Load graphs, then take the tensor in there."""
        return self._recorder().capture(tensor, name)  # type: ignore[attr-defined]


class Scope(threading.local):
    """One thread's place in the program: interpreter, device request, tapes, name prefix.

    `fast` is the device on which plain eager ops run at once, or None when there is none (a
    graph, a device that does not exist). A fast path tells `tapes` what ran, and leaves to the
    general one while `watch.on`.
    """

    eager: Interpreter = _FirstUse()
    # What a thread begins with: eager, unless the program is one of TensorFlow 1.
    base: Interpreter | None = None
    # Is it a program of TensorFlow 1 itself, or of its names in TensorFlow 2?
    is_tf1: bool = False
    is_compiling: bool = False  # kernels run on stand-ins then: they must not look at values

    def __init__(self) -> None:
        self.interpreter: Interpreter = Scope.base or Scope.eager
        self.fast: Any = None
        self.request: str = ""
        self.requests: tuple[str, ...] = ()
        self.tapes: tuple[Any, ...] = ()
        self.name_scope: str = ""
        self.replica: Any = None


current = Scope()


class Watch:
    """Process-wide switch: does anything watch every op (placement log, record, copy guard)?

    Functions in `after_op` are called with each op that ran, its inputs and its outputs. `moved`
    is called with the torch devices and the bytes of each tensor that goes to another memory,
    `fetching` with each content that the program is about to read, its device and why.
    """

    __slots__ = ("after_op", "fetching", "moved", "on", "refresh")

    def __init__(self) -> None:
        self.on = False
        self.after_op: list[Callable[[Any, Any, Any], None]] = []
        self.moved: Callable[[Any, Any, int], None] | None = None
        self.fetching: Callable[..., None] | None = None
        self.refresh: Callable[[], None] = self._refresh

    def _refresh(self) -> None:
        self.on = bool(self.after_op)  # until the eager runtime, with more to ask, puts its own


watch = Watch()


@contextmanager
def replaced(**values: Any) -> Iterator[None]:
    """Set fields of this thread's scope for a block; the fast path is worked out anew."""
    before = {field: getattr(current, field) for field in values}
    before["fast"] = current.fast
    for field, value in values.items():
        setattr(current, field, value)
    if "fast" not in values:
        current.fast = None
    try:
        yield
    finally:
        if isinstance(before.get("interpreter"), _FirstUse):
            before["interpreter"] = Scope.eager  # the block may have been the first use
        for field, value in before.items():
            setattr(current, field, value)


def has_run_eagerly() -> bool:
    """Return True once an op of this process ran at once."""
    return not isinstance(Scope.eager, _FirstUse)


def begin_with_graphs() -> None:
    """Let the program be one of TensorFlow 1: ops go into a default graph, in every thread."""
    Scope.is_tf1 = True
    if Scope.base is None:
        Scope.base = _FirstGraphUse()
        current.interpreter = Scope.base
        current.fast = None
