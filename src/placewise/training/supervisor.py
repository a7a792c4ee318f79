"""`tf.train.Supervisor`: a training program's session, checkpoints, summaries and threads."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

from placewise.core.errors import AbortedError
from placewise.core.log import get_logger
from placewise.graph.collections import (
    GraphKeys,
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from placewise.graph.defaults import get_default_graph
from placewise.ops.flow.order import group
from placewise.saving.meta_graph import write_graph
from placewise.saving.saver import Saver
from placewise.summary.file_writer import FileWriter
from placewise.summary.tf1 import merge_all
from placewise.training.coordinator import Coordinator, LooperThread
from placewise.training.global_step import get_global_step
from placewise.training.global_step import global_step as read_step
from placewise.training.services import services_for
from placewise.training.session_events import write_program, write_session_log
from placewise.training.session_manager import SessionManager


def _saver_of_variables() -> Saver | None:
    return Saver() if global_variables() else None


# The parts of a model that an argument gives, or a collection has, or a function makes.
_PARTS: dict[str, tuple[str, Callable[[], Any]]] = {
    "ready_op": (GraphKeys.READY_OP, report_uninitialized_variables),
    "ready_for_local_init_op": (
        GraphKeys.READY_FOR_LOCAL_INIT_OP,
        lambda: report_uninitialized_variables(global_variables()),
    ),
    "init_op": (GraphKeys.INIT_OP, global_variables_initializer),
    "local_init_op": (
        GraphKeys.LOCAL_INIT_OP,
        lambda: group(local_variables_initializer(), tables_initializer()),
    ),
    "saver": (GraphKeys.SAVERS, _saver_of_variables),
    "summary_op": (GraphKeys.SUMMARY_OP, merge_all),
}


def _reads(attribute: str, doc: str) -> Any:
    """Return a property that reads an attribute."""
    return property(attrgetter(attribute), doc=doc)


class Supervisor:
    """Makes the session of a training program ready, and saves and summarizes beside it.

    The chief initializes or restores the model and writes to `logdir`; other workers wait until it
    has. The graph is finalized: add to it before.
    """

    # Stands for an argument that the supervisor takes from the graph's collections, or makes.
    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: Any = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Any = None,
        local_init_run_options: Any = None,
    ) -> None:
        self._graph = get_default_graph() if graph is None else graph
        self._is_chief, self._logdir = is_chief, logdir
        arguments = {
            "ready_op": ready_op,
            "ready_for_local_init_op": ready_for_local_init_op,
            "init_op": init_op,
            "local_init_op": local_init_op,
            "saver": saver,
            "summary_op": summary_op,
        }
        with self._graph.as_default():
            for part, argument in arguments.items():
                setattr(self, f"_{part}", self._part(part, argument))
            self._global_step = (
                get_global_step(self._graph) if _is_default(global_step) else global_step
            )
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        self._stop_grace_secs = stop_grace_secs
        self._coord = Coordinator()
        # Only the chief writes: the others have no path, no writer and no intervals.
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = os.path.join(logdir, checkpoint_basename) if is_chief and logdir else None
        self._summary_writer = self._choose_writer(summary_writer)
        self._writer_has_graph = False
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._record_graph()
        self._graph.finalize()

    _init_op: Any
    _local_init_op: Any
    _ready_op: Any
    _ready_for_local_init_op: Any
    _saver: Any
    _summary_op: Any

    def _part(self, name: str, argument: Any) -> Any:
        """Return a part of the model: the argument, the collection's first, or one made now."""
        if not _is_default(argument):
            return argument
        key, make = _PARTS[name]
        for part in self._graph.get_collection(key)[:1]:
            if part is not None:
                return part
        part = make()
        if part is not None:
            self._graph.add_to_collection(key, part)
        return part

    def _choose_writer(self, argument: Any) -> Any:
        if not self._is_chief:
            return None
        if not _is_default(argument):
            return argument
        return FileWriter(self._logdir) if self._logdir else None

    def _record_graph(self) -> None:
        """Write the graph to the folder, and once to each event file."""
        if self._is_chief and self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._writer_has_graph:
            write_program(self._summary_writer, self._graph, self._saver)
            self._writer_has_graph = True

    # What it is made of.

    is_chief = _reads("_is_chief", "True if it initializes, saves and summarizes.")
    session_manager = _reads("_session_manager", "What makes its sessions.")
    coord = _reads("_coord", "The coordinator that stops its threads.")
    init_op = _reads("_init_op", "The operation that initializes variables.")
    init_feed_dict = _reads("_init_feed_dict", "What is fed to the initialization.")
    ready_op = _reads("_ready_op", "The tensor that names variables without a value.")
    ready_for_local_init_op = _reads(
        "_ready_for_local_init_op", "The tensor that names global variables without a value."
    )
    summary_writer = _reads("_summary_writer", "The writer of its folder, or None.")
    summary_op = _reads("_summary_op", "The tensor with all summaries, or None.")
    save_summaries_secs = _reads("_save_summaries_secs", "Seconds between summaries.")
    global_step = _reads("_global_step", "The global step, or None.")
    saver = _reads("_saver", "The saver, or None.")
    save_model_secs = _reads("_save_model_secs", "Seconds between checkpoints.")
    save_path = _reads("_save_path", "The prefix of checkpoints' paths, or None.")

    # Sessions.

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """Return a session with the model ready, and start the services and queue runners.

        The chief makes the model ready; another worker waits up to `max_wait_secs` until it is.
        """
        # The supervisor may have been stopped before: it starts anew with each session.
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        waits = {"config": config, "max_wait_secs": max_wait_secs}
        if not self._is_chief:
            session = self._session_manager.wait_for_session(master, **waits)
        else:
            session = self._chief_session(master, wait_for_checkpoint=wait_for_checkpoint, **waits)
        if start_standard_services:
            self._start_all(session)
        return session

    def _chief_session(self, master: str, **waits: Any) -> Any:
        session = self._session_manager.prepare_session(
            master,
            self._init_op,
            self._saver,
            self._logdir,
            init_feed_dict=self._init_feed_dict,
            init_fn=self._init_fn,
            **waits,
        )
        self._record_graph()
        return session

    def _start_all(self, session: Any) -> None:
        starts: dict[str, Callable[..., list[Any]]] = {"queue runners": self.start_queue_runners}
        if self._is_chief:
            starts = {"standard services": self.start_standard_services, **starts}
        for what, start in starts.items():
            get_logger().info("Starting %s.", what)
            start(session)

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """Return a context with a session; at its end threads stop, and their error is raised."""
        with contextlib.ExitStack() as endings:
            # Run in reverse order, whatever is raised: stop and join, then close the session.
            close = endings.enter_context(_Closing())
            endings.callback(self.stop, close_summary_writer=close_summary_writer)
            try:
                close.session = self.prepare_or_wait_for_session(
                    master, config, start_standard_services=start_standard_services
                )
                yield close.session
            except Exception as problem:
                self.request_stop(problem)  # the join in `stop` raises it

    def start_standard_services(self, sess: Any) -> list[Any]:
        """Start the threads that save and summarize; return them."""
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            get_logger().warning("Standard services need a 'logdir' passed to the SessionManager")
            return []
        if self._summary_writer and self._global_step is not None:
            write_session_log(self._summary_writer, "START", read_step(sess, self._global_step))
        services = services_for(self, sess)
        for service in services:
            service.start()
        return services

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[Any]:
        """Start the threads of queue runners, by default those of the graph; return them."""
        runners = queue_runners
        if runners is None:
            runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        options = {"coord": self._coord, "daemon": True, "start": True}
        return [thread for runner in runners for thread in runner.create_threads(sess, **options)]

    def loop(
        self, timer_interval_secs: Any, target: Any, args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Return a started thread that calls `target` every so many seconds until the stop."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    # Stopping.

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ask all threads to stop and wait for them; raise their error, if there was one."""
        self._coord.request_stop()
        with contextlib.ExitStack() as endings:
            # Without its graph the writer is closed: `stop` was called before.
            if close_summary_writer and self._writer_has_graph:
                endings.callback(self._close_writer)
            self._coord.join(threads, self._stop_grace_secs, ignore_live_threads)

    def _close_writer(self) -> None:
        write_session_log(self._summary_writer, "STOP")
        self._summary_writer.close()
        # A writer that is opened again starts a new file, which needs the graph, too.
        self._writer_has_graph = False

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop, because of an exception if one is given."""
        self._coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Return True if a stop was asked for."""
        return self._coord.should_stop()

    def stop_on_exception(self) -> Any:
        """Return a context that asks for a stop if its block raises."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Wait until a stop is asked for."""
        self._coord.wait_for_stop()

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Write a summary for a step, by default the value the global step has in `sess`."""
        writer, step = self._summary_writer, global_step
        if not writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if step is None and self._global_step is not None:
            step = read_step(sess, self._global_step)
        writer.add_summary(summary, step)

    Loop = loop
    PrepareSession = prepare_or_wait_for_session
    RequestStop = request_stop
    ShouldStop = should_stop
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    StopOnException = stop_on_exception
    SummaryComputed = summary_computed
    WaitForStop = wait_for_stop


def _is_default(argument: Any) -> bool:
    return argument is Supervisor.USE_DEFAULT


class _Closing:
    """A context that closes the session it was given, whatever state that is in."""

    session: Any = None

    def __enter__(self) -> _Closing:
        return self

    def __exit__(self, *problem: object) -> None:
        if self.session is not None:
            with contextlib.suppress(Exception):
                self.session.close()


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Any,
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Call `train_step_fn(session, *args, **kwargs)` until the supervisor is asked to stop."""
    while True:
        # A worker that was lost aborts the session: a new one goes on from the last checkpoint.
        with contextlib.suppress(AbortedError):
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            return
