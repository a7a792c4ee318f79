"""`tf.train.MonitoredSession`: a session with hooks, initialized by itself, that recovers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from placewise.core.errors import AbortedError, OutOfRangeError, UnavailableError
from placewise.core.log import get_logger
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.training.checkpoint_hooks import CheckpointSaverHook
from placewise.training.coordinator import Coordinator
from placewise.training.hooked_run import run_with_hooks
from placewise.training.logging_hooks import StepCounterHook, SummarySaverHook
from placewise.training.queue_runner import start_queue_runners
from placewise.training.scaffold import Scaffold
from placewise.training.session_creators import ChiefSessionCreator, WorkerSessionCreator

# What the loss of a worker looks like: the session is made again.
_PREEMPTION = (AbortedError, UnavailableError)

_DEFAULT: Any = object()


class StepContext:
    """What `run_step_fn` hands to its function: the session, and a way to run with hooks."""

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session, self._run_with_hooks_fn = session, run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session itself, without hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Run with the hooks around."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """End the loop that calls `run_step_fn`."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Monitored:
    """What MonitoredSession and SingularMonitoredSession share."""

    StepContext = StepContext

    def __init__(
        self,
        session_creator: Any,
        hooks: Any,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._graph = get_default_graph()
        self._was_finalized = self._graph.finalized
        self._hooks = list(hooks or ())
        self._creator = session_creator or ChiefSessionCreator()
        self._should_recover = should_recover
        self._stop_grace_period_secs = stop_grace_period_secs
        self._session: Any = None
        self._is_open, self._stops = True, False
        for hook in self._hooks:
            hook.begin()
        while self._session is None:
            try:
                self._create()
            except _PREEMPTION as problem:
                if not should_recover:
                    raise
                get_logger().info(
                    "An error was raised while a session was being created. This may be due to a "
                    "preemption of a connected worker or parameter server. A new session will be "
                    "created. This error may also occur due to a gRPC failure caused by high "
                    "memory or network bandwidth usage in the parameter servers. If this error "
                    "occurs repeatedly, try increasing the number of parameter servers assigned "
                    "to the job. Error: %s",
                    problem,
                )

    def _create(self) -> None:
        session = self._creator.create_session()
        self._coord = Coordinator(clean_stop_exception_types=())
        if get_default_graph().get_collection("queue_runners"):
            start_queue_runners(sess=session, coord=self._coord)
        for hook in self._hooks:
            hook.after_create_session(session, self._coord)
        self._session, self._stops = session, False

    @property
    def graph(self) -> Any:
        """The graph that runs, or None once closed."""
        return None if self._session is None else self._session.graph

    def should_stop(self) -> bool:
        """Return True once a hook, a thread or the end of the session asks for a stop."""
        if not self._is_open or self._session is None:
            return True
        try:
            self._coord.raise_requested_exception()
        except _PREEMPTION as problem:
            if not self._should_recover:
                raise
            get_logger().info(
                "An error was raised while considering whether the session is complete. This may "
                "be due to a preemption in a connected worker or parameter server. The current "
                "session will be closed and a new session will be created. Error: %s",
                problem,
            )
            self._close_session()
            self._create()
            return False
        except Exception:
            if not self._should_recover:
                raise
            return True
        return self._stops or self._coord.should_stop()

    def run(
        self,
        fetches: Any,
        feed_dict: Tensor | None = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """Compute `fetches` with the hooks around; a session that was lost is made again."""
        return self._recovering(lambda: self._run(fetches, feed_dict, options, run_metadata))

    def _run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        if self._stops:
            raise RuntimeError("Run called even after should_stop requested.")
        values, stops = run_with_hooks(
            self._session, self._hooks, fetches, feed_dict, options, run_metadata
        )
        self._stops = self._stops or stops
        return values

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Return what `step_fn` gives for a StepContext; it may run with and without hooks."""
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and "
                "`step_context` arguments if it's an instance method. Got "
                f"{names} instead."
            )
        return self._recovering(lambda: step_fn(StepContext(self._session, self._run_once)))

    def _run_once(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Run with hooks; a lost session is an error, for which the whole step is run again."""
        return self._reported(lambda: self._run(fetches, feed_dict, options, run_metadata))

    def _recovering(self, call: Callable[[], Any]) -> Any:
        if not self._is_open:
            raise RuntimeError("Session is already closed.")
        while True:
            try:
                if self._session is None:
                    self._create()
                return self._reported(call)
            except _PREEMPTION as problem:
                if not self._should_recover:
                    raise
                get_logger().info(
                    "An error was raised. This may be due to a preemption in a connected worker "
                    "or parameter server. The current session will be closed and a new session "
                    "will be created. This error may also occur due to a gRPC failure caused by "
                    "high memory or network bandwidth usage in the parameter servers. If this "
                    "error occurs repeatedly, try increasing the number of parameter servers "
                    "assigned to the job. Error: %s",
                    problem,
                )
                self._close_session()

    def _reported(self, call: Callable[[], Any]) -> Any:
        """Call; a thread's loss of its worker counts more than what it led to here."""
        try:
            return call()
        except _PREEMPTION:
            raise
        except Exception as problem:
            try:
                self._coord.raise_requested_exception()
            except _PREEMPTION:
                raise
            except Exception:
                raise problem from None
            raise

    def _close_session(self) -> None:
        session, self._session = self._session, None
        if session is None:
            return
        self._coord.request_stop()
        try:
            self._coord.join(
                stop_grace_period_secs=self._stop_grace_period_secs, ignore_live_threads=True
            )
        except _PREEMPTION as problem:
            if not self._should_recover:
                raise
            get_logger().error(
                "An error occurred when attempting to close the session. This may be due to a "
                "preemption in a connected worker or parameter server. Error: %s",
                problem,
            )
        finally:
            session.close()

    def close(self) -> None:
        """Call the hooks' ends and close the session."""
        self._close(None)

    def _close(self, exception_type: type[Any] | None) -> None:
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            try:
                if not self._is_open:
                    raise RuntimeError("Session is already closed.")
                self._close_session()
            finally:
                self._is_open = False
                # What was finalized here only is free to be built on again.
                if not self._was_finalized:
                    self._graph._finalized = False

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: type[Any] | None, exception: object, traceback: Any) -> bool:
        if exception_type in (OutOfRangeError, StopIteration):
            exception_type = None
        self._close(exception_type)
        return exception_type is None


class MonitoredSession(_Monitored):
    """A session with hooks that is initialized by itself, and made again when it is lost."""

    def __init__(
        self, session_creator: Any = None, hooks: Any = None, stop_grace_period_secs: float = 120
    ) -> None:
        super().__init__(
            session_creator,
            hooks,
            should_recover=True,
            stop_grace_period_secs=stop_grace_period_secs,
        )


class SingularMonitoredSession(_Monitored):
    """A session with hooks that is initialized by itself, and fails when it is lost."""

    def __init__(
        self,
        hooks: Any = None,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold=scaffold,
            master=master,
            config=config,
            checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
        )
        super().__init__(
            creator, hooks, should_recover=False, stop_grace_period_secs=stop_grace_period_secs
        )

    def raw_session(self) -> Any:
        """Return the session itself."""
        return self._session


def _one_or_default(
    steps: Any, secs: Any, default_steps: int | None, default_secs: int | None
) -> tuple[Any, Any]:
    """Return how often by steps and by seconds; neither given means the default."""
    if steps is _DEFAULT and secs is _DEFAULT:
        return default_steps, default_secs
    return (None if steps is _DEFAULT else steps), (None if secs is _DEFAULT else secs)


def MonitoredTrainingSession(  # noqa: N802 - TensorFlow's own name
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Any = None,
    chief_only_hooks: Sequence[Any] | None = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT,
    save_summaries_secs: Any = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Return a monitored session that saves checkpoints and summaries in a folder by itself.

    A checkpoint every 600 seconds and summaries every 100 steps, unless said otherwise.
    """
    summary_steps, summary_secs = _one_or_default(
        save_summaries_steps, save_summaries_secs, 100, None
    )
    saved_steps, saved_secs = _one_or_default(
        save_checkpoint_steps, save_checkpoint_secs, None, 600
    )
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(
            scaffold=scaffold, master=master, config=config, max_wait_secs=max_wait_secs
        )
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    every = list(chief_only_hooks or ())
    chief = ChiefSessionCreator(
        scaffold=scaffold, checkpoint_dir=checkpoint_dir, master=master, config=config
    )
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            every.append(
                StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps)
            )
        if (summary_steps and summary_steps > 0) or (summary_secs and summary_secs > 0):
            every.append(
                SummarySaverHook(
                    scaffold=scaffold,
                    save_steps=summary_steps,
                    save_secs=summary_secs,
                    output_dir=summary_dir,
                )
            )
    if checkpoint_dir and ((saved_secs and saved_secs > 0) or (saved_steps and saved_steps > 0)):
        every.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_steps=saved_steps,
                save_secs=saved_secs,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    return MonitoredSession(chief, every + list(hooks or ()), stop_grace_period_secs)
