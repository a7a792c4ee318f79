"""Hooks that tell how a run goes: values in the log, steps per second, summaries, timelines."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from placewise import messages
from placewise.core.log import get_logger
from placewise.core.tensor import Tensor
from placewise.graph.defaults import get_default_graph
from placewise.session.timeline import Timeline
from placewise.summary.file_writer import FileWriterCache
from placewise.training.global_step import require_global_step
from placewise.training.session_events import report_rate, write_session_log
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook
from placewise.training.timers import HookTimer, NeverTriggerTimer, SecondOrStepTimer, step_if_due


class LoggingTensorHook(SessionRunHook):
    """Logs tensors every so many runs or seconds, or at the end."""

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        intervals = [item for item in (every_n_iter, every_n_secs) if item is not None]
        if len(intervals) > 1 or not (intervals or at_end):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        # A list of tensors or names: each is its own tag.
        self._tensors = tensors if isinstance(tensors, dict) else {item: item for item in tensors}
        self._formatter = formatter or self._format
        self._at_end = at_end
        self._timer: HookTimer = NeverTriggerTimer()
        if intervals:
            self._timer = SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self) -> None:
        """Find the tensors by their names, and count runs from 0."""
        graph = get_default_graph()
        self._fetches = {
            tag: _check_fetch(graph.as_graph_element(item)) for tag, item in self._tensors.items()
        }
        self._run_count, self._is_due = 0, False
        self._timer.reset()

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        """Ask for the tensors where they are due."""
        self._is_due = self._timer.should_trigger_for_step(self._run_count)
        return SessionRunArgs(self._fetches) if self._is_due else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Log them where they are due."""
        if self._is_due:
            self._log(run_values.results)
        self._run_count += 1

    def end(self, session: Any) -> None:
        """Log them once more if asked to."""
        if self._at_end:
            self._log(session.run(self._fetches))

    def _log(self, values: dict[Any, Any]) -> None:
        self._elapsed_seconds, _ = self._timer.update_last_triggered_step(self._run_count)
        with np.printoptions(suppress=True):
            get_logger().info("%s", self._formatter(values))

    def _format(self, values: dict[Any, Any]) -> str:
        """Return all tags with their values, and the seconds since the last time."""
        shown = ", ".join(f"{tag} = {values[tag]!s}" for tag in self._tensors)
        seconds = self._elapsed_seconds
        return shown if seconds is None else f"{shown} ({seconds:.3f} sec)"


def _check_fetch(element: Any) -> Any:
    if isinstance(element, Tensor) or hasattr(element, "node_def"):
        return element
    raise TypeError("The graph element must be a Tensor or Operation")


class StepCounterHook(SessionRunHook):
    """Logs how many steps are done a second, and writes it as a summary."""

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if [every_n_steps, every_n_secs].count(None) != 1:
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._fetched_before: Any = None
        self._warnings_left = 5

    def begin(self) -> None:
        """Find the global step and the writer."""
        self._step = require_global_step("StepCounterHook")
        self._summary_writer = _find_writer(self._summary_writer, self._output_dir)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Log the rate where it is due; warn if the step does not move."""
        fetched = run_values.results
        step = step_if_due(self._timer, run_context, self._step, fetched)
        if step is not None:
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds is not None:
                self._log_and_record(steps, seconds, step)
        if fetched == self._fetched_before and self._warnings_left:
            self._warnings_left -= 1
            _warn_of_stuck_step(fetched)
        self._fetched_before = fetched

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        tag = f"{self._step.op.name}/sec"
        report_rate(self._summary_writer, tag, elapsed_steps, elapsed_time, global_step)


def _warn_of_stuck_step(step: int) -> None:
    get_logger().warning(
        "It seems that global step (tf.train.get_global_step) has not been increased. Current "
        "value (could be stable): %s vs previous value: %s. You could increase the global step "
        "by passing tf.train.get_global_step() to Optimizer.apply_gradients or "
        "Optimizer.minimize.",
        step,
        step,
    )


def _find_writer(writer: Any, output_dir: str | None) -> Any:
    """Return the writer given, else the one of the folder, else None."""
    return FileWriterCache.get(output_dir) if writer is None and output_dir else writer


class SummarySaverHook(SessionRunHook):
    """Writes summaries at the first run, then every so many steps or seconds."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if [scaffold, summary_op].count(None) != 1:
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._scaffold, self._summary_op = scaffold, summary_op
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._next_step: Any = None

    def begin(self) -> None:
        """Find the global step and the writer."""
        self._step = require_global_step("SummarySaverHook")
        self._summary_writer = _find_writer(self._summary_writer, self._output_dir)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step, and for the summaries where they are due."""
        is_first = self._next_step is None
        self._is_due = is_first or self._timer.should_trigger_for_step(self._next_step)
        fetches = {"step": self._step}
        if self._is_due:
            fetches["summaries"] = self._summary_ops()
        return SessionRunArgs(fetches)

    def _summary_ops(self) -> list[Any]:
        summaries = self._scaffold.summary_op if self._summary_op is None else self._summary_op
        if summaries is None:
            return []
        return summaries if isinstance(summaries, list) else [summaries]

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Write them where they are due."""
        if not self._summary_writer:
            return
        step = run_values.results["step"]
        if self._is_due:
            # The run may have fetched the step before it incremented it.
            step = run_context.session.run(self._step)
            if self._next_step is None:
                write_session_log(self._summary_writer, "START", step)
            for summary in run_values.results["summaries"]:
                self._summary_writer.add_summary(summary, step)
            self._timer.update_last_triggered_step(step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Flush the file."""
        if self._summary_writer:
            self._summary_writer.flush()


class ProfilerHook(SessionRunHook):
    """Writes a timeline of a run, `timeline-STEP.json`, every so many steps or seconds."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._folder = output_dir
        self._summary_writer = FileWriterCache.get(output_dir)
        self._trace_options = {"show_dataflow": show_dataflow, "show_memory": show_memory}

    def begin(self) -> None:
        """Find the global step."""
        self._step = require_global_step("ProfilerHook")
        self._next_step: int | None = None

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for a trace where one is due, but never of the first run, which plans the graph."""
        step = self._next_step
        self._is_due = step is not None and self._timer.should_trigger_for_step(step)
        traced = messages.RunOptions(trace_level=messages.RunOptions.FULL_TRACE)
        return SessionRunArgs(self._step, options=traced if self._is_due else None)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Write the timeline where one is due."""
        reached = run_values.results + 1
        if self._is_due:
            reached = run_context.session.run(self._step)
            self._write_trace(reached, run_values.run_metadata)
        if self._is_due or self._next_step is None:
            # The first run counts as traced: the next trace is one interval later.
            self._timer.update_last_triggered_step(reached if self._is_due else reached - 1)
        self._next_step = reached + 1

    def _write_trace(self, step: int, run_metadata: Any) -> None:
        path = os.path.join(self._folder, f"timeline-{step}.json")
        get_logger().info("Saving timeline for %d into '%s'.", step, path)
        timeline = Timeline(run_metadata.step_stats)
        with open(path, "w", encoding="utf-8") as file:
            file.write(timeline.generate_chrome_trace_format(**self._trace_options))
        self._summary_writer.add_run_metadata(run_metadata, f"step_{step}")
