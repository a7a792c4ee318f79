"""`tf.train.SessionManager`: sessions whose model is restored, initialized, or waited for."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from placewise.core.errors import DeadlineExceededError, FailedPreconditionError
from placewise.core.log import get_logger
from placewise.graph.defaults import get_default_graph
from placewise.saving.checkpoint_state import get_checkpoint_state
from placewise.session.session import Session


class SessionManager:
    """Makes sessions in which a model is ready to run."""

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
    ) -> None:
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op "
                f", ready_for_local_init_op [{ready_for_local_init_op}]"
            )

    def _restored(
        self,
        master: str,
        saver: Any,
        checkpoint_dir: Any,
        checkpoint_filename_with_path: Any,
        wait_for_checkpoint: bool,
        max_wait_secs: float,
        config: Any,
    ) -> tuple[Any, bool]:
        """Return a session, and whether a checkpoint was restored in it."""
        session = Session(master, graph=self._graph, config=config)
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
            return session, False
        if checkpoint_filename_with_path:
            saver.restore(session, checkpoint_filename_with_path)
            return session, True
        waited = 0.0
        state = get_checkpoint_state(checkpoint_dir)
        while not state or not state.model_checkpoint_path:
            if not wait_for_checkpoint or waited >= max_wait_secs:
                return session, False
            get_logger().info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            state = get_checkpoint_state(checkpoint_dir)
        saver.restore(session, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
    ) -> Any:
        """Return a session with the model restored from a checkpoint, or else initialized."""
        session, is_loaded = self._restored(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        if not is_loaded:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        is_done, said = self._try_local_init(session)
        if not is_done:
            raise RuntimeError(
                "Init operations did not make model ready for local_init.  Init op: "
                f"{_name(init_op)}, init fn: {init_fn}, error: {said}"
            )
        is_ready, said = self._is_ready(self._ready_op, session, "Model not ready")
        if not is_ready:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {_name(init_op)}, init fn: "
                f"{init_fn}, local_init_op: {_name(self._local_init_op)}, error: {said}"
            )
        return session

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
        session, is_loaded = self._restored(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        is_done, said = self._try_local_init(session)
        if not is_loaded:
            return session, False
        source = checkpoint_dir or checkpoint_filename_with_path
        refused = "Restoring model from %s did not make model ready%s: %s"
        if not is_done:
            get_logger().info(refused, source, " for local init", said)
            return session, False
        is_ready, said = self._is_ready(self._ready_op, session, "Model not ready")
        if not is_ready:
            get_logger().info(refused, source, "", said)
            return session, False
        get_logger().info("Restored model from %s", source)
        return session, True

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float = float("inf")
    ) -> Any:
        """Return a session once someone else has made the model ready; DeadlineExceededError."""
        deadline = time.monotonic() + max_wait_secs
        while True:
            session = Session(master, graph=self._graph, config=config)
            said = None
            is_done, local_said = self._try_local_init(session)
            if is_done:
                is_ready, said = self._is_ready(self._ready_op, session, "Model not ready")
                if is_ready:
                    return session
            session.close()
            if deadline - time.monotonic() - self._recovery_wait_secs < 0:
                raise DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {int(max_wait_secs)} secs."
                )
            get_logger().info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s",
                local_said,
                said,
            )
            time.sleep(self._recovery_wait_secs)

    def _try_local_init(self, session: Any) -> tuple[bool, str | None]:
        """Run the local initialization if the model is ready for it."""
        if self._local_init_op is None:
            return True, None
        is_ready, said = self._is_ready(
            self._ready_for_local_init_op, session, "Model not ready for local init"
        )
        if not is_ready:
            return False, said
        get_logger().info("Running local_init_op.")
        session.run(self._local_init_op, options=self._local_init_run_options)
        get_logger().info("Done running local_init_op.")
        return True, None

    def _is_ready(self, ready_op: Any, session: Any, what: str) -> tuple[bool, str | None]:
        """Return whether nothing is reported as missing, and what is."""
        if ready_op is None:
            return True, None
        try:
            missing = session.run(ready_op)
        except FailedPreconditionError as problem:
            if "uninitialized" not in str(problem):
                get_logger().warning("%s : error [%s]", what, problem)
            return False, str(problem)
        if missing is None or missing.dtype == np.int32 or missing.size == 0:
            return True, None
        names = ", ".join(each.decode("utf-8") for each in missing.ravel())
        return False, f"Variables not initialized: {names}"


def _name(value: Any) -> str | None:
    """Return the name of an operation or of several."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return ", ".join(str(_name(each)) for each in value)
    return value.name if hasattr(value, "name") else str(value)
