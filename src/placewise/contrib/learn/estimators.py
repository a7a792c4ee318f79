"""`tf.contrib.learn.Estimator` and what goes with it: fit, evaluate and predict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import placewise as tf
from placewise.contrib.learn.feeding import array_input_fn
from placewise.contrib.learn.modes import ModeKeys
from placewise.estimator import estimator as core
from placewise.estimator.input_functions import argument_names
from placewise.estimator.modes import EstimatorSpec
from placewise.feature_column.numbers import NumericColumn, numeric_column
from placewise.graph.graph import Graph

_ROWS = 128


class ModelFnOps(NamedTuple):
    """What a model function returns; `output_alternatives` has no effect here."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None


class MetricSpec:
    """A metric: a function of predictions and labels, and which of them it gets."""

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: Any = None,
        label_key: Any = None,
        weight_key: Any = None,
    ) -> None:
        self.metric_fn, self.prediction_key = metric_fn, prediction_key
        self.label_key, self.weight_key = label_key, weight_key

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Return the metric's (value, update)."""
        chosen = _part(predictions, self.prediction_key, "predictions")
        given = [chosen, _part(labels, self.label_key, "labels")]
        if self.weight_key is None:
            return self.metric_fn(*given)
        return self.metric_fn(*given, weights=inputs[self.weight_key])


def _part(values: Any, key: Any, what: str) -> Any:
    if not isinstance(values, Mapping):
        return values
    if key is not None:
        return values[key]
    if len(values) != 1:
        raise ValueError(f"MetricSpec without a key for {what} cannot choose among {list(values)}")
    return next(iter(values.values()))


