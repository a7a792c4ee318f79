"""What runs along with each `Session.run` of a monitored session: hooks, and what they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from placewise.session.session import Session
    from placewise.training.coordinator import Coordinator


class SessionRunArgs(NamedTuple):
    """What a hook adds to a run: fetches, feeds, options."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a run gave: the values a hook asked for, the options used, what was told of it."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run that is about to happen: what the caller asked for, and a way to ask for a stop."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the caller of `run` gave."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session that runs."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """True once a hook asked for a stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Ask the monitored session to stop after this run."""
        self._stop_requested = True


class SessionRunHook:
    """Called around each run of a monitored session; override what is needed."""

    def begin(self) -> None:
        """Called once, before the graph is finalized: the last moment to add to it."""

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Called when a session was made, also after it was lost and made again."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run; return what to fetch and feed besides."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run with the values asked for."""

    def end(self, session: Session) -> None:
        """Called once at the end, unless it ended with an exception."""
