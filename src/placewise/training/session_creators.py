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


class _ScaffoldedCreator(SessionCreator):
    """Makes sessions of a scaffold's graph, which it finalizes before the first one."""

    def __init__(self, scaffold: Any, master: str, config: Any) -> None:
        self._scaffold = scaffold or Scaffold()
        self._master, self._config = master, config
        self._manager: SessionManager | None = None

    def _finalize(self) -> SessionManager:
        scaffold = self._scaffold.finalize()
        # A session that is lost is made again, maybe while another graph is the default one.
        if self._manager is None:
            self._manager = SessionManager(
                scaffold.local_init_op,
                scaffold.ready_op,
                scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
                local_init_feed_dict=scaffold.local_init_feed_dict,
            )
        return self._manager


class ChiefSessionCreator(_ScaffoldedCreator):
    """Restores the model from a checkpoint, or else initializes it."""

    def __init__(
        self,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._source = (checkpoint_dir, checkpoint_filename_with_path)

    def create_session(self) -> Any:
        """Return a session with the model ready in it."""
        manager, scaffold = self._finalize(), self._scaffold
        return manager.prepare_session(
            self._master,
            scaffold.init_op,
            scaffold.saver,
            *self._source,
            config=self._config,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator(_ScaffoldedCreator):
    """Waits until the chief has made the model ready."""

    def __init__(
        self,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """Return a session once the model is ready in it."""
        return self._finalize().wait_for_session(self._master, self._config, self._max_wait_secs)
