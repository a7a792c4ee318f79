"""When a hook is due: every so many seconds, or every so many steps."""

from __future__ import annotations

import time
from typing import Any


class HookTimer:
    """Tells at which steps something is due, and when it last was."""

    def __init__(self) -> None:
        self._last_triggered_step: int | None = None

    def reset(self) -> None:
        """Forget when it last was."""
        self._last_triggered_step = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Return True if it is due at a step."""
        raise NotImplementedError

    def update_last_triggered_step(self, step: int) -> tuple[Any, Any]:
        """Note that it was done; return the seconds and steps since the time before, or None."""
        raise NotImplementedError

    def last_triggered_step(self) -> int | None:
        """Return the step at which it last was."""
        return self._last_triggered_step


class SecondOrStepTimer(HookTimer):
    """Due at the first step, then every `every_secs` seconds or every `every_steps` steps."""

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        super().__init__()
        if None not in (every_secs, every_steps):
            raise ValueError("Can not provide both every_secs and every_steps.")
        if every_secs is every_steps:
            raise ValueError("Either every_secs or every_steps should be provided.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self._last_triggered_time: float | None = None

    def reset(self) -> None:
        """Forget when it last was."""
        super().reset()
        self._last_triggered_time = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Return True if it is due at a step; never twice at the same."""
        if self._last_triggered_step is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= (self._last_triggered_time or 0.0) + self._every_secs
        return step >= self._last_triggered_step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[Any, Any]:
        """Note that it was done; return the seconds and steps since the time before, or None."""
        now = time.time()
        seconds = steps = None
        if self._last_triggered_time is not None and self._last_triggered_step is not None:
            seconds = now - self._last_triggered_time
            steps = step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return seconds, steps


def step_if_due(
    timer: HookTimer, run_context: Any, step_tensor: Any, fetched: int, steps_per_run: int = 1
) -> int | None:
    """Return the global step after a run if the timer is due at it, else None.

    A run may fetch the step before it increments it. So the fetched value only tells whether
    reading the step once more is worth it.
    """
    if not timer.should_trigger_for_step(fetched + steps_per_run):
        return None
    step = int(run_context.session.run(step_tensor))
    return step if timer.should_trigger_for_step(step) else None


class NeverTriggerTimer(HookTimer):
    """Never due."""

    def should_trigger_for_step(self, step: int) -> bool:
        """Return False."""
        return False

    def update_last_triggered_step(self, step: int) -> tuple[Any, Any]:
        """Return that nothing is known."""
        return None, None
