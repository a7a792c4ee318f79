"""Hooks that save checkpoints while a monitored session runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from placewise.core.log import get_logger
from placewise.graph.defaults import get_default_graph
from placewise.saving.meta_graph import write_graph
from placewise.summary.file_writer import FileWriterCache
from placewise.training.global_step import require_global_step
from placewise.training.session_events import write_program, write_session_log
from placewise.training.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from placewise.training.timers import SecondOrStepTimer, step_if_due

if TYPE_CHECKING:
    from placewise.session.session import Session
    from placewise.training.coordinator import Coordinator


class CheckpointSaverListener:
    """Called around each checkpoint that `CheckpointSaverHook` saves; override what is needed."""

    def begin(self) -> None:
        """Run once, before the graph is finalized."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Run before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Run after a checkpoint is saved; return True to stop the training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Run once, after the last checkpoint."""


class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint at the start, every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Any = None,
        save_graph_def: bool = True,
    ) -> None:
        get_logger().info("Create CheckpointSaverHook.")
        if not (saver is None or scaffold is None):
            raise ValueError("You cannot provide both saver and scaffold.")
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._checkpoint_dir, self._basename = checkpoint_dir, checkpoint_basename
        self._saver, self._scaffold = saver, scaffold
        self._listeners: list[Any] = [*(listeners or ())]
        self._steps_per_run = 1
        self._save_graph_def = save_graph_def

    @property
    def _save_path(self) -> str:
        return os.path.join(self._checkpoint_dir, self._basename)

    def begin(self) -> None:
        """Find the global step and the writer, and let the listeners begin."""
        self._step = require_global_step("CheckpointSaverHook")
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Session, coord: Coordinator) -> None:
        """Write the graph, and save the first checkpoint."""
        graph = get_default_graph()
        if self._save_graph_def:
            write_graph(graph.as_graph_def(add_shapes=True), self._checkpoint_dir, "graph.pbtxt")
        write_program(self._summary_writer, graph, self._find_saver())
        self._save_now(session)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Save a checkpoint where one is due."""
        fetched = run_values.results
        step = step_if_due(self._timer, run_context, self._step, fetched, self._steps_per_run)
        if step is not None and self._save_now(run_context.session, step):
            run_context.request_stop()

    def end(self, session: Session) -> None:
        """Save a last checkpoint, unless the last step has one, and let the listeners end."""
        last_step = session.run(self._step)
        if self._timer.last_triggered_step() != last_step:
            self._save_now(session, last_step)
        for listener in self._listeners:
            listener.end(session, last_step)

    def _save_now(self, session: Any, step: int | None = None) -> bool:
        """Save a checkpoint and note it in the timer; return True if a listener wants a stop."""
        if step is None:
            step = session.run(self._step)
        self._timer.update_last_triggered_step(step)
        get_logger().info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._find_saver().save(
            session,
            self._save_path,
            global_step=step,
            write_meta_graph=self._save_graph_def,
        )
        write_session_log(self._summary_writer, "CHECKPOINT", step, self._save_path)
        # All listeners are called, also after one that asks for a stop.
        stopping = [item for item in self._listeners if item.after_save(session, step)]
        for listener in stopping:
            get_logger().info(
                "A CheckpointSaverListener requested that training be stopped. listener: %s",
                listener,
            )
        return bool(stopping)

    def _find_saver(self) -> Any:
        """Return the saver given, the scaffold's, or the only one of the graph's collection."""
        if self._scaffold is not None:
            return self._scaffold.saver
        if self._saver is None:
            savers = get_default_graph().get_collection("savers")
            if len(savers) != 1:
                count, advice = (
                    ("More than one item", "indicate") if savers else ("No items", "add")
                )
                raise RuntimeError(
                    f"{count} in collection savers. Please {advice} one by passing a saver or "
                    "scaffold to CheckpointSaverHook."
                )
            (self._saver,) = savers
        return self._saver
