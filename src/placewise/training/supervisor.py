"""`tf.train.Supervisor`: a training program's session, checkpoints, summaries and threads."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import Any

from placewise import messages
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
from placewise.saving.meta_graph import export_meta_graph, write_graph
from placewise.saving.saver import Saver
from placewise.summary.file_writer import FileWriter
from placewise.summary.tf1 import merge_all
from placewise.training.coordinator import Coordinator, LooperThread
from placewise.training.global_step import get_global_step
from placewise.training.global_step import global_step as read_step
from placewise.training.session_manager import SessionManager


class Supervisor:
    """Makes the session of a training program ready, and saves and summarizes beside it."""

    # What an argument is to be made of by the supervisor itself.
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
        with self._graph.as_default():
            self._ready_op = self._made(
                ready_op, GraphKeys.READY_OP, report_uninitialized_variables
            )
            self._ready_for_local_init_op = self._made(
                ready_for_local_init_op,
                GraphKeys.READY_FOR_LOCAL_INIT_OP,
                lambda: report_uninitialized_variables(global_variables()),
            )
            self._init_op = self._made(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = self._made(
                local_init_op,
                GraphKeys.LOCAL_INIT_OP,
                lambda: group(local_variables_initializer(), tables_initializer()),
            )
            self._saver = self._made(saver, GraphKeys.SAVERS, _saver_if_any)
            self._summary_op = self._made(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            if global_step is Supervisor.USE_DEFAULT:
                global_step = get_global_step(self._graph)
        self._global_step = global_step
        self._init_feed_dict = init_feed_dict
        self._init_fn = init_fn
        self._recovery_wait_secs, self._stop_grace_secs = recovery_wait_secs, stop_grace_secs
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._started_threads: list[Any] = []
        self._logdir = logdir
        self._save_path: str | None = None
        self._summary_writer: Any = None
        self._save_summaries_secs: Any = save_summaries_secs
        self._save_model_secs: Any = save_model_secs
        if is_chief:
            if logdir:
                self._save_path = os.path.join(logdir, checkpoint_basename)
            if summary_writer is Supervisor.USE_DEFAULT:
                self._summary_writer = FileWriter(logdir) if logdir else None
            else:
                self._summary_writer = summary_writer
            self._graph_added_to_summary = False
        else:
            self._save_summaries_secs = self._save_model_secs = None
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._add_graph()
        self._graph.finalize()

    def _made(self, given: Any, key: str, make: Any) -> Any:
        """Return what was given, or the first of a collection, or make and collect it."""
        if given is not Supervisor.USE_DEFAULT:
            return given
        found = self._graph.get_collection(key)
        if found and found[0] is not None:
            return found[0]
        made = make()
        if made is not None:
            self._graph.add_to_collection(key, made)
        return made

    def _add_graph(self) -> None:
        """Write the graph to the folder and to the event file."""
        if not self._is_chief:
            return
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer and not self._graph_added_to_summary:
            saver_def = self._saver.saver_def if self._saver else None
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(
                export_meta_graph(graph=self._graph, saver_def=saver_def)
            )
            self._graph_added_to_summary = True

    # What it is made of.

    @property
    def is_chief(self) -> bool:
        """True if it initializes, saves and summarizes."""
        return self._is_chief

    @property
    def session_manager(self) -> Any:
        """What makes its sessions."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """What its threads stop together by."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """The operation that initializes variables."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What is fed to the initialization."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """The tensor that names variables without a value."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The tensor that names global variables without a value."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """The writer of its folder, or None."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """The tensor with all summaries, or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> Any:
        """How many seconds lie between summaries."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """The global step, or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The saver, or None."""
        return self._saver

    @property
    def save_model_secs(self) -> Any:
        """How many seconds lie between checkpoints."""
        return self._save_model_secs

    @property
    def save_path(self) -> Any:
        """Where checkpoints are saved, or None."""
        return self._save_path

    # Sessions.

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """Return a session with the model ready, and start the services and queue runners."""
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            session = self._session_manager.prepare_session(
                master,
                init_op=self.init_op,
                saver=self.saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._add_graph()
            if start_standard_services:
                get_logger().info("Starting standard services.")
                self.start_standard_services(session)
        else:
            session = self._session_manager.wait_for_session(
                master, config=config, max_wait_secs=max_wait_secs
            )
        if start_standard_services:
            get_logger().info("Starting queue runners.")
            self.start_queue_runners(session)
        return session

    @contextlib.contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """Return a context with a session; at its end threads stop, and their error is raised."""
        try:
            session = self.prepare_or_wait_for_session(
                master=master, config=config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as problem:
            self.request_stop(problem)
        finally:
            try:
                # A stop asked for cleanly lets the threads end; an error is raised by the join.
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                with contextlib.suppress(Exception):
                    session.close()

    def start_standard_services(self, sess: Any) -> list[Any]:
        """Start the threads that save and summarize; return them."""
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            get_logger().warning("Standard services need a 'logdir' passed to the SessionManager")
            return []
        if self._global_step is not None and self._summary_writer:
            log = messages.SessionLog(status=messages.SessionLog.START)
            self._summary_writer.add_session_log(log, read_step(sess, self._global_step))
        threads: list[Any] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(_SummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(_StepThread(self, sess))
        if self.saver and self._save_model_secs:
            threads.append(_SaverThread(self, sess))
        for thread in threads:
            thread.start()
        self._started_threads.extend(threads)
        return threads

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[Any]:
        """Start the threads of queue runners; return them."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list[Any] = []
        for runner in queue_runners:
            threads.extend(runner.create_threads(sess, coord=self._coord, daemon=True, start=True))
        self._started_threads.extend(threads)
        return threads

    def loop(
        self, timer_interval_secs: Any, target: Any, args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Return a started thread that calls `target` every so many seconds until the stop."""
        looper = LooperThread(
            self._coord, timer_interval_secs, target=target, args=args, kwargs=kwargs
        )
        looper.start()
        self._started_threads.append(looper)
        return looper

    # Stopping.

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ask all threads to stop and wait for them; raise their error, if there was one."""
        self._coord.request_stop()
        try:
            self._coord.join(
                threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self._summary_writer:
                log = messages.SessionLog(status=messages.SessionLog.STOP)
                self._summary_writer.add_session_log(log)
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads to stop, because of an exception if one is given."""
        self._coord.request_stop(ex=ex)

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
        """Write a summary for a step, by default the global one."""
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = read_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

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


def _saver_if_any() -> Any:
    return Saver() if global_variables() else None


class _Service(LooperThread):
    """A thread of a supervisor that does something to its session now and then."""

    def __init__(self, supervisor: Supervisor, session: Any, interval_secs: float) -> None:
        super().__init__(supervisor.coord, interval_secs)
        self._supervisor, self._session = supervisor, session

    def _step(self) -> int | None:
        step = self._supervisor.global_step
        return None if step is None else read_step(self._session, step)


class _SummaryThread(_Service):
    def __init__(self, supervisor: Supervisor, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_summaries_secs)

    def run_loop(self) -> None:
        """Write the summaries."""
        supervisor = self._supervisor
        if supervisor.global_step is None:
            summary, step = self._session.run(supervisor.summary_op), None
        else:
            summary, step = self._session.run([supervisor.summary_op, supervisor.global_step])
            get_logger().info("Recording summary at step %s.", step)
        supervisor.summary_writer.add_summary(summary, step)


class _StepThread(_Service):
    def __init__(self, supervisor: Supervisor, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_summaries_secs)
        self._tag = f"{supervisor.global_step.op.name}/sec"

    def start_loop(self) -> None:
        """Note where it starts."""
        self._last_time, self._last_step = time.time(), self._step() or 0

    def run_loop(self) -> None:
        """Write how many steps were done a second."""
        now, step = time.time(), self._step() or 0
        elapsed, added = now - self._last_time, step - self._last_step
        self._last_time, self._last_step = now, step
        rate = added / elapsed if elapsed else float("inf")
        value = messages.Summary.Value(tag=self._tag, simple_value=rate)
        writer = self._supervisor.summary_writer
        if writer:
            writer.add_summary(messages.Summary(value=[value]), step)
        get_logger().info("%s: %g", self._tag, rate)


class _SaverThread(_Service):
    def __init__(self, supervisor: Supervisor, session: Any) -> None:
        super().__init__(supervisor, session, supervisor.save_model_secs)

    def run_loop(self) -> None:
        """Save a checkpoint."""
        supervisor = self._supervisor
        get_logger().info("Saving checkpoint to path %s", supervisor.save_path)
        supervisor.saver.save(
            self._session, supervisor.save_path, global_step=supervisor.global_step
        )
        if supervisor.summary_writer and supervisor.global_step is not None:
            log = messages.SessionLog(
                status=messages.SessionLog.CHECKPOINT, checkpoint_path=supervisor.save_path
            )
            supervisor.summary_writer.add_session_log(log, self._step())


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Any,
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Call `train_step_fn(session, *args, **kwargs)` until the supervisor is asked to stop."""
    should_retry = True
    while should_retry:
        try:
            should_retry = False
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
        except Exception as problem:
            if not isinstance(problem, AbortedError):
                raise
            should_retry = True
