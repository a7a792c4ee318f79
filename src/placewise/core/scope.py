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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from placewise.core.interpreter import Deferred, Interpreter
from placewise.core.runtime import State, runtime

if TYPE_CHECKING:
    from placewise.core.cancellation import Cancellation


class _FirstUse(Deferred):
    """Loads the eager runtime when the first op of the process is called."""

    graph = None
    control_flow = None
    tf1_nodes = None

    def load(self) -> Interpreter:
        """Import the eager runtime; from now on it runs the ops of this thread."""
        interpreter: Interpreter = importlib.import_module("placewise.eager.dispatch").interpreter
        Scope.eager = interpreter
        if current.interpreter is self:
            current.interpreter = interpreter
        return interpreter

    def capture(self, tensor: Any, name: str | None) -> Any:
        """Return a tensor as it is."""
        return tensor


class _FirstGraphUse(Deferred):
    """Loads graphs when the first op of a TensorFlow 1 program is called."""

    makes_variables = True

    def load(self) -> Interpreter:
        """Import graphs; from now on ops are written into the default graph."""
        importlib.import_module("placewise.graph.defaults").disable_eager_execution()
        return current.interpreter


class Era(State):
    """Which TensorFlow the program is one of."""

    # What a thread begins with: None is eager, a recorder if the program is one of TensorFlow 1.
    base: Interpreter | None = None
    # Is it a program of TensorFlow 1 itself, or of its names in TensorFlow 2?
    is_tf1: bool = False
    # Are the items of a TensorShape objects, as in TensorFlow 1, or numbers?
    dimensions_are_objects: bool = False
    # Does `==` of eager tensors and variables compare elements, or is it identity?
    compares_tensors: bool = True
    # Was `placewise.v1` imported, and do ops go into graphs since?
    used_tf1: bool = False
    # Was a name of TensorFlow 2's namespace looked up?
    used_tf2: bool = False


era = runtime.state(Era)


class Scope(State, threading.local):
    """One thread's place in the program: interpreter, device request, tapes, name prefix.

    Layers above put their own frames here, so the type of a frame may be unknown to this layer.
    """

    # What runs ops at once. Set for good when the eager runtime is loaded, so it is no state.
    eager: ClassVar[Interpreter] = _FirstUse()

    interpreter: Interpreter
    # The device on which plain eager ops run at once; None when there is none (a graph, a device
    # that does not exist) or when it must be worked out anew. The fast path reports to `tapes`
    # what ran, and leaves to the general path while `watch.on`.
    fast: Any
    # `tf.device`: the merged request in force, and those of all blocks around.
    request: str
    requests: tuple[str, ...]
    # The request that stands for a whole task: functions may use any device of it.
    task_request: str | None
    tapes: tuple[Any, ...]
    name_scope: str
    # `tf.variable_creator_scope`, the outermost first.
    variable_creators: tuple[Callable[..., Any], ...]
    # Default sessions, the innermost last.
    sessions: tuple[Any, ...]
    # When a session's run must be over, by `time.monotonic`; None: it may last.
    deadline: float | None
    # Ends waits of a thread that runs a step for another task; None: nobody can.
    cancellation: Cancellation | None
    # Where tensors of copied function bodies are now, by id, while their gradient rules run.
    relocations: tuple[dict[int, Any], ...]
    # Strategies entered (`distribute.context.Place`), and the replica of this thread.
    distribution: tuple[Any, ...]
    replica: int | None
    # Are kernels run on stand-ins without data? Then they must not look at values.
    is_compiling: bool

    def __init__(self) -> None:
        # Set on the object and not as defaults of the class, so that `fields` has them all.
        self.interpreter = era.base or Scope.eager
        self.fast = None
        self.request, self.requests = "", ()
        self.task_request = None
        self.tapes = ()
        self.name_scope = ""
        self.variable_creators = ()
        self.sessions, self.deadline, self.cancellation = (), None, None
        self.relocations = ()
        self.distribution, self.replica = (), None
        self.is_compiling = False

    def apply(self) -> None:
        """Use the eager runtime directly if it is loaded already."""
        if isinstance(self.interpreter, _FirstUse):
            self.interpreter = Scope.eager

    def fields(self) -> dict[str, Any]:
        """Return a copy of this thread's fields."""
        return dict(self.__dict__)

    def set_fields(self, fields: dict[str, Any]) -> None:
        """Let the fields of another thread hold in this one."""
        self.__dict__.update(fields)


current = runtime.state(Scope)


class Unit(NamedTuple):
    """The beginning or the end of a run of a session, a call of a function, or a tape.

    `what` is the plan, the function or the tape; `graph` the graph that it belongs to, if any;
    `inputs` the contents that the program passes to it.
    """

    kind: str  # "session", "function" or "tape"
    is_end: bool
    what: Any
    graph: Any = None
    inputs: tuple[Any, ...] = ()
    failed: bool = False  # it ended with an error


class Watch(State):
    """Process-wide switch: does anything watch every op (placement log, record, copy guard)?

    Functions in `after_op` are called with each op that ran, its inputs and its outputs. `moved`
    is called with the torch devices and the bytes of each tensor that goes to another memory,
    `fetching` with each content that the program is about to read, its device and why.
    `copied` is called with a content and its copy on another device. `unit` is called with what is
    about to begin, or has ended, of the parts that a program's steps are made of. `listing` is
    called when the program asks which devices there are.
    """

    __slots__ = ("after_op", "copied", "fetching", "listing", "moved", "on", "refresh", "unit")

    on: bool
    after_op: list[Callable[[Any, Any, Any], None]]
    moved: Callable[[Any, Any, int], None] | None
    fetching: Callable[..., None] | None
    copied: Callable[[Any, Any], None] | None
    unit: Callable[[Unit], None] | None
    listing: Callable[[], None] | None

    def __init__(self) -> None:
        self.on = False
        self.after_op = []
        self.moved = None
        self.fetching = None
        self.copied = None
        self.unit = None
        self.listing = None
        # Not a value: the eager runtime puts its own here when it is imported.
        self.refresh: Callable[[], None] = self._refresh

    def note_listing(self) -> None:
        """Say that the program asks which devices there are."""
        if self.listing is not None:
            self.listing()

    def _refresh(self) -> None:
        self.on = bool(self.after_op)  # until the eager runtime installs its own, which checks more


watch = runtime.state(Watch)


@contextmanager
def replaced(**values: Any) -> Iterator[None]:
    """Set fields of this thread's scope for a block; the fast path is worked out anew."""
    before = {field: getattr(current, field) for field in values}
    before["fast"] = current.fast
    try:  # from here on: Ctrl-C may come between two fields
        for field, value in values.items():
            setattr(current, field, value)
        if "fast" not in values:
            current.fast = None
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
    era.is_tf1 = True
    if era.base is None:
        era.base = _FirstGraphUse()
        current.interpreter = era.base
        current.fast = None
