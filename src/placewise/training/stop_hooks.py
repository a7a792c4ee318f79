"""Hooks that stop a run or hold it back: at a step, at a loss that is no number, until a step."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from placewise.core.log import get_logger
from placewise.training.global_step import get_global_step
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook


class StopAtStepHook(SessionRunHook):
    """Stops after `num_steps` more steps, or when the global step is `last_step`."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Find the global step."""
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use StopAtStepHook.")

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
        said = "Model diverged with loss = NaN."
        if self._fail_on_nan_loss:
            get_logger().error(said)
            raise NanLossDuringTrainingError
        get_logger().warning(said)
        run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Lets the first run wait until the global step has reached a number."""

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step, self._is_reached = wait_until_step, False

    def begin(self) -> None:
        """Find the global step."""
        self._step = get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use _GlobalStepWaiterHook.")

    def before_run(self, run_context: Any) -> None:
        """Wait for the step, and say now and then what for."""
        if self._is_reached or self._wait_until_step <= 0:
            self._is_reached = True
            return
        get_logger().info(
            "Waiting for global step %d before starting training.", self._wait_until_step
        )
        last = 0
        while True:
            current = int(run_context.session.run(self._step))
            if current >= self._wait_until_step:
                self._is_reached = True
                get_logger().info("Done waiting.")
                return
            if current - last > 1000:
                get_logger().info(
                    "Waiting for global step %d before starting training. Current step is %d.",
                    self._wait_until_step,
                    current,
                )
                last = current
            time.sleep(0.5)


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
