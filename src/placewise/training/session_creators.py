"""How a monitored session gets its session: as chief that initializes, or worker that waits."""

from __future__ import annotations

from typing import Any

from placewise.graph.defaults import get_default_graph
from placewise.training.scaffold import Scaffold
from placewise.training.session_manager import SessionManager


class SessionCreator:
    """Makes sessions; override `create_session`."""

    def create_session(self) -> Any:
        """Return a new session."""
        raise NotImplementedError(f"create_session is not implemented for {type(self).__name__}.")


class ChiefSessionCreator(SessionCreator):
    """Restores the model from a checkpoint, or else initializes it."""

    def __init__(
        self,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path
        self._session_manager: SessionManager | None = None

    def create_session(self) -> Any:
        """Return a session with the model ready in it."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager.prepare_session(
            self._master,
            saver=self._scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._scaffold.init_fn,
        )


class WorkerSessionCreator(SessionCreator):
    """Waits until the chief has made the model ready."""

    def __init__(
        self,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config, self._max_wait_secs = master, config, max_wait_secs
        self._session_manager: SessionManager | None = None

    def create_session(self) -> Any:
        """Return a session once the model is ready in it."""
        self._scaffold.finalize()
        if self._session_manager is None:
            self._session_manager = _manager(self._scaffold)
        return self._session_manager.wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=get_default_graph(),
    )
