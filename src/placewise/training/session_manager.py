"""`tf.train.SessionManager`: sessions whose model is restored, initialized, or waited for."""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise.core.errors import DeadlineExceededError, FailedPreconditionError
from placewise.core.log import get_logger
from placewise.graph.defaults import get_default_graph
from placewise.saving.checkpoint_state import get_checkpoint_state
from placewise.session.session import Session

if TYPE_CHECKING:
    from placewise.saving.saver import Saver


@dataclass(frozen=True)
class _Source:
    """Where a session's values come from: a folder's newest checkpoint, or one path."""

    folder: Any
    path: Any
    seconds: float  # how long to wait for the folder to have one

    def restore(self, saver: Any, session: Any, pause_secs: float) -> bool:
        """Restore the checkpoint in a session; return False if there is none."""
        if self.folder and self.path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        if not saver:
            return False
        if self.path:
            saver.restore(session, self.path)
            return True
        state = self._newest(pause_secs) if self.folder else None
        if state is None:
            return False
        saver.restore(session, state.model_checkpoint_path)
        # The saver goes on deleting old checkpoints where the program before stopped.
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True

    def _newest(self, pause_secs: float) -> Any:
        """Return the state of the folder once it names a checkpoint, or None."""
        for pause in itertools.count():
            state = get_checkpoint_state(self.folder)
            if state and state.model_checkpoint_path:
                return state
            if pause * pause_secs >= self.seconds:
                return None
            get_logger().info("Waiting for checkpoint to be available.")
            time.sleep(pause_secs)
        return None


_FIRST_PAUSE_SECS = 0.25
_LONG_SECS = 10.0  # after which a wait is said as a warning


class SessionManager:
    """Makes sessions in which a model is ready to run.

    The model is ready if `ready_op` names no variable without a value. The local variables are
    initialized by `local_init_op` once `ready_for_local_init_op` names none.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if local_init_op is None and ready_for_local_init_op is not None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op "
                f", ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._graph = graph if graph is not None else get_default_graph()
        self._pause_secs = recovery_wait_secs
        self._ready_op = ready_op
        self._before_local_init, self._local_init = ready_for_local_init_op, local_init_op
        self._local_init_options = local_init_run_options
        self._local_init_feeds = local_init_feed_dict

    def _open(self, master: str, config: Any) -> Session:
        return Session(master, graph=self._graph, config=config)

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Saver | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None,
    ) -> Any:
        """Return a session with the model restored from a checkpoint, or else initialized.

        RuntimeError if there is no checkpoint and nothing to initialize with, or if variables are
        still without a value.
        """
        session = self._open(master, config)
        wait_secs = max_wait_secs if wait_for_checkpoint else 0
        source = _Source(checkpoint_dir, checkpoint_filename_with_path, wait_secs)
        if not source.restore(saver, session, self._pause_secs):
            self._initialize(session, init_op, init_feed_dict, init_fn)
        stage, problem = self._make_ready(session)
        if stage == "ready":
            return session
        parts = {"Init op": _name(init_op), "init fn": init_fn}
        if stage == "not ready":
            parts["local_init_op"] = _name(self._local_init)
        told = ", ".join(f"{part}: {value}" for part, value in (*parts.items(), ("error", problem)))
        goal = "ready" if stage == "not ready" else "ready for local_init"
        raise RuntimeError(f"Init operations did not make model {goal}.  {told}")

    def _initialize(self, session: Any, init_op: Any, feeds: Any, init_fn: Any) -> None:
        if not init_fn and init_op is None and self._local_init is None:
            raise RuntimeError(
                "Model is not initialized and no init_op or init_fn or local_init_op was given"
            )
        if init_op is not None:
            session.run(init_op, feeds)
        if init_fn:
            init_fn(session)

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Any, bool]:
        """Return a session, and whether the model in it is ready from a checkpoint."""
        session = self._open(master, config)
        wait_secs = max_wait_secs if wait_for_checkpoint else 0
        source = _Source(checkpoint_dir, checkpoint_filename_with_path, wait_secs)
        is_restored = source.restore(saver, session, self._pause_secs)
        stage, problem = self._make_ready(session)
        if not is_restored:
            return session, False
        origin = checkpoint_dir or checkpoint_filename_with_path
        if stage == "ready":
            get_logger().info("Restored model from %s", origin)
            return session, True
        goal = "ready" if stage == "not ready" else "ready for local init"
        get_logger().info(
            "Restoring model from %s did not make model %s: %s", origin, goal, problem
        )
        return session, False

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float = float("inf")
    ) -> Any:
        """Return a session once someone else has made the model ready.

        DeadlineExceededError if it is not ready after `max_wait_secs`.
        """
        begin = time.monotonic()
        deadline = begin + max_wait_secs
        pause_secs = min(_FIRST_PAUSE_SECS, self._pause_secs)
        while True:
            # A session is opened anew each time: it sees only what was there when it was opened.
            session = self._open(master, config)
            stage, problem = self._make_ready(session)
            if stage == "ready":
                return session
            session.close()
            if time.monotonic() + pause_secs > deadline:
                raise DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(max_wait_secs)} secs."
                )
            # TensorFlow says this at level INFO only, which most programs do not show: a worker
            # whose chief never starts would wait without a word.
            is_long = time.monotonic() - begin > _LONG_SECS
            get_logger().log(
                logging.WARNING if is_long else logging.INFO,
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                problem if stage == "not ready for local init" else None,
                problem if stage == "not ready" else None,
            )
            time.sleep(pause_secs)
            # The chief is mostly ready soon; one that takes long is asked less and less often.
            pause_secs = min(2 * pause_secs, self._pause_secs)

    def _make_ready(self, session: Any) -> tuple[str, str | None]:
        """Initialize local variables if that may be; return the stage reached, and what it lacks.

        The stages are "not ready for local init", "not ready" and "ready".
        """
        if self._local_init is not None:
            stage = "not ready for local init"
            problem = _lacks(self._before_local_init, session, stage)
            if problem is not None:
                return stage, problem
            get_logger().info("Running local_init_op.")
            session.run(
                self._local_init,
                feed_dict=self._local_init_feeds,
                options=self._local_init_options,
            )
            get_logger().info("Done running local_init_op.")
        problem = _lacks(self._ready_op, session, "not ready")
        return ("ready", None) if problem is None else ("not ready", problem)


def _lacks(report_op: Any, session: Any, stage: str) -> str | None:
    """Return what a report of uninitialized variables says, or None if it names nothing."""
    if report_op is None:
        return None
    try:
        report = session.run(report_op)
    except FailedPreconditionError as problem:
        # The report itself may read what has no value yet, as a table or an iterator.
        if "uninitialized" not in str(problem):
            get_logger().warning("Model %s : error [%s]", stage, problem)
        return str(problem)
    # An operation gives None; TensorFlow takes an empty report or one of int32 for "nothing", too.
    if report is None or report.dtype == np.int32 or not report.size:
        return None
    names = (name.decode("utf-8") for name in report.flat)
    return f"Variables not initialized: {', '.join(names)}"


def _name(ops: Any) -> str | None:
    """Return the name of an operation, the names of several, or None."""
    if isinstance(ops, list | tuple):
        return ", ".join(str(_name(op)) for op in ops)
    return None if ops is None else getattr(ops, "name", None) or str(ops)
