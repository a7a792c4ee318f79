"""`tf.contrib.learn`'s linear models and deep networks; their loss is the mean over a batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import placewise as tf
from placewise.contrib.learn.estimators import Estimator
from placewise.estimator import heads, premade
from placewise.estimator.modes import EstimatorSpec
from placewise.layers.weighted_loss import Reduction

_MEAN = Reduction.SUM_OVER_BATCH_SIZE


class _Premade(Estimator):
    """What premade models share: features may be one tensor, the column of the name ''."""

    def __init__(
        self, model_fn: Any, model_dir: Any, config: Any, engineering: Any, has_names: bool = False
    ) -> None:
        def named(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            spec: EstimatorSpec = model_fn(_as_dict(features), labels, mode, config)
            predictions = dict(spec.predictions)
            if "class_ids" in predictions:
                classes = predictions["classes" if has_names else "class_ids"]
                predictions["classes"] = tf.squeeze(classes, -1)
            else:
                predictions = {"scores": tf.squeeze(predictions["predictions"], -1)}
            return spec._replace(predictions=predictions)

        super().__init__(named, model_dir, config, None, engineering)

    def _predicted(self, key: str, options: dict[str, Any]) -> Iterator[Any]:
        found = self.predict(outputs=[key], **options)
        return (prediction[key] for prediction in found)


def _as_dict(features: Any) -> Any:
    return features if isinstance(features, dict) else {"": features}


class _Classifier(_Premade):
    """Predictions of classes."""

    def predict_classes(self, **options: Any) -> Iterator[Any]:
        """Yield the most likely class of each case."""
        return self._predicted("classes", options)

    def predict_proba(self, **options: Any) -> Iterator[Any]:
        """Yield the probabilities of the classes of each case."""
        return self._predicted("probabilities", options)


class _Regressor(_Premade):
    """Predictions of numbers."""

    def predict_scores(self, **options: Any) -> Iterator[Any]:
        """Yield the number of each case."""
        return self._predicted("scores", options)


def _refuse(**options: Any) -> None:
    """Raise for what is asked for and not implemented."""
    for name, value in options.items():
        if value:
            raise NotImplementedError(f"{name} is not implemented; leave it out")


class LinearClassifier(_Classifier):
    """A linear model of classes."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_keys: Any = None,
    ) -> None:
        _refuse(enable_centered_bias=enable_centered_bias, _joint_weight=_joint_weight)
        head = heads.class_head(n_classes, weight_column_name, label_keys, _MEAN)
        model = premade._linear_model_fn(
            head, list(feature_columns), clipped(optimizer, gradient_clip_norm, "Ftrl"), None, "sum"
        )
        super().__init__(model, model_dir, config, feature_engineering_fn, label_keys is not None)


class LinearRegressor(_Regressor):
    """A linear model of numbers."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        _refuse(enable_centered_bias=enable_centered_bias)
        head = heads.RegressionHead(label_dimension, weight_column_name, _MEAN)
        model = premade._linear_model_fn(
            head, list(feature_columns), clipped(optimizer, gradient_clip_norm, "Ftrl"), None, "sum"
        )
        super().__init__(model, model_dir, config, feature_engineering_fn)


def _network(
    head: Any, hidden: Any, columns: Any, optimizer: Any, activation: Any, dropout: Any
) -> Any:
    return premade._deep_model_fn(
        head, hidden, list(columns), optimizer, activation, dropout, None, False
    )


class DNNClassifier(_Classifier):
    """A deep network for classes."""

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        _refuse(
            enable_centered_bias=enable_centered_bias,
            embedding_lr_multipliers=embedding_lr_multipliers,
            input_layer_min_slice_size=input_layer_min_slice_size,
        )
        head = heads.class_head(n_classes, weight_column_name, label_keys, _MEAN)
        stepper = clipped(optimizer, gradient_clip_norm, "Adagrad")
        model = _network(head, hidden_units, feature_columns, stepper, activation_fn, dropout)
        super().__init__(model, model_dir, config, feature_engineering_fn, label_keys is not None)


class DNNRegressor(_Regressor):
    """A deep network for numbers."""

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Any = tf.nn.relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: Any = None,
        feature_engineering_fn: Any = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        _refuse(
            enable_centered_bias=enable_centered_bias,
            embedding_lr_multipliers=embedding_lr_multipliers,
            input_layer_min_slice_size=input_layer_min_slice_size,
        )
        head = heads.RegressionHead(label_dimension, weight_column_name, _MEAN)
        stepper = clipped(optimizer, gradient_clip_norm, "Adagrad")
        model = _network(head, hidden_units, feature_columns, stepper, activation_fn, dropout)
        super().__init__(model, model_dir, config, feature_engineering_fn)


def clipped(optimizer: Any, norm: float | None, default: str) -> Any:
    """Return an optimizer for premade models; gradients clipped by norm are refused."""
    if norm is not None:
        raise NotImplementedError(
            "gradient_clip_norm is not implemented here; pass an optimizer that clips gradients"
        )
    return default if optimizer is None else optimizer
