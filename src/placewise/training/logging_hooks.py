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
from placewise.training.global_step import get_global_step
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook
from placewise.training.timers import HookTimer, NeverTriggerTimer, SecondOrStepTimer


def _element(value: Any) -> Any:
    """Return a graph's tensor or operation for a name or itself."""
    found = get_default_graph().as_graph_element(value)
    if not isinstance(found, Tensor) and not hasattr(found, "node_def"):
        raise TypeError("The graph element must be a Tensor or Operation")
    return found


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
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be "
                "provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, dict):
            self._tag_order = list(tensors)
        else:
            self._tag_order = list(tensors)
            tensors = {item: item for item in tensors}
        self._tensors, self._formatter, self._at_end = tensors, formatter, at_end
        self._timer: HookTimer = (
            NeverTriggerTimer()
            if only_at_end
            else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )

    def begin(self) -> None:
        """Find the tensors by their names."""
        self._timer.reset()
        self._iterations = 0
        self._current = {tag: _element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: Any) -> SessionRunArgs | None:
        """Ask for the tensors where they are due."""
        self._is_due = self._timer.should_trigger_for_step(self._iterations)
        return SessionRunArgs(self._current) if self._is_due else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Log them where they are due."""
        if self._is_due:
            self._log_tensors(run_values.results)
        self._iterations += 1

    def end(self, session: Any) -> None:
        """Log them once more if asked to."""
        if self._at_end:
            self._log_tensors(session.run(self._current))

    def _log_tensors(self, values: dict[Any, Any]) -> None:
        before = np.get_printoptions()
        np.set_printoptions(suppress=True)
        elapsed, _ = self._timer.update_last_triggered_step(self._iterations)
        if self._formatter:
            get_logger().info(self._formatter(values))
        else:
            shown = ", ".join(f"{tag} = {values[tag]!s}" for tag in self._tag_order)
            if elapsed is None:
                get_logger().info("%s", shown)
            else:
                get_logger().info("%s (%.3f sec)", shown, elapsed)
        np.set_printoptions(**before)


class StepCounterHook(SessionRunHook):
    """Logs how many steps are done a second, and writes it as a summary."""

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._last_global_step: Any = None
        self._has_warned = 0

    def begin(self) -> None:
        """Find the global step and the writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use StepCounterHook.")
        self._tag = self._step.op.name + "/sec"

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Log the rate where it is due."""
        stale = run_values.results
        # The value fetched may be of before the step: ask again where it may be due.
        if self._timer.should_trigger_for_step(stale + 1):
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step):
                elapsed, steps = self._timer.update_last_triggered_step(step)
                if elapsed is not None:
                    self._log_and_record(steps, elapsed, step)
        if self._last_global_step == stale and self._has_warned < 5:
            self._has_warned += 1
            get_logger().warning(
                "It seems that global step (tf.train.get_global_step) has not been increased. "
                "Current value (could be stable): %s vs previous value: %s. You could increase "
                "the global step by passing tf.train.get_global_step() to "
                "Optimizer.apply_gradients or Optimizer.minimize.",
                stale,
                self._last_global_step,
            )
        self._last_global_step = stale

    def _log_and_record(self, steps: int, seconds: float, step: int) -> None:
        rate = steps / seconds if seconds else float("inf")
        if self._summary_writer is not None:
            value = messages.Summary.Value(tag=self._tag, simple_value=rate)
            self._summary_writer.add_summary(messages.Summary(value=[value]), step)
        get_logger().info("%s: %g", self._tag, rate)


class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._next_step: Any = None

    def begin(self) -> None:
        """Find the global step and the writer."""
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = FileWriterCache.get(self._output_dir)
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use SummarySaverHook.")

    def _summaries(self) -> Any:
        found = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        if found is None:
            return None
        return found if isinstance(found, list) else [found]

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step, and for the summaries where they are due."""
        self._is_due = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        asked = {"global_step": self._step}
        summaries = self._summaries() if self._is_due else None
        if summaries is not None:
            asked["summary"] = summaries
        return SessionRunArgs(asked)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Write them where they are due."""
        if not self._summary_writer:
            return
        step = run_values.results["global_step"]
        if self._next_step is None or self._is_due:
            step = run_context.session.run(self._step)
        if self._next_step is None:
            log = messages.SessionLog(status=messages.SessionLog.START)
            self._summary_writer.add_session_log(log, step)
        if self._is_due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
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
        self._output_file = os.path.join(output_dir, "timeline-{}.json")
        self._file_writer = FileWriterCache.get(output_dir)
        self._show_dataflow, self._show_memory = show_dataflow, show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Find the global step."""
        self._next_step: Any = None
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use ProfilerHook.")

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for a trace where one is due."""
        self._is_due = self._next_step is not None and self._timer.should_trigger_for_step(
            self._next_step
        )
        options = None
        if self._is_due:
            options = messages.RunOptions(trace_level=messages.RunOptions.FULL_TRACE)
        return SessionRunArgs({"global_step": self._step}, options=options)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Write the timeline where one is due."""
        stale = run_values.results["global_step"]
        if self._next_step is None:
            # The first run is not the usual one.
            self._timer.update_last_triggered_step(stale)
        step = stale + 1
        if self._is_due:
            step = run_context.session.run(self._step)
            self._timer.update_last_triggered_step(step)
            self._save(step, self._output_file.format(step), run_values.run_metadata.step_stats)
            self._file_writer.add_run_metadata(run_values.run_metadata, f"step_{step}")
        self._next_step = step + 1

    def _save(self, step: int, path: str, step_stats: Any) -> None:
        get_logger().info("Saving timeline for %d into '%s'.", step, path)
        trace = Timeline(step_stats).generate_chrome_trace_format(
            show_dataflow=self._show_dataflow, show_memory=self._show_memory
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(trace)
