"""Replicas as threads that take turns: each runs until it meets the others or is done.

Only one of them runs at any time, so what they write into a graph, and what they draw of random
numbers, comes in the same order every time.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from placewise.core.arguments import TensorLike
from placewise.core.function_mode import function_mode
from placewise.core.runtime import State, runtime
from placewise.core.scope import Scope, current, replaced
from placewise.core.tensor import Tensor
from placewise.distribute.context import Place, entered
from placewise.distribute.values import regrouped, selected
from placewise.eager.device_scope import device
from placewise.functions.polymorphic import Function
from placewise.graph.variable_scope import get_variable_scope, variable_scope
from placewise.watchdog import watchdog


def run_replicas(strategy: Any, fn: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call `fn` once per replica, each on its device, and return what they return, regrouped."""
    devices = strategy.extended.worker_devices
    is_function = isinstance(fn, Function) and strategy.extended.lifts_functions
    is_eager = current.interpreter is Scope.eager and not function_mode.run_eagerly
    if len(devices) == 1 and not (is_function and is_eager):
        return _alone(strategy, devices[0], fn, args, kwargs)
    if not strategy.extended.is_watched:
        strategy.extended.is_watched = True
        watchdog.start()
    if isinstance(fn, Function):
        if is_eager:
            return _lifted(strategy, fn)(tuple(args), dict(kwargs))
        fn = fn._converted() if fn._autograph else fn.python_function
    meeting = _Meeting(strategy, len(devices))
    threads = [
        _Replica(meeting, index, devices[index], fn, args, kwargs) for index in range(len(devices))
    ]
    return meeting.run(threads)


@dataclass(slots=True)
class LiftedFunctions(State):
    """The graph that holds all replicas of a function, by function and id of its strategy."""

    by_function: weakref.WeakKeyDictionary[Function, dict[int, Any]] = field(
        default_factory=weakref.WeakKeyDictionary
    )


_lifted_functions = runtime.state(LiftedFunctions)


def _lifted(strategy: Any, fn: Function) -> Function:
    """Return one graph that holds all replicas of a function, in which they can meet."""
    known = _lifted_functions.by_function.setdefault(fn, {})
    made = known.get(id(strategy))
    if made is None or made[0] is not strategy:
        inner = fn._converted() if fn._autograph else fn.python_function

        def all_replicas(args: Tensor, kwargs: dict[str, Any]) -> Any:
            return run_replicas(strategy, inner, args, kwargs)

        lifted = Function(all_replicas, fn.name, None, False, fn._jit_compile, fn._reduce_retracing)
        made = known[id(strategy)] = (strategy, lifted)
    return made[1]


