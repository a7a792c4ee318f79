"""`tf.Session`: runs parts of a graph on the devices of this machine, and keeps their state."""

from __future__ import annotations

import functools
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from placewise.core.activity import phase
from placewise.core.errors import hint, invalid
from placewise.core.gc_pause import gc_paused
from placewise.core.runtime import State, runtime
from placewise.core.scope import Unit, current, watch
from placewise.core.tensor import Tensor
from placewise.devices.inventory import devices_for
from placewise.graph.defaults import get_default_graph
from placewise.graph.operation import Operation
from placewise.graph.tensor import GraphTensor
from placewise.memory import ledgers
from placewise.ops.state import session_tensors
from placewise.ops.values import Handle, from_numpy, to_numpy
from placewise.planning.emission.arrays import on_arrays
from placewise.planning.errors import let_go_of_values
from placewise.planning.pipeline import build_plan
from placewise.session.closed import closed_session, reset_session, reset_session_of_a_server
from placewise.session.cost_graph import add_costs
from placewise.session.device_attributes import DeviceAttributes
from placewise.session.executable import Executable, Shortcut, as_result
from placewise.session.feeds import fed
from placewise.session.fetches import Fetches
from placewise.session.metadata import Trace, fill, set_partition_graphs
from placewise.session.placement import SessionPlacement
from placewise.session.state import SharedState
from placewise.session.targets import connect, reset_cluster


class PartialRun:
    """A run in parts: what it may still fetch, what it may be fed, what is known so far."""

    def __init__(self, fetches: set[int], feeds: set[int]) -> None:
        self.waiting, self.allowed = fetches, feeds
        self.fed: dict[Any, Any] = {}

    def check(self, elements: list[Any], feeds: list[GraphTensor]) -> None:
        """Raise InvalidArgumentError for what the set-up did not name."""
        for tensor in feeds:
            if id(tensor) not in self.allowed:
                raise invalid(f"The feed {tensor.name} was not specified in partial_run_setup.")
            if tensor in self.fed:
                raise invalid(f"The feed {tensor.name} has already been fed.")
        for element in elements:
            if id(element) not in self.waiting:
                raise invalid(
                    f"The fetch {element.name} was not specified in partial_run_setup, or has "
                    "been fetched already."
                )


