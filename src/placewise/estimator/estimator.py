"""`tf.estimator.Estimator`: trains, evaluates, predicts and exports what a model function makes.

Each of these builds a graph of its own and runs it in a monitored session; what they share is the
folder of checkpoints.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

import placewise as tf
from placewise import messages
from placewise.core.log import get_logger
from placewise.core.tensor import Tensor
from placewise.estimator import replicas, saved_models, warm_start
from placewise.estimator.input_functions import argument_names, call_input_fn, features_and_labels
from placewise.estimator.modes import EstimatorSpec, ModeKeys
from placewise.estimator.run_config import RunConfig, checked_config
from placewise.graph.collections import GraphKeys, add_to_collection, get_collection
from placewise.graph.graph import Graph
from placewise.graph.seeds import set_random_seed
from placewise.layers.mean_metrics import mean
from placewise.saving.checkpoint_state import latest_checkpoint
from placewise.saving.reader import list_variables, load_variable
from placewise.saving.saver import Saver
from placewise.summary.file_writer import FileWriterCache
from placewise.summary.tf1 import scalar as scalar_summary
from placewise.training.checkpoint_hooks import CheckpointSaverHook
from placewise.training.device_setter import replica_device_setter
from placewise.training.evaluation import StopAfterNEvalsHook, evaluate_once
from placewise.training.global_step import create_global_step, get_global_step
from placewise.training.logging_hooks import LoggingTensorHook
from placewise.training.monitored_session import MonitoredSession, MonitoredTrainingSession
from placewise.training.scaffold import Scaffold
from placewise.training.session_creators import ChiefSessionCreator
from placewise.training.stop_hooks import NanTensorHook, StopAtStepHook

# The global step in checkpoints: the second name is that of Keras models saved by layers.
_STEP_NAMES = (GraphKeys.GLOBAL_STEP, "estimator_global_step/.ATTRIBUTES/VARIABLE_VALUE")


class Estimator:
    """A model that a function makes, trained and used from a folder.

    `model_fn`: takes `features`, and as far as it names them `labels`, `mode`, `params` and
        `config`; it writes a graph and returns an `EstimatorSpec`.
    `model_dir`: the folder of checkpoints and summaries, by default a temporary one.
    `config`: a `RunConfig`.
    `params`: what `model_fn` gets as `params`.
    `warm_start_from`: a checkpoint, or settings, to begin training with.

    `train`, `evaluate`, `predict` and `export_saved_model` each write a graph of their own and go
    on from the latest checkpoint. Raises ValueError if `model_fn` takes no features, or no `params`
    although some are given.

    >>> def model_fn(features, labels, mode):
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     return tf.compat.v1.estimator.EstimatorSpec(
    ...         mode, loss=tf.constant(1.0), train_op=step.assign_add(1)
    ...     )
    >>> model = tf.compat.v1.estimator.Estimator(model_fn, "model")
    >>> _ = model.train(lambda: tf.data.Dataset.from_tensors(([1.0], [1.0])), steps=1)
    >>> int(model.get_variable_value("global_step"))
    1
    """

    def __init__(
        self,
        model_fn: Any,
        model_dir: Any = None,
        config: RunConfig | None = None,
        params: Any = None,
        warm_start_from: Any = None,
    ) -> None:
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        names = argument_names(model_fn)
        if "features" not in names:
            raise ValueError(f"model_fn ({model_fn}) must include features argument.")
        if params is not None and "params" not in names:
            raise ValueError(
                f"model_fn ({model_fn}) does not include params argument, but params ({params}) "
                "is passed to Estimator."
            )
        self._config = checked_config(config, model_dir)
        get_logger().info("Using config: %s", str(vars(self._config)))
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        self._device_fn = self._config.device_fn or _on_parameter_servers(self._config)
        self._model_fn, self._params = model_fn, copy.deepcopy(params or {})
        self._warm_start = warm_start.settings_of(warm_start_from)

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        folder: str = self._model_dir
        return folder

    @property
    def config(self) -> RunConfig:
        """The settings of runs."""
        return copy.copy(self._config)

    @property
    def params(self) -> Any:
        """The parameters of the model function."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Any:
        """The model function, called with features, labels, mode and config."""

        def public(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return self._call_model_fn(features, labels, mode, config)

        return public

    def get_variable_names(self) -> list[str]:
        """Return the names of the variables of the latest checkpoint."""
        self._assert_checkpoint()
        return [name for name, _ in list_variables(self._model_dir)]

    def get_variable_value(self, name: str) -> Any:
        """Return the value a variable has in the latest checkpoint."""
        self._assert_checkpoint()
        return load_variable(self._model_dir, name)

    def latest_checkpoint(self) -> str | None:
        """Return the latest checkpoint, or None."""
        return latest_checkpoint(self._model_dir)

    def _assert_checkpoint(self) -> None:
        if not latest_checkpoint(self._model_dir):
            raise ValueError(f"Could not find trained model at {self._model_dir}.")

    # Training.

    def train(
        self,
        input_fn: Any,
        hooks: Any = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Any = None,
    ) -> Estimator:
        """Train the model on what the input function gives; return this estimator."""
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, value in (("steps", steps), ("max_steps", max_steps)):
            if value is not None and value <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {value}")
        if max_steps is not None and self._trained_steps() >= max_steps:
            get_logger().info("Skipping training since max_steps has already saved.")
            return self
        every = [*(hooks or [])]
        if steps is not None or max_steps is not None:
            every.append(StopAtStepHook(steps, max_steps))
        loss = self._train(input_fn, every, list(saving_listeners or []))
        get_logger().info("Loss for final step: %s.", loss)
        return self

    def _trained_steps(self) -> int:
        path = latest_checkpoint(self._model_dir)
        if path is None:
            return -1
        stored = {name for name, _ in list_variables(path)}
        name = next((name for name in _STEP_NAMES if name in stored), None)
        return 0 if name is None else int(load_variable(path, name))

    def _train(self, input_fn: Callable[..., Any], hooks: list[Any], listeners: list[Any]) -> Any:
        strategy = self._config.train_distribute
        if self._config.num_ps_replicas:  # the device function does what the strategy would
            strategy = None
        scope = strategy.scope() if strategy is not None else nullcontext()
        with Graph().as_default() as graph, graph.device(self._device_fn), scope:
            set_random_seed(self._config.tf_random_seed)
            step = self._step()
            add_to_collection("global_step_read_op_cache", step)
            spec, more = self._train_spec(input_fn, strategy)
            hooks = [*hooks, *more, *spec.training_hooks]
            warm_start.apply(self._warm_start, self._trained_steps())
            if not any(each.op.name == "loss" for each in get_collection(GraphKeys.SUMMARIES)):
                scalar_summary("loss", spec.loss)
            hooks.append(NanTensorHook(spec.loss))
            if self._config.log_step_count_steps is not None:
                logged = {"loss": spec.loss, "step": step}
                hooks.append(
                    LoggingTensorHook(logged, every_n_iter=self._config.log_step_count_steps)
                )
            return self._run_training(spec, hooks, listeners)

    def _train_spec(
        self, input_fn: Callable[..., Any], strategy: Any
    ) -> tuple[EstimatorSpec, list[Any]]:
        """Return what the model is to train with, and the hooks of its input."""

        def model_fn(features: Any, labels: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, ModeKeys.TRAIN, self._config)

        if strategy is None:
            features, labels, hooks = self._inputs(input_fn, ModeKeys.TRAIN)
            return model_fn(features, labels), hooks

        def make() -> Any:
            return call_input_fn(input_fn, ModeKeys.TRAIN, self.params, self.config)

        features, labels, hooks = replicas.distributed_inputs(strategy, make)
        return replicas.train_spec(strategy, model_fn, features, labels), hooks

    def _run_training(self, spec: EstimatorSpec, hooks: list[Any], listeners: list[Any]) -> Any:
        config = self._config
        scaffold = spec.scaffold or Scaffold()
        if scaffold.saver is None and not get_collection(GraphKeys.SAVERS):
            add_to_collection(
                GraphKeys.SAVERS,
                Saver(
                    sharded=True,
                    max_to_keep=config.keep_checkpoint_max,
                    keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                    defer_build=True,
                    save_relative_paths=True,
                ),
            )
        chief = list(spec.training_chief_hooks)
        saves = [each for each in (*hooks, *chief) if isinstance(each, CheckpointSaverHook)]
        if (config.save_checkpoints_secs or config.save_checkpoints_steps) and not saves:
            saves = [
                CheckpointSaverHook(
                    self._model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    scaffold=scaffold,
                    listeners=listeners,
                )
            ]
            chief.extend(saves)
        elif listeners:
            if not saves:
                raise ValueError(
                    "There should be a CheckpointSaverHook to use saving_listeners. Please set one "
                    "of the RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
                )
            saves[0]._listeners.extend(listeners)
        loss = None
        with MonitoredTrainingSession(
            master=config.master,
            is_chief=config.is_chief,
            checkpoint_dir=self._model_dir,
            scaffold=scaffold,
            hooks=hooks,
            chief_only_hooks=chief,
            save_checkpoint_secs=0,
            save_summaries_steps=config.save_summary_steps,
            config=self._session_config,
            max_wait_secs=config.session_creation_timeout_secs,
            log_step_count_steps=config.log_step_count_steps,
        ) as session:
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
        if loss is None:
            get_logger().warning(
                "Training with estimator made no steps. Perhaps input is empty or misspecified."
            )
        return loss

    # Evaluation.

    def evaluate(
        self,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Any = None,
        checkpoint_path: Any = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Return the metrics of a checkpoint on what the input function gives."""
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        path = checkpoint_path or latest_checkpoint(self._model_dir)
        if not path:
            get_logger().info(
                "Could not find trained model in model_dir: %s, running initialization to "
                "evaluate.",
                self._model_dir,
            )
        every = list(hooks or [])
        if steps is not None:
            every.append(StopAfterNEvalsHook(steps))
        with Graph().as_default() as graph, graph.device(self._device_fn):
            set_random_seed(self._config.tf_random_seed)
            step = self._step()
            features, labels, more = self._inputs(input_fn, ModeKeys.EVAL)
            spec = self._call_model_fn(features, labels, ModeKeys.EVAL, self._config)
            warm_start.apply(self._warm_start if not path else None, -1)
            metrics = dict(spec.eval_metric_ops)
            if "loss" in metrics:
                raise ValueError(
                    'Metric with name "loss" is not allowed, because Estimator already defines a '
                    "default metric with the same name."
                )
            metrics["loss"] = _mean(spec.loss)
            updates = tf.group(*[update for _, update in metrics.values()])
            values = {key: value for key, (value, _) in metrics.items()}
            if GraphKeys.GLOBAL_STEP in values:
                raise ValueError(
                    "Metric with name `global_step` is not allowed, because Estimator already "
                    "defines a default metric with the same name."
                )
            values[GraphKeys.GLOBAL_STEP] = step
            found: dict[str, Any] = evaluate_once(
                path,
                master=self._config.evaluation_master,
                scaffold=spec.scaffold,
                eval_ops=updates,
                final_ops=values,
                hooks=[*every, *more, *spec.evaluation_hooks],
                config=self._session_config,
            )
        self._write_metrics(found, self.eval_dir(name), path)
        return found

    def eval_dir(self, name: str | None = None) -> str:
        """Return the folder of an evaluation's event files."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def _write_metrics(self, found: dict[str, Any], folder: str, path: Any) -> None:
        step = int(found[GraphKeys.GLOBAL_STEP])
        shown = ", ".join(f"{key} = {value!s}" for key, value in sorted(found.items()))
        get_logger().info("Saving dict for global step %d: %s", step, shown)
        with Graph().as_default():  # writers are not for eager programs, and estimators are
            writer = FileWriterCache.get(folder)
        summary = messages.Summary()
        for key, value in found.items():
            if value is None or key == GraphKeys.GLOBAL_STEP:
                continue
            if isinstance(value, (np.floating, float, np.integer, int)):
                summary.value.add(tag=key, simple_value=float(value))
            elif isinstance(value, bytes):
                parsed = messages.Summary.FromString(value)
                for number, each in enumerate(parsed.value):
                    each.tag = f"{key}/{number}"
                summary.value.extend(parsed.value)
            elif np.ndim(value) == 0 and np.issubdtype(np.asarray(value).dtype, np.number):
                summary.value.add(tag=key, simple_value=float(value))
            else:
                get_logger().warning(
                    "Skipping summary for %s, must be a float, np.float32, np.int64 or int.", key
                )
        writer.add_summary(summary, step)
        writer.flush()
        if path:
            get_logger().info("Saving 'checkpoint_path' summary for global step %d: %s", step, path)

    # Prediction.

    def predict(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Any = None,
        hooks: Any = None,
        checkpoint_path: Any = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """Yield predictions for what the input function gives, by case or by batch."""
        path = checkpoint_path or latest_checkpoint(self._model_dir)
        if not path:
            get_logger().info(
                "Could not find trained model in model_dir: %s, running initialization to predict.",
                self._model_dir,
            )
        with Graph().as_default() as graph, graph.device(self._device_fn):
            set_random_seed(self._config.tf_random_seed)
            self._step()
            features, _, more = self._inputs(input_fn, ModeKeys.PREDICT)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self._config)
            warm_start.apply(self._warm_start if not path else None, -1)
            predictions = _chosen(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=path,
                master=self._config.master,
                scaffold=spec.scaffold,
                config=self._session_config,
            )
            every = [*(hooks or []), *more, *spec.prediction_hooks]
            with MonitoredSession(session_creator=creator, hooks=every) as session:
                while not session.should_stop():
                    made = session.run(predictions)
                    if not yield_single_examples:
                        yield made
                    elif not isinstance(predictions, dict):
                        yield from made
                    else:
                        for row in range(_batch_of(made)):
                            yield {key: value[row] for key, value in made.items()}

    # Export.

    def export_saved_model(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable[..., Any],
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: Any = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Write the model as a SavedModel into a folder named by the time; return its path."""
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        return saved_models.export(
            self,
            export_dir_base,
            serving_input_receiver_fn,
            assets_extra,
            as_text,
            checkpoint_path,
            experimental_mode,
        )

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_receiver_fn: Any,
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: Any = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Write the model as a SavedModel: the older name."""
        return self.export_saved_model(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )

    # Building.

    def _inputs(self, input_fn: Callable[..., Any], mode: str) -> tuple[Any, Any, list[Any]]:
        return features_and_labels(call_input_fn(input_fn, mode, self.params, self.config), mode)

    def _step(self) -> Any:
        step = create_global_step()
        if step is not get_global_step():
            raise ValueError("global_step must be the graph's own.")
        return step

    def _call_model_fn(
        self, features: dict[Any, Any], labels: Tensor | None, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        names = argument_names(self._model_fn)
        given: dict[str, Any] = {"mode": mode, "params": self.params, "config": config}
        kwargs = {name: given[name] for name in names if name in given}
        if "labels" in names:
            kwargs["labels"] = labels
        elif labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        get_logger().info("Calling model_fn.")
        spec = self._model_fn(features=features, **kwargs)
        get_logger().info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec


def _on_parameter_servers(config: RunConfig) -> Any:
    """Return what puts variables on the parameter servers of a cluster; None if it has none."""
    if not config.num_ps_replicas:
        return None
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        cluster=config.cluster_spec,
    )


def _mean(loss: Tensor) -> tuple[Any, Any]:
    value_and_update: tuple[Any, Any] = mean(loss)
    return value_and_update


def _chosen(predictions: dict[Any, Any], keys: Any) -> Any:
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    found = {key: value for key, value in predictions.items() if key in keys}
    if not found:
        raise ValueError(
            f"Expected to run at least one output from {list(predictions)}, provided {keys}."
        )
    return found


def _batch_of(made: dict[str, Any]) -> int:
    sizes = {len(value) for value in made.values() if np.ndim(value)}
    if len(sizes) != 1:
        raise ValueError(
            "Batch length of predictions should be same. "
            + ", ".join(f"{key}: {np.shape(value)}" for key, value in made.items())
        )
    return sizes.pop()
