"""The threads that save and summarize beside a supervisor's session, each on its own interval."""

from __future__ import annotations

import time
from typing import Any

from placewise.core.log import get_logger
from placewise.training.coordinator import LooperThread
from placewise.training.global_step import global_step
from placewise.training.session_events import report_rate, write_session_log


def services_for(supervisor: Any, session: Any) -> list[LooperThread]:
    """Return the threads, not started, that the settings of a supervisor ask for."""
    services: list[LooperThread] = []
    if supervisor.summary_writer and supervisor.save_summaries_secs:
        if supervisor.summary_op is not None:
            services.append(_Summaries(supervisor, session, supervisor.save_summaries_secs))
        if supervisor.global_step is not None:
            services.append(_Rate(supervisor, session, supervisor.save_summaries_secs))
    if supervisor.saver and supervisor.save_model_secs:
        services.append(_Checkpoints(supervisor, session, supervisor.save_model_secs))
    return services


class _Service(LooperThread):
    """A thread with the supervisor and the session that it works for."""

    def __init__(self, supervisor: Any, session: Any, interval_secs: float) -> None:
        super().__init__(supervisor.coord, interval_secs)
        self._supervisor, self._session = supervisor, session

    def _read_step(self) -> int:
        return global_step(self._session, self._supervisor.global_step)


class _Summaries(_Service):
    def run_loop(self) -> None:
        """Write the summaries."""
        supervisor = self._supervisor
        fetches = {"summary": supervisor.summary_op}
        # One run fetches both, so that the step is the one the summary was computed at.
        if supervisor.global_step is not None:
            fetches["step"] = supervisor.global_step
        values = self._session.run(fetches)
        step = values.get("step")
        if step is not None:
            get_logger().info("Recording summary at step %s.", step)
        supervisor.summary_writer.add_summary(values["summary"], step)


class _Rate(_Service):
    def start_loop(self) -> None:
        """Note the time and the step at the start."""
        self._tag = f"{self._supervisor.global_step.op.name}/sec"
        self._mark = time.time(), self._read_step()

    def run_loop(self) -> None:
        """Write how many steps a second were taken since the last turn."""
        (then, step_then), self._mark = self._mark, (time.time(), self._read_step())
        now, step = self._mark
        report_rate(self._supervisor.summary_writer, self._tag, step - step_then, now - then, step)


class _Checkpoints(_Service):
    def run_loop(self) -> None:
        """Save a checkpoint."""
        supervisor = self._supervisor
        get_logger().info("Saving checkpoint to path %s", supervisor.save_path)
        supervisor.saver.save(
            self._session, supervisor.save_path, global_step=supervisor.global_step
        )
        if supervisor.summary_writer and supervisor.global_step is not None:
            write_session_log(
                supervisor.summary_writer, "CHECKPOINT", self._read_step(), supervisor.save_path
            )