class BaseSession:
    """What Session and InteractiveSession share."""

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        self._graph = get_default_graph() if graph is None else graph
        if not hasattr(self._graph, "get_operations"):
            raise TypeError(
                f"Argument `graph` must be a tf.Graph, but got {type(graph).__name__!r}"
            )
        _check_config(config)
        self._config = config
        self._builds_cost_model = config is not None and config.graph_options.build_cost_model > 0
        self._limit: float = 0 if config is None else config.operation_timeout_in_ms / 1000
        self._cluster = connect(target, self._graph, config)
        self._held = self._devices = () if self._cluster is not None else devices_for(config)
        self._claim = ledgers.claim(self._held)
        ledgers.attach(self._held)
        if self._cluster is not None:
            self._devices = self._cluster.devices
        self._state = SharedState()
        self._handles = self._state.handles
        self._placement = SessionPlacement(self._graph, self._devices, config, self._cluster)
        self._store = session_tensors.Store()
        self._partial: dict[str, PartialRun] = {}
        self._executables: dict[Any, Executable] = {}
        self._shortcuts: dict[tuple[int, ...], Shortcut] = {}
        self._fetched: dict[tuple[int, ...], Fetches] = {}  # of runs on a cluster
        self._lock = threading.RLock()
        self._closed = False
        self._closed_problem: Callable[[], Exception] = closed_session
        self._entered: list[Any] = []
        _sessions.living.add(self)

    # What it is.

    @property
    def graph(self) -> Any:
        """The graph this session runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as a GraphDef message."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        """The target, as bytes."""
        return b"" if self._cluster is None else self._cluster.target.encode()

    def list_devices(self) -> list[Any]:
        """Return the devices the session may use."""
        watch.note_listing()
        return [DeviceAttributes(device) for device in self._devices]

    # Running.

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Compute `fetches` (tensors, operations, names, in any structure) and return values."""
        if type(feed_dict) is dict and options is None and not (self._closed or watch.on):
            # A loop of training runs the same fetch with the same feeds: the ids of the tensors
            # find the plan. Tensors live as long as their graph, so no other object has their ids.
            known = self._shortcuts.get((id(fetches), *map(id, feed_dict)))
            graph = self._graph
            if (
                known is not None
                and known.version == len(graph._operations)
                and not graph._unfeedable
            ):
                if known.on_arrays is not None and watch.unit is None:
                    result = known.result(feed_dict.values())
                    if result is not None:
                        return result
                quick = known.contents(feed_dict.values())
                if quick is not None:
                    executable = known.executable
                    values = self._call(executable, quick, None, None)
                    return as_result(values, 0, executable.uncopied_fetches[0])
        if self._closed:
            raise self._closed_problem()
        feeds, arrays = fed(self._graph, feed_dict) if feed_dict else ([], [])
        if self._cluster is not None:
            return self._run_on_cluster(fetches, feeds, arrays, options, run_metadata)
        if self._placement.is_open:
            self._placement.note_fed(feeds, arrays)
        if (
            isinstance(fetches, GraphTensor)
            and fetches.op.graph is self._graph
            and fetches.op.block is None
        ):
            executable = self._executable((fetches,), feeds)
            contents = executable.contents(arrays) if arrays else arrays
            values = self._call(executable, contents, options, run_metadata)
            if type(feed_dict) is dict:
                self._keep_shortcut(fetches, feed_dict, executable)
            return as_result(values, 0, executable.uncopied_fetches[0])
        if not self._graph._operations:
            raise RuntimeError(
                hint(
                    "The Session graph is empty.  Add operations to the graph before calling "
                    "run().",
                    "build the graph under `with graph.as_default():`, and pass it: "
                    "tf.Session(graph=graph)",
                )
            )
        asked = Fetches(self._graph, fetches)
        executable = self._executable(tuple(asked.elements), feeds)
        contents = executable.contents(arrays) if arrays else arrays
        values = self._call(executable, contents, options, run_metadata)
        results = {
            id(tensor): as_result(values, index, executable.uncopied_fetches[index])
            for index, tensor in enumerate(asked.tensors)
        }
        return asked.arranged(results)

    def _run_on_cluster(
        self, fetches: Any, feeds: list[GraphTensor], arrays: list[Any], options: Any, metadata: Any
    ) -> Any:
        """Let the tasks of a cluster compute fetches, and return values."""
        asked = self._asked(fetches)
        seconds = self._limit_seconds(options)
        elements = tuple(asked.elements)
        cluster = self._cluster
        values = tuple(cluster.run(elements, feeds, arrays, seconds, options, metadata))
        if type(fetches) is GraphTensor:
            return as_result(values, 0, cluster.is_fresh)
        return asked.arranged(
            {
                id(tensor): as_result(values, index, cluster.is_fresh)
                for index, tensor in enumerate(asked.tensors)
            }
        )

    def _asked(self, fetches: Any) -> Fetches:
        """Return fetches taken apart; those of graph elements are kept for the next run."""
        parts = fetches if type(fetches) is list else (fetches,)
        key = (type(fetches) is list, *map(id, parts))
        asked = self._fetched.get(key)
        if asked is None or self._graph._unfeedable:
            asked = Fetches(self._graph, fetches)
            # Elements live as long as their graph: no other object gets their ids.
            if all(type(part) in (GraphTensor, Operation) for part in parts):
                self._fetched[key] = asked
        return asked

    def _keep_shortcut(
        self, fetch: GraphTensor, feed_dict: dict[Any, Any], executable: Executable
    ) -> None:
        """Let the next run of a tensor with the same feeds go straight to its plan."""
        graph = self._graph
        if graph._unfeedable or self._placement.is_outdated():
            return
        feeds = []
        for tensor, is_uncopied in zip(feed_dict, executable.uncopied_feeds, strict=False):
            if type(tensor) is not GraphTensor or tensor.op.graph is not graph:
                return
            dtype = np.dtype(tensor._dtype.base_dtype._numpy)
            if dtype.kind not in "fiub":
                return
            feeds.append((tensor, dtype, is_uncopied))
        # A program that feeds new tensors each time would fill it for ever.
        if len(self._shortcuts) >= _MOST_SHORTCUTS:
            self._shortcuts.clear()
        key = (id(fetch), *map(id, feed_dict))
        quick = on_arrays(executable.plan) if len(feeds) == len(executable.uncopied_feeds) else None
        self._shortcuts[key] = Shortcut(executable, graph.version, tuple(feeds), quick)

    def _executable(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> Executable:
        key = (elements, *feeds)
        executable = self._executables.get(key)
        if executable is None or self._placement.is_outdated():
            with self._lock:
                executable = self._plan(elements, feeds)
                self._executables[key] = executable
        return executable

    @phase("planning")
    def _plan(self, elements: tuple[Any, ...], feeds: list[GraphTensor]) -> Executable:
        with gc_paused():
            placement = self._placement.current()
            plan = build_plan(list(elements), feeds, placement, self._devices[0])
            handles = {
                ref: self._state.handle(op, placement[op]) for ref, op in plan.handles.items()
            }
            for step in plan.every:
                if step.op is not None and step.op.type == session_tensors.keep.op.name:
                    step.kernel = functools.partial(step.kernel, store=self._store)
            return Executable(plan, handles, self._state.stream, _asks_for_jit(self._config))

    def _call(
        self, executable: Executable, contents: list[Any], options: Any, metadata: Any
    ) -> Any:
        run = executable.run
        trace = record = None
        is_traced = options is not None and options.trace_level
        if metadata is not None and (is_traced or self._builds_cost_model):
            trace = Trace()
        tell = watch.unit  # one that looks at a single run is gone when the run ends
        if tell is not None:
            tell(Unit("session", False, executable.plan, self._graph, tuple(contents)))
        if watch.on:
            try:
                record = executable.variants.begin(self._placement.decisions)
            except BaseException:
                if tell is not None:
                    tell(Unit("session", True, executable.plan, self._graph, failed=True))
                raise
        if trace is not None or record is not None:
            run = executable.program_for(trace, record)
            observers = [observer for observer in (trace, record) if observer is not None]
            contents = [*observers, *contents]
        limit = self._limit if options is None else self._limit_seconds(options)
        if limit:
            current.deadline = time.monotonic() + limit
        try:
            values = run(contents)
        except BaseException as problem:
            if any(device.budget is not None for device in self._held):
                let_go_of_values(problem)
            del run, contents
            if tell is not None:
                tell(Unit("session", True, executable.plan, self._graph, failed=True))
            raise
        finally:
            if limit:
                current.deadline = None
        if record is not None:
            record.fetched(values)
        if tell is not None:
            tell(Unit("session", True, executable.plan, self._graph))
        if trace is not None:
            fill(metadata, executable.plan, trace)
            if self._builds_cost_model:
                add_costs(metadata.cost_graph, executable.plan, trace)
        if metadata is not None and options is not None and options.output_partition_graphs:
            set_partition_graphs(metadata, executable.plan)
        return values

    def _limit_seconds(self, options: Any) -> float:
        """Return how long a run may wait, 0 for ever: the call's own limit, or the session's."""
        if options is not None and options.timeout_in_ms:
            seconds: float = options.timeout_in_ms / 1000
            return seconds
        return self._limit

    def partial_run_setup(self, fetches: Tensor, feeds: Tensor | None = None) -> str:
        """Return a handle for a run in parts: which fetches and feeds it may use."""
        asked = Fetches(self._graph, fetches)
        keys = [self._graph.as_graph_element(feed, allow_operation=False) for feed in feeds or ()]
        handle = f"partial_{len(self._partial)}"
        self._partial[handle] = PartialRun(
            {id(element) for element in asked.elements}, {id(key) for key in keys}
        )
        return handle

    def partial_run(self, handle: str, fetches: Tensor, feed_dict: Tensor | None = None) -> Any:
        """Go on with a run in parts: feed some more, fetch some more."""
        part = self._partial.get(handle)
        if part is None or not part.waiting:
            raise invalid("Must run 'setup' before performing partial runs!")
        asked = Fetches(self._graph, fetches)
        feeds, arrays = fed(self._graph, feed_dict or {})
        part.check(asked.elements, feeds)
        part.fed.update(zip(feeds, map(from_numpy, arrays), strict=True))
        # What was fetched before is known: it is fed, so that nothing is computed twice.
        if self._cluster is not None:
            values = tuple(
                self._cluster.run(
                    tuple(asked.elements),
                    list(part.fed),
                    list(map(to_numpy, part.fed.values())),
                    self._limit,
                    None,
                    None,
                )
            )
        else:
            executable = self._executable(tuple(asked.elements), list(part.fed))
            values = self._call(executable, list(part.fed.values()), None, None)
        for tensor, value in zip(asked.tensors, values, strict=True):
            part.fed.setdefault(tensor, value)
        part.waiting -= {id(element) for element in asked.elements}
        results = {
            id(tensor): as_result(values, index) for index, tensor in enumerate(asked.tensors)
        }
        return asked.arranged(results)

    def make_callable(
        self, fetches: Any, feed_list: Tensor | None = None, accept_options: bool = False
    ) -> Any:
        """Return a function of the values of `feed_list` that runs `fetches`."""
        keys = [
            self._graph.as_graph_element(feed, allow_operation=False) for feed in feed_list or ()
        ]

        def call(*values: Any, options: Any = None, run_metadata: Any = None) -> Any:
            if len(values) != len(keys):
                raise TypeError(
                    f"Invalid number of arguments: expected {len(keys)}, got {len(values)}"
                )
            if (options is not None or run_metadata is not None) and not accept_options:
                raise TypeError(
                    "The callable takes `options` and `run_metadata` only if it was made with "
                    "make_callable(..., accept_options=True)."
                )
            feed_dict = dict(zip(keys, values, strict=True))
            return self.run(fetches, feed_dict, options, run_metadata)

        return call

    def source(self, fetches: Any, feeds: Any = ()) -> str:
        """Return the Python that `run(fetches, feeds)` executes."""
        asked = Fetches(self._graph, fetches)
        keys = [self._graph.as_graph_element(feed, allow_operation=False) for feed in feeds]
        if self._cluster is not None:
            source: str = self._cluster.source(tuple(asked.elements), keys)
            return source
        return self._executable(tuple(asked.elements), keys).program.source

    def _handle_of(self, variable: Any) -> Handle | None:
        """Return what this session holds of a variable; None if it has made nothing of it yet."""
        op = variable.handle.op
        return self._state.known_handle(op)

    # Living.

    def as_default(self) -> Any:
        """Return a context in which this is the session that `eval` and `run` use."""
        return _Default(self)

    def close(self) -> None:
        """Give back what the session holds; it cannot run afterwards.

        When the last session is closed the log has the bytes mapped on GPUs before and after.
        """
        if self._closed:  # its user closes what a reset has ended
            self._closed_problem = closed_session
        self._closed = True
        for executable in list(self._executables.values()):
            executable.close(self._closed_problem)  # an error that ends the session has them
        self._executables.clear()
        self._shortcuts.clear()
        self._partial.clear()
        self._store.close()
        if self._cluster is not None:  # its tasks keep their state when a session ends
            self._cluster.close()
        _cancel_waiting(list(self._handles.values()))
        self._handles.clear()
        ledgers.close(self._claim)

    @staticmethod
    def reset(target: str = "", containers: list[Any] | None = None, config: Any = None) -> None:
        """Forget the state that is kept in containers, and close the sessions that use it.

        Without a target, that of sessions of this process; else that of all tasks of the cluster.
        """
        names = {containers} if isinstance(containers, str) else set(containers or ())
        if target:
            reset_cluster(target, sorted(names))
        for session in list(_sessions.living):
            if target and session.sess_str != _text(target).encode():
                continue
            for key in list(session._handles):
                if not names or key[1] in names:
                    del session._handles[key]
            if not session._closed:
                session._closed_problem = reset_session_of_a_server if target else reset_session
                session.close()


def _text(target: Any) -> str:
    return target.decode() if isinstance(target, bytes) else str(target)


def _cancel_waiting(handles: list[Handle]) -> None:
    """Wake up threads that wait for a queue of a session that ends."""
    for handle in handles:
        if hasattr(handle.value, "cancel_waiting"):
            handle.value.cancel_waiting()


def living_sessions() -> list[BaseSession]:
    """Return the sessions that nobody has dropped or closed."""
    return [session for session in _sessions.living if not session._closed]


@dataclass(slots=True)
class Sessions(State):
    """The sessions that nobody has dropped: `Session.reset` closes them."""

    living: weakref.WeakSet[BaseSession] = field(default_factory=weakref.WeakSet)


_sessions = runtime.state(Sessions)
_MOST_SHORTCUTS = 1000


class _Default:
    """Puts a session on the thread's stack of default sessions."""

    def __init__(self, session: BaseSession, enforce_nesting: bool = True) -> None:
        self._session = session
        self._enforce_nesting = enforce_nesting

    def __enter__(self) -> BaseSession:
        current.sessions = (*current.sessions, self._session)
        return self._session

    def __exit__(self, *exception: object) -> None:
        sessions = current.sessions
        # The exception of the block, if there is one, says more than one about the order.
        is_last = sessions[-1:] == (self._session,)
        if self._enforce_nesting and not is_last and not any(exception):
            raise AssertionError(
                f"Nesting violated for default stack of {type(self._session)} objects"
                "\n  leave sessions in the reverse of the order they were entered in"
            )
        if self._session in sessions:
            last = len(sessions) - 1 - sessions[::-1].index(self._session)
            current.sessions = (*sessions[:last], *sessions[last + 1 :])


class Session(BaseSession):
    """Runs parts of a graph, and keeps the contents of its variables.

    `target`: '' for this process, or the address of a `tf.train.Server`.
    `graph`: the graph to run, by default the default graph.
    `config`: a `tf.compat.v1.ConfigProto`: devices, memory, soft placement, logging.

    `run(fetches, feed_dict)` computes tensors and operations, in any structure, and returns NumPy
    values in the same structure. In a `with` statement the session is the default one, its graph
    the default graph, and both end with the block. `source(fetches, feeds)` shows the Python that a
    run executes.

    Raises TypeError if `graph` or `config` is something else. A run raises InvalidArgumentError for
    an operation that cannot be placed on the device it asks for, and RuntimeError after `close`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.placeholder(tf.float32, [2])
    ...     session.run({"double": 2 * x}, feed_dict={x: [1, 2]})
    {'double': array([2., 4.], dtype=float32)}
    """

    def __enter__(self) -> Session:
        if self._entered:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you "
                "want to enter a session multiple times."
            )
        graph, default = self._graph.as_default(), self.as_default()
        graph.__enter__()
        default.__enter__()
        self._entered.append((graph, default))
        return self

    def __exit__(self, *exception: Any) -> None:
        graph, default = self._entered.pop()
        default.__exit__(*exception)
        graph.__exit__(*exception)
        self.close()


