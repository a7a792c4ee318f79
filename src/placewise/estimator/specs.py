"""`train_and_evaluate`: training with an evaluation after each checkpoint."""

from __future__ import annotations

import os
import time
from collections import namedtuple
from typing import Any

from placewise.core.log import get_logger
from placewise.estimator.estimator import Estimator
from placewise.saving.checkpoint_state import latest_checkpoint
from placewise.training.checkpoint_hooks import CheckpointSaverListener
from placewise.training.session_run_hook import SessionRunHook


class TrainSpec(namedtuple("TrainSpec", ("input_fn", "max_steps", "hooks", "saving_listeners"))):
    """On what to train, and for how long."""

    def __new__(
        cls,
        input_fn: Any,
        max_steps: int | None = None,
        hooks: Any = None,
        saving_listeners: Any = None,
    ) -> TrainSpec:
        _check_callable(input_fn, "TrainSpec")
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        return super().__new__(
            cls, input_fn, max_steps, _hooks(hooks), tuple(saving_listeners or ())
        )


class EvalSpec(
    namedtuple(
        "EvalSpec",
        ("input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs", "throttle_secs"),
    )
):
    """On what to evaluate, how much of it, and what to export after it."""

    def __new__(
        cls,
        input_fn: Any,
        steps: int | None = 100,
        name: str | None = None,
        hooks: Any = None,
        exporters: Any = None,
        start_delay_secs: float = 120,
        throttle_secs: float = 600,
    ) -> EvalSpec:
        _check_callable(input_fn, "EvalSpec")
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if start_delay_secs < 0:
            raise ValueError(f"Must specify start_delay_secs >= 0, given: {start_delay_secs}")
        if throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {throttle_secs}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        given = exporters or ()
        given = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        return super().__new__(
            cls, input_fn, steps, name, _hooks(hooks), given, start_delay_secs, throttle_secs
        )


def _check_callable(input_fn: Any, told: str) -> None:
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn} in {told}")


def _hooks(given: Any) -> tuple[Any, ...]:
    for hook in given or ():
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be `SessionRunHook` instances, given: {hook}")
    return tuple(given or ())


class _Evaluator:
    """Evaluates the latest checkpoint, and exports the model where exporters ask for it."""

    def __init__(self, estimator: Any, spec: EvalSpec, max_steps: int | None) -> None:
        self._estimator, self._spec, self._max_steps = estimator, spec, max_steps
        self._last: str | None = None
        self._last_time = 0.0
        self.metrics: Any = None
        self.exports: list[Any] = []

    def evaluate(self) -> None:
        """Evaluate, if there is a checkpoint that was not evaluated yet."""
        path = latest_checkpoint(self._estimator.model_dir)
        if not path:
            get_logger().warning(
                "Estimator is not trained yet. Will start an evaluation when a checkpoint is ready."
            )
            return
        if path == self._last:
            return
        self.metrics = self._estimator.evaluate(
            input_fn=self._spec.input_fn,
            steps=self._spec.steps,
            name=self._spec.name,
            checkpoint_path=path,
            hooks=self._spec.hooks,
        )
        self._last, self._last_time = path, time.time()
        final = bool(self._max_steps and self.metrics["global_step"] >= self._max_steps)
        self.exports = []
        for exporter in self._spec.exporters:
            self.exports.append(
                exporter.export(
                    estimator=self._estimator,
                    export_path=os.path.join(self._estimator.model_dir, "export", exporter.name),
                    checkpoint_path=path,
                    eval_result=self.metrics,
                    is_the_final_export=final,
                )
            )

    def is_due(self) -> bool:
        """Return whether the last evaluation is long enough ago."""
        is_late: bool = time.time() - self._last_time >= self._spec.throttle_secs
        return is_late


class _EvaluatesAfterSaving(CheckpointSaverListener):
    """Evaluates when a checkpoint was saved."""

    def __init__(self, evaluator: _Evaluator) -> None:
        self._evaluator = evaluator
        self._is_first = True

    def begin(self) -> None:
        """Begin anew."""
        self._is_first = True

    def after_save(self, session: Any, global_step_value: int) -> Any:
        """Evaluate, but not what training began with."""
        if self._is_first:
            self._is_first = False
            return None
        if self._evaluator.is_due():
            self._evaluator.evaluate()
        else:
            get_logger().info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._evaluator._spec.throttle_secs,
            )
        return None

    def end(self, session: Any, global_step_value: int) -> None:
        """Evaluate what training ended with."""
        self._evaluator.evaluate()


def train_and_evaluate(estimator: Any, train_spec: TrainSpec, eval_spec: EvalSpec) -> Any:
    """Train until `max_steps`, evaluating after checkpoints; return last metrics and exports."""
    if not isinstance(estimator, Estimator):
        raise TypeError(
            f"`estimator` must have type `tf.estimator.Estimator`, given {type(estimator)}"
        )
    if not isinstance(train_spec, TrainSpec):
        raise TypeError(
            f"`train_spec` must have type `tf.estimator.TrainSpec`, given {type(train_spec)}"
        )
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(
            f"`eval_spec` must have type `tf.estimator.EvalSpec`, given {type(eval_spec)}"
        )
    config = estimator.config
    get_logger().info("Running training and evaluation locally (non-distributed).")
    get_logger().info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
        "Checkpoint frequency is determined based on RunConfig arguments: save_checkpoints_steps "
        "%s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    estimator.train(
        input_fn=train_spec.input_fn,
        max_steps=train_spec.max_steps,
        hooks=list(train_spec.hooks),
        saving_listeners=[*train_spec.saving_listeners, _EvaluatesAfterSaving(evaluator)],
    )
    if evaluator.metrics is None:
        return None
    return evaluator.metrics, evaluator.exports