class Estimator:
    """A model that a function makes, trained with `fit`, used with `evaluate` and `predict`.

    `model_fn`: takes `features` and `labels`, and as far as it names them `mode`, `params`,
        `config` and `model_dir`; it returns `ModelFnOps` or (predictions, loss, train_op).
    `feature_engineering_fn`: takes features and labels, and returns what the model gets of them.

    Input is `input_fn`, or arrays `x` and `y` with `batch_size`.
    """

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: Any = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        names = argument_names(model_fn)
        if params is not None and "params" not in names:
            raise ValueError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params "
                f"({params}) were passed to the Estimator's constructor."
            )
        self._user_model_fn, self._names = model_fn, names
        self._engineering = feature_engineering_fn
        self._metrics: Any = None
        self._core = core.Estimator(
            self._model_fn, model_dir, config, params if params is None else dict(_items(params))
        )
        self._params = params

    def _model_fn(self, features: Any, labels: Any, mode: str, params: Any, config: Any) -> Any:
        if self._engineering is not None:
            features, labels = self._engineering(features, labels)
        given = {
            "mode": mode,
            "params": self._params,
            "config": config,
            "model_dir": self.model_dir,
        }
        more = {name: given[name] for name in given if name in self._names}
        made = self._user_model_fn(features, labels, **more)
        if isinstance(made, EstimatorSpec):
            return made
        if not isinstance(made, ModelFnOps):
            if len(made) != 3:
                raise ValueError(
                    "Unrecognized value returned by model_fn, please return ModelFnOps."
                )
            made = ModelFnOps(mode, *made)
        return self._spec(mode, made, features, labels)

    def _spec(self, mode: str, made: ModelFnOps, features: Any, labels: Any) -> EstimatorSpec:
        metrics = dict(made.eval_metric_ops or {})
        if mode == ModeKeys.EVAL:
            for name, metric in (self._metrics or {}).items():
                metrics[name] = _metric_ops(metric, features, labels, made.predictions)
        return EstimatorSpec(
            mode,
            predictions=made.predictions,
            loss=made.loss,
            train_op=made.train_op,
            eval_metric_ops=metrics,
            training_chief_hooks=made.training_chief_hooks,
            training_hooks=made.training_hooks,
            scaffold=made.scaffold,
        )

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and event files."""
        return self._core.model_dir

    @property
    def config(self) -> Any:
        """The settings of runs."""
        return self._core.config

    @property
    def params(self) -> Any:
        """The parameters of the model function."""
        return self._params

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Estimator:
        """Train on what the input gives, or for some steps; return this estimator."""
        made = _input_fn(x, y, input_fn, batch_size, True, None)
        self._core.train(made, hooks=monitors, steps=steps, max_steps=max_steps)
        return self

    def partial_fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int = 1,
        batch_size: int | None = None,
        monitors: Any = None,
    ) -> Estimator:
        """Train further, for one step unless more are asked for."""
        return self.fit(x, y, input_fn, steps, batch_size, monitors)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Return the metrics of the model on the input, the loss, and the global step."""
        if metrics is not None and not isinstance(metrics, dict):
            raise ValueError(f"Metrics argument should be None or dict. Got {metrics}.")
        made = _input_fn(x, y, input_fn, batch_size, False, 1)
        self._metrics = metrics
        try:
            return self._core.evaluate(
                made, steps=steps, hooks=hooks, checkpoint_path=checkpoint_path, name=name
            )
        finally:
            self._metrics = None

    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Return the predictions for the input: an iterator by case or batch, or all at once."""
        made = _input_fn(x, None, input_fn, batch_size, False, 1)
        found = self._core.predict(
            made, predict_keys=outputs, yield_single_examples=as_iterable and not iterate_batches
        )
        return found if as_iterable else _joined(list(found))

    def get_variable_names(self) -> list[str]:
        """Return the names of the variables of the latest checkpoint."""
        return self._core.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """Return the value a variable has in the latest checkpoint."""
        return self._core.get_variable_value(name)

    def export_savedmodel(
        self, export_dir_base: str, serving_input_fn: Any, *args: Any, **options: Any
    ) -> Any:
        """Write a SavedModel of the latest checkpoint, and return its folder."""
        return self._core.export_savedmodel(export_dir_base, serving_input_fn, *args, **options)


def _items(params: Any) -> Any:
    return params.values().items() if hasattr(params, "parse_json") else dict(params).items()


def _metric_ops(metric: Any, features: Any, labels: Any, predictions: Any) -> Any:
    if isinstance(metric, MetricSpec):
        return metric.create_metric_ops(features, labels, predictions)
    return metric(predictions, labels)


def _input_fn(
    x: Any, y: Any, input_fn: Any, batch_size: int | None, is_shuffled: bool, epochs: int | None
) -> Any:
    if (x is None) == (input_fn is None):
        raise ValueError("Only one of x and input_fn must be provided.")
    if input_fn is None:
        return array_input_fn(x, y, batch_size, is_shuffled, epochs)
    if y is not None:
        raise ValueError("Can not provide both input_fn and y.")
    if batch_size is not None:
        raise ValueError("Can not provide both input_fn and batch_size.")
    return input_fn


def _joined(batches: list[Any]) -> Any:
    if not isinstance(batches[0], dict):
        return np.concatenate(batches, axis=0)
    return {key: np.concatenate([batch[key] for batch in batches], axis=0) for key in batches[0]}


class SKCompat:
    """An estimator with scikit-learn's interface: `fit`, `score` and `predict` of arrays."""

    def __init__(self, estimator: Estimator) -> None:
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int = _ROWS,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Any = None,
    ) -> SKCompat:
        """Train on arrays; return this object."""
        self._estimator.fit(
            x, y, batch_size=batch_size, steps=steps, max_steps=max_steps, monitors=monitors
        )
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int = _ROWS,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Return the metrics on arrays."""
        return self._estimator.evaluate(
            x, y, batch_size=batch_size, steps=steps, metrics=metrics, name=name
        )

    def predict(self, x: Any, batch_size: int = _ROWS, outputs: Any = None) -> Any:
        """Return the predictions for arrays."""
        return self._estimator.predict(x, batch_size=batch_size, outputs=outputs, as_iterable=False)


def infer_real_valued_columns_from_input(x: Any) -> list[NumericColumn]:
    """Return one column of numbers for each feature of arrays."""
    return infer_real_valued_columns_from_input_fn(array_input_fn(x, None, None, False, 1))


def infer_real_valued_columns_from_input_fn(input_fn: Any) -> list[NumericColumn]:
    """Return one column of numbers for each feature that an input function gives."""
    with Graph().as_default():
        features = input_fn()
        if hasattr(features, "element_spec"):
            features = features.element_spec
        if isinstance(features, tuple):
            features = features[0]
        if not isinstance(features, dict):
            features = {"": features}
        return [_column_of(key, features[key]) for key in sorted(features)]


def _column_of(key: str, feature: Any) -> NumericColumn:
    if feature.dtype not in (tf.float32, tf.float64, tf.int32, tf.int64):
        raise ValueError(
            "on feature infered type is not supported: "
            f"{feature.dtype} of {key!r}; only numbers become real valued columns"
        )
    column: NumericColumn = numeric_column(key, shape=tuple(feature.shape.as_list()[1:]) or (1,))
    return column
