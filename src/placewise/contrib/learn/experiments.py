"""`tf.contrib.learn.Experiment` and `learn_runner`: training and evaluation in turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Experiment:
    """An estimator with what it is trained and evaluated on.

    `train_steps`: how many steps training may come to in all, None for as long as there is input.
    `eval_steps`: how many batches one evaluation takes.
    `eval_delay_secs`, `continuous_eval_throttle_secs`, `check_interval_secs`: for evaluators that
        wait for checkpoints; no effect here.
    `min_eval_frequency`: after how many steps of `train_and_evaluate` an evaluation comes; 0 or
        None: at the end only.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Any,
        eval_input_fn: Any,
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Any = None,
        eval_hooks: Any = None,
        local_eval_frequency: int | None = None,
        eval_delay_secs: int = 120,
        continuous_eval_throttle_secs: int = 60,
        min_eval_frequency: int | None = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: int | None = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Any = None,
        check_interval_secs: int = 5,
    ) -> None:
        more = {
            "local_eval_frequency": local_eval_frequency,
            "delay_workers_by_global_step": delay_workers_by_global_step,
            "export_strategies": export_strategies,
            "train_steps_per_iteration": train_steps_per_iteration,
            "checkpoint_and_export": checkpoint_and_export,
            "saving_listeners": saving_listeners,
        }
        for name, value in more.items():
            if value:
                raise NotImplementedError(
                    f"{name} of Experiment is not implemented; use tf.estimator.train_and_evaluate"
                )
        self._estimator, self._metrics = estimator, eval_metrics
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._monitors, self._eval_hooks = list(train_monitors or []), eval_hooks
        self._frequency = min_eval_frequency

    @property
    def estimator(self) -> Any:
        """The estimator."""
        return self._estimator

    def extend_train_hooks(self, additional_hooks: Any) -> None:
        """Add hooks to those training runs with."""
        self._monitors.extend(additional_hooks)

    def train(self, delay_secs: float | None = None) -> Any:
        """Train; return the estimator."""
        return self._train(self._train_steps)

    def _train(self, max_steps: int | None) -> Any:
        options = {"input_fn": self._train_input_fn, "max_steps": max_steps}
        if hasattr(self._estimator, "fit"):
            return self._estimator.fit(monitors=self._monitors, **options)
        return self._estimator.train(hooks=self._monitors, **options)

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> dict[str, Any]:
        """Return the metrics of the latest checkpoint."""
        options = {"input_fn": self._eval_input_fn, "steps": self._eval_steps, "name": name}
        if self._metrics is not None:
            options["metrics"] = self._metrics
        found: dict[str, Any] = self._estimator.evaluate(hooks=self._eval_hooks, **options)
        return found

    def train_and_evaluate(self) -> tuple[dict[str, Any], list[Any]]:
        """Train and evaluate in turns; return the last metrics, and an empty list of exports."""
        steps, total = self._frequency, self._train_steps
        if steps and total:
            for reached in range(steps, total, steps):
                self._train(reached)
                self.evaluate(name="intermediate")
        self._train(total)
        return self.evaluate(name="one_pass"), []

    def test(self) -> tuple[dict[str, Any], list[Any]]:
        """Train one step, and evaluate on one batch."""
        self._train_steps, self._eval_steps = 1, 1
        self._train(1)
        return self.evaluate(name="one_pass"), []


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: Any = None,
    hparams: Any = None,
) -> Any:
    """Make an experiment, and call its method `schedule`: by default `train_and_evaluate`.

    `experiment_fn` is called with `run_config` and `hparams`, or with `output_dir`.
    """
    if output_dir is not None and run_config is not None:
        raise ValueError("Cannot provide both `output_dir` and `run_config`")
    if not callable(experiment_fn):
        raise TypeError(f"Experiment builder {experiment_fn} is not callable.")
    if run_config is not None:
        experiment = experiment_fn(run_config=run_config, hparams=hparams)
    else:
        if not output_dir:
            raise ValueError("Must specify an output directory")
        experiment = experiment_fn(output_dir=output_dir)
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"Experiment builder did not return an Experiment instance, got {type(experiment)} "
            "instead."
        )
    name = schedule or "train_and_evaluate"
    task = getattr(experiment, name, None)
    if task is None:
        raise ValueError(f"Schedule references non-existent task {name}")
    return task()