def _alone(
    strategy: Any, device_name: str, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> Any:
    context = strategy.extended.replica_kind(strategy, 0)
    with context, device(device_name):
        return fn(*selected(0, tuple(args)), **selected(0, dict(kwargs)))


class _CallerScope:
    """The scope of the calling thread, which a replica's thread takes over."""

    def __init__(self) -> None:
        self._fields = current.fields()
        self._graph = current.interpreter.graph
        self._scopes = None if self._graph is None else dict(self._graph.scopes.__dict__)

    def enter(self) -> None:
        """Set the scope in this thread."""
        current.set_fields(self._fields)
        if self._graph is not None:
            self._graph.scopes.__dict__.update(self._scopes)


class _Replica(threading.Thread):
    """The thread of one replica; it runs when it is told to go on."""

    def __init__(
        self, meeting: _Meeting, index: int, device_name: str, fn: Any, args: Any, kwargs: Any
    ) -> None:
        super().__init__(name=f"replica_{index}", daemon=True)
        self.meeting, self.index = meeting, index
        number = meeting.strategy.extended.first_replica + index
        self.description = f"replica {number} ({device_name.rpartition('/device:')[2]})"
        self._device, self._fn = device_name, fn
        self._args, self._kwargs = args, kwargs
        self._around = _CallerScope()
        self.turn = threading.Event()
        self.result: Any = None
        self.failure: BaseException | None = None
        self.is_done = False
        self.asks: Any = None  # (merge_fn, args, kwargs) while it waits for the others
        self.answer: Any = None
        self.graph = current.interpreter.graph
        self._variable_scope = _variable_scope_of_caller()
        self.scope_name = ""
        self.fields: dict[str, Any] = {}

    @property
    def has_turn(self) -> bool:
        """Do the others wait for this one? The watchdog asks."""
        return self.meeting.running is self

    def run(self) -> None:
        """Run the function of this replica."""
        self.turn.wait()
        self.turn.clear()
        try:
            if not self.meeting.is_broken:
                self._around.enter()
                # Replicas take turns, so they need no lock that the calling thread holds.
                current.replica = self.index
                strategy = self.meeting.strategy
                context = strategy.extended.replica_kind(strategy, self.index)
                context.meeting = self.meeting
                with context, device(self._device), _named(self.index), self._reusing():
                    self.result = self._fn(
                        *selected(self.index, tuple(self._args)),
                        **selected(self.index, dict(self._kwargs)),
                    )
        except BaseException as failure:
            self.failure = failure
        finally:
            self.is_done = True
            self.meeting.back.set()

    def _reusing(self) -> AbstractContextManager[Any]:
        """Enter the caller's variable scope; all replicas but the first find the first's."""
        if self._variable_scope is None:
            return nullcontext()
        return variable_scope(
            self._variable_scope, reuse=self.index > 0, auxiliary_name_scope=False
        )

    def pause(self, asks: tuple[Any, ...]) -> Any:
        """Wait for the others and return what they and this one agreed on."""
        self.asks = asks
        self.meeting.back.set()
        self.turn.wait()
        self.turn.clear()
        if self.meeting.is_broken:
            raise _OtherFailedError("another replica failed")
        answer, self.answer = self.answer, None
        return answer


class _OtherFailedError(Exception):
    """Ends a replica because another one failed."""


class _Meeting:
    """Gives replicas their turns, and calls what they call together."""

    def __init__(self, strategy: Any, count: int) -> None:
        self.strategy, self.count = strategy, count
        self.back = threading.Event()
        self.is_broken = False
        self._threads: list[_Replica] = []
        self.running: _Replica | None = None
        self._tapes = current.tapes
        # Variables made by the first replica, by name, and how many of them each other one took.
        self._variables: dict[str, list[Any]] = {}
        self._taken: dict[tuple[int, str], int] = {}

    def run(self, threads: list[_Replica]) -> Any:
        """Run all replicas to their ends."""
        self._threads = threads
        for thread in threads:
            thread.start()
        try:
            while True:
                for thread in threads:
                    self._let_go_on(thread)
                    if thread.failure is not None:
                        raise thread.failure.with_traceback(thread.failure.__traceback__)
                if all(thread.is_done for thread in threads):
                    return regrouped([thread.result for thread in threads])
                self._merge()
        except BaseException:
            self._break()
            raise

    def _let_go_on(self, thread: _Replica) -> None:
        self.back.clear()
        self.running = thread
        thread.turn.set()
        self.back.wait()
        self.running = None

    def _break(self) -> None:
        """End all replicas: the one that runs, if Ctrl-C came, and those that wait."""
        self.is_broken = True
        if self.running is not None:
            _interrupt(self.running)
            self.back.wait()
            self.running = None
        for thread in self._threads:
            while not thread.is_done:
                self._let_go_on(thread)
        for thread in self._threads:
            thread.join()

    def _merge(self) -> None:
        """Make the call that all replicas wait for."""
        waiting = [thread for thread in self._threads if not thread.is_done]
        if len(waiting) != self.count:
            raise RuntimeError(
                "Some replicas made a different number of replica_context().merge_call() calls."
            )
        merge_fn = waiting[0].asks[0]
        args = tuple(regrouped([list(thread.asks[1]) for thread in waiting]))
        kwargs = regrouped([dict(thread.asks[2]) for thread in waiting])
        with entered(Place(self.strategy, None)), _scopes_of(waiting[0]):
            result = merge_fn(self.strategy, *args, **kwargs)
        for thread in waiting:
            thread.answer = selected(thread.index, result)

    def shared_variable(self, index: int, name: str, make: Callable[[], Any]) -> Any:
        """Called by a replica: return the one variable that all replicas make at this place.

        The first replica makes it at once and goes on: a Keras layer, which all replicas share,
        must be built before the others see it.
        """
        made = self._variables.setdefault(name, [])
        if index == 0:
            with entered(Place(self.strategy, None)):
                made.append(make())
            return made[-1]
        count = self._taken.get((index, name), 0)
        if count >= len(made):
            raise RuntimeError(
                f"Tried to create variable {name} with mismatching name on device {index}: the "
                "first replica made no such variable"
            )
        self._taken[index, name] = count + 1
        return made[count]

    def merge(
        self, index: int, merge_fn: Callable[..., Any], args: TensorLike, kwargs: dict[str, Any]
    ) -> Any:
        """Called by a replica: wait for the others to call the same."""
        thread = self._threads[index]
        graph = current.interpreter.graph
        before = None if graph is None else dict(graph.scopes.__dict__)
        if graph is not thread.graph:
            raise RuntimeError(_IN_ANOTHER_GRAPH)
        thread.scope_name = "" if before is None else before["name"]
        # A replica's own tapes do not see what all replicas do together.
        thread.fields = {
            "interpreter": current.interpreter,
            "tapes": self._tapes,
            "name_scope": current.name_scope,
            "fast": current.fast if graph is None else None,
        }
        return thread.pause((merge_fn, args, kwargs))


def _interrupt(thread: threading.Thread) -> None:
    """Raise KeyboardInterrupt in a thread at its next line of Python."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
        )


_IN_ANOTHER_GRAPH = (
    "`merge_call` called while defining a new graph or a tf.function. This can often happen if the "
    "function `fn` passed to `strategy.run()` contains a nested `@tf.function`, and the nested "
    "`@tf.function` contains a synchronization point, such as aggregating gradients (e.g, "
    "optimizer.apply_gradients), or if the function `fn` uses a control flow statement which "
    "contains a synchronization point in the body. Decorate the function that calls "
    "`strategy.run()` instead, and keep control flow outside of it."
)


@contextmanager
def _scopes_of(thread: _Replica) -> Iterator[None]:
    """Let a replica's names, and the tapes of the caller, hold for a merged call."""
    with replaced(**thread.fields):
        if thread.graph is None:
            yield
            return
        scopes = thread.graph.scopes
        before, scopes.name = scopes.name, thread.scope_name
        try:
            yield
        finally:
            scopes.name = before


def _variable_scope_of_caller() -> Any:
    """Return the variable scope in force, in a graph of TensorFlow 1."""
    in_graph = current.interpreter.graph is not None and not current.interpreter.is_function
    return get_variable_scope() if in_graph else None


def _named(index: int) -> AbstractContextManager[Any]:
    """In a graph, let the ops of all replicas but the first stand under a name of their own."""
    graph = current.interpreter.graph
    if graph is None or not index:
        return nullcontext()
    scope: AbstractContextManager[Any] = graph.name_scope(f"replica_{index}")
    return scope
