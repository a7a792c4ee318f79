"""`train_and_evaluate`: training with an evaluation after each checkpoint."""

from __future__ import annotations

import os
import time
from collections import namedtuple
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from placewise import messages
from placewise.core.log import get_logger
from placewise.estimator.cluster_tasks import TRAINERS, TaskType
from placewise.estimator.estimator import Estimator
from placewise.saving.checkpoint_state import latest_checkpoint
from placewise.training.checkpoint_hooks import CheckpointSaverListener
from placewise.training.server import Server
from placewise.training.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from placewise.estimator.run_config import RunConfig

_DELAY_SECS, _MOST_DELAY_SECS = 5, 60  # between the starts of two workers
_LEAST_PAUSE_SECS = 0.1


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
        final = self._is_trained()
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

    def result(self) -> Any:
        """Return the last metrics and exports; None if nothing was evaluated."""
        return None if self.metrics is None else (self.metrics, self.exports)

    def evaluate_until_trained(self) -> None:
        """Evaluate checkpoints as they come, until one has all the steps of training."""
        spec = self._spec
        if spec.start_delay_secs:
            get_logger().info("Waiting %f secs before starting eval.", spec.start_delay_secs)
            time.sleep(spec.start_delay_secs)
        while not self._is_trained():
            begin = time.time()
            self.evaluate()
            pause = spec.throttle_secs - (time.time() - begin)
            if not self._is_trained():
                get_logger().info("Waiting %f secs before starting next eval run.", max(pause, 0))
                time.sleep(max(pause, _LEAST_PAUSE_SECS))
        get_logger().info(
            "Exiting evaluation, global_step=%s >= train max_steps=%s",
            self.metrics["global_step"],
            self._max_steps,
        )

    def _is_trained(self) -> bool:
        if self.metrics is None or not self._max_steps:
            return False
        return bool(self.metrics["global_step"] >= self._max_steps)

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
    if config.cluster_spec.jobs or config.task_type == TaskType.EVALUATOR:
        return _run_task(
            estimator, train_spec, _Evaluator(estimator, eval_spec, train_spec.max_steps)
        )
    get_logger().info("Running training and evaluation locally (non-distributed).")
    get_logger().info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
        "Checkpoint frequency is determined based on RunConfig arguments: save_checkpoints_steps "
        "%s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    _train(estimator, train_spec, [_EvaluatesAfterSaving(evaluator)])
    return evaluator.result()


def _train(estimator: Any, spec: TrainSpec, listeners: Sequence[Any] = ()) -> None:
    estimator.train(
        input_fn=spec.input_fn,
        max_steps=spec.max_steps,
        hooks=list(spec.hooks),
        saving_listeners=[*spec.saving_listeners, *listeners],
    )


# In a cluster each process does the work of its task.


def _run_task(estimator: Any, train_spec: TrainSpec, evaluator: _Evaluator) -> Any:
    """Serve, train or evaluate, as TF_CONFIG says; return metrics and exports of an evaluation."""
    config = estimator.config
    if config.task_type == TaskType.EVALUATOR:
        evaluator.evaluate_until_trained()
        return None
    if config.task_type not in (*TRAINERS, TaskType.PS):
        kinds = [*TRAINERS, TaskType.PS, TaskType.EVALUATOR]
        raise ValueError(
            f"Task type {config.task_type} is not supported. Supported task types are {kinds}"
        )
    server = _start_server(config)
    if config.task_type == TaskType.PS:
        server.join()
        return None
    if config.task_type == TaskType.WORKER and not config.is_chief:
        _let_the_chief_begin(config)
    is_master = config.task_type == TaskType.MASTER
    _train(estimator, train_spec, [_EvaluatesAfterSaving(evaluator)] if is_master else ())
    return evaluator.result() if is_master else None


def _start_server(config: RunConfig) -> Any:
    if not config.master:
        get_logger().info(
            "Skip starting Tensorflow server as there is only one node in the cluster."
        )
        return None
    get_logger().info("Start Tensorflow server.")
    session_config = messages.ConfigProto(gpu_options=config.session_config.gpu_options)
    return Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        config=session_config,
        protocol=config.protocol,
    )


def _let_the_chief_begin(config: RunConfig) -> None:
    """Wait a while: the first steps of a model are better made by few workers."""
    most = config.experimental_max_worker_delay_secs
    most = _MOST_DELAY_SECS if most is None else int(most)
    delay = min(most, (config.task_id + 1) * _DELAY_SECS)
    if delay > 0:
        get_logger().info("Waiting %d secs before starting training.", delay)
        time.sleep(delay)
