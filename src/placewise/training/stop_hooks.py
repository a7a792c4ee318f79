"""Hooks that stop a run or hold it back: at a step, at a loss that is no number, until a step."""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np

from placewise.core.log import get_logger
from placewise.training.global_step import require_global_step
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook


class StopAtStepHook(SessionRunHook):
    """Stops after `num_steps` more steps, or when the global step is `last_step`."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        limits = 2 - [num_steps, last_step].count(None)
        if limits != 1:
            problem = "Only one of {} can be" if limits else "One of {} must be"
            raise ValueError(f"{problem.format('num_steps or last_step')} specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Find the global step."""
        self._step = require_global_step("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Note the step to stop at."""
        if self._last_step is None:
            self._last_step = int(session.run(self._step)) + (self._num_steps or 0)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the global step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Ask for a stop when the last step is reached."""
        if run_values.results + 1 < self._last_step:
            return
        # The value fetched may be of before the step: ask again before it counts.
        if run_context.session.run(self._step) >= self._last_step:
            run_context.request_stop()


class NanLossDuringTrainingError(RuntimeError):
    """Raised when the loss is not a number."""

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Stops when a loss is not a number, with NanLossDuringTrainingError or quietly."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Ask for the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Fail or stop if the loss is not a number."""
        if not np.isnan(run_values.results):
            return
        level = logging.ERROR if self._fail_on_nan_loss else logging.WARNING
        get_logger().log(level, "Model diverged with loss = NaN.")
        if self._fail_on_nan_loss:
            raise NanLossDuringTrainingError
        run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Lets the first run wait until the global step has reached a number."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step, self._is_reached = wait_until_step, False

    def begin(self) -> None:
        """Find the global step."""
        self._step = require_global_step("_GlobalStepWaiterHook")

    def before_run(self, run_context: Any) -> None:
        """Wait for the step, and say now and then what for."""
        if not self._is_reached and self._wait_until_step > 0:
            self._wait(run_context.session)
        self._is_reached = True

    def _wait(self, session: Any) -> None:
        """Read the step every half second, and log it each time it has grown by 1000."""
        awaited = f"Waiting for global step {self._wait_until_step:d} before starting training."
        get_logger().info(awaited)
        logged = 0
        while (step := int(session.run(self._step))) < self._wait_until_step:
            if step > logged + 1000:
                get_logger().info("%s Current step is %d.", awaited, step)
                logged = step
            time.sleep(0.5)
        get_logger().info("Done waiting.")


class FinalOpsHook(SessionRunHook):
    """Computes something at the end of a session."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """What was computed."""
        return self._values

    def end(self, session: Any) -> None:
        """Compute it."""
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)


class FeedFnHook(SessionRunHook):
    """Feeds each run what a function returns."""

    def __init__(self, feed_fn: Any) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Return the feeds."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