class InteractiveSession(BaseSession):
    """A session that is the default one from the moment it is made, until `close`.

    `target`: '' for this process, or the address of a `tf.train.Server`.
    `graph`: the graph to run, by default the default graph.
    `config`: a `tf.compat.v1.ConfigProto`.

    For shells and notebooks: `tensor.eval()` and `operation.run()` use it. See
    `tf.compat.v1.Session`.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     total = tf.constant(1) + 2
    >>> session = tf.compat.v1.InteractiveSession(graph=graph)
    >>> print(total.eval())
    3
    >>> session.close()
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._default = _Default(self, enforce_nesting=False)
        self._default.__enter__()

    def close(self) -> None:
        """Give back what the session holds, and stop being the default."""
        if not self._closed:
            self._default.__exit__(None, None, None)
        super().close()


def get_default_session() -> Any:
    """Return the default session of this thread, or None."""
    stack = current.sessions
    return stack[-1] if stack else None


def _asks_for_jit(config: Any) -> bool:
    """Return True if a ConfigProto asks for everything to be compiled."""
    return config is not None and config.graph_options.optimizer_options.global_jit_level > 0


def _check_config(config: Any) -> None:
    if config is not None and type(config).__name__ != "ConfigProto":
        raise TypeError(
            f"Argument `config` must be a tf.ConfigProto, but got {type(config).__name__!r}"
        )
