"""Hooks that save checkpoints while a monitored session runs."""

from __future__ import annotations

import os
from typing import Any

from placewise import messages
from placewise.core.log import get_logger
from placewise.graph.defaults import get_default_graph
from placewise.saving.meta_graph import export_meta_graph, write_graph
from placewise.summary.file_writer import FileWriterCache
from placewise.training.global_step import get_global_step
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook
from placewise.training.timers import SecondOrStepTimer


class CheckpointSaverListener:
    """Called around each checkpoint that `CheckpointSaverHook` saves; override what is needed."""

    def begin(self) -> None:
        """Called once, before the graph is finalized."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Called after a checkpoint is saved; True asks for a stop."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called once at the end."""


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
    ) -> None:
        get_logger().info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = list(listeners or ())
        self._steps_per_run = 1

    def begin(self) -> None:
        """Find the global step and the writer."""
        self._summary_writer = FileWriterCache.get(self._checkpoint_dir)
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use CheckpointSaverHook.")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Write the graph, and save the first checkpoint."""
        step = session.run(self._step)
        graph = get_default_graph()
        write_graph(graph.as_graph_def(add_shapes=True), self._checkpoint_dir, "graph.pbtxt")
        saver = self._get_saver()
        saver_def = saver.saver_def if saver else None
        meta = export_meta_graph(
            graph=graph, graph_def=graph.as_graph_def(add_shapes=True), saver_def=saver_def
        )
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(meta)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Save a checkpoint where one is due."""
        # The value fetched may be of before the step: ask again where it may be due.
        if not self._timer.should_trigger_for_step(run_values.results + self._steps_per_run):
            return
        step = run_context.session.run(self._step)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Save a last checkpoint, unless the last step has one."""
        step = session.run(self._step)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Save a checkpoint; return True if a listener asks for a stop."""
        get_logger().info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step)
        log = messages.SessionLog(
            status=messages.SessionLog.CHECKPOINT, checkpoint_path=self._save_path
        )
        self._summary_writer.add_session_log(log, step)
        should_stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                get_logger().info(
                    "A CheckpointSaverListener requested that training be stopped. listener: %s",
                    listener,
                )
                should_stop = True
        return should_stop

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        found = get_default_graph().get_collection("savers")
        if len(found) != 1:
            what = "No items" if not found else "More than one item"
            raise RuntimeError(
                f"{what} in collection savers. Please {'add' if not found else 'indicate'} one "
                "by passing a saver or scaffold to CheckpointSaverHook."
            )
        self._saver = found[0]
        return self._saver
