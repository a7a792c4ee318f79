"""Heads of premade estimators: from logits to predictions, loss, metrics and training step."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.estimator.estimator import Estimator
from placewise.estimator.input_functions import argument_names
from placewise.estimator.modes import EstimatorSpec, ModeKeys
from placewise.estimator.receivers import ClassificationOutput, PredictOutput, RegressionOutput
from placewise.feature_column.base import FeatureTransformationCache
from placewise.feature_column.numbers import NumericColumn, numeric_column
from placewise.graph.collections import GraphKeys, get_collection
from placewise.graph.defaults import get_default_graph
from placewise.layers.class_metrics import precision, recall
from placewise.layers.mean_metrics import accuracy, mean
from placewise.layers.threshold_metrics import auc
from placewise.layers.weighted_loss import Reduction, compute_weighted_loss
from placewise.ops.lookup.classes import StaticHashTable
from placewise.ops.lookup.initializers import KeyValueTensorInitializer
from placewise.summary.tf1 import scalar as scalar_summary
from placewise.training.global_step import get_global_step

_DEFAULT = "serving_default"


class Head:
    """What heads share: weights of cases, the loss of a batch, the training step."""

    logits_dimension: int

    def __init__(self, weight_column: Any, loss_reduction: str, name: str | None = None) -> None:
        if loss_reduction not in Reduction.all() or loss_reduction == Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self._weight_column, self._reduction, self._name = weight_column, loss_reduction, name

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Any = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        """Return what a model function returns."""
        logits = tf.ensure_shape(tf.convert_to_tensor(logits), [None, self.logits_dimension])
        predictions = self.predictions(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(
                mode, predictions=predictions, export_outputs=self.exports(predictions)
            )
        if labels is None:
            raise ValueError("You must provide a labels Tensor. Given: None.")
        labels = self._labels(labels)
        weights = self._weights(features)
        each = self.losses(labels, logits)
        loss = compute_weighted_loss(each, weights, reduction=self._reduction)
        penalties = regularization_losses or []
        total = tf.add_n([loss, *penalties]) if penalties else loss
        if mode == ModeKeys.EVAL:
            metrics = {"average_loss": mean(each, weights)}
            metrics.update(self.metrics(labels, predictions, weights))
            return EstimatorSpec(mode, predictions=predictions, loss=total, eval_metric_ops=metrics)
        if optimizer is not None:
            step = optimizer.minimize(total, global_step=get_global_step())
        else:
            step = train_op_fn(total)
        updates = get_collection(GraphKeys.UPDATE_OPS)
        if updates:
            step = tf.group(step, *updates)
        with tf.name_scope(""):
            scalar_summary("loss", total)
            if self._reduction == Reduction.SUM:
                averaged = compute_weighted_loss(each, weights, reduction=Reduction.MEAN)
                scalar_summary("average_loss", averaged)
        return EstimatorSpec(mode, predictions=predictions, loss=total, train_op=step)

    def _weights(self, features: Any) -> Any:
        column = self._weight_column
        if column is None:
            return 1.0
        if isinstance(column, str):
            column = numeric_column(column, shape=(1,))
        if not isinstance(column, NumericColumn):
            raise TypeError(
                f"Weight column must be either a string or NumericColumn. Given: {column}"
            )
        found = column.get_dense_tensor(FeatureTransformationCache(features))
        if found.shape.rank == 1:
            found = tf.expand_dims(found, 1)
        return found

    def _labels(self, labels: Any) -> Any:
        if isinstance(labels, dict):
            if len(labels) != 1:
                raise ValueError(f"labels must be a tensor, given: {labels}")
            (labels,) = labels.values()
        labels = tf.convert_to_tensor(labels)
        return tf.expand_dims(labels, 1) if labels.shape.rank == 1 else labels

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return predictions by name."""
        raise NotImplementedError

    def losses(self, labels: Any, logits: Any) -> Any:
        """Return the loss of each case."""
        raise NotImplementedError

    def metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        """Return further metrics by name."""
        raise NotImplementedError

    def exports(self, predictions: Any) -> dict[str, Any]:
        """Return what exported models give, by signature."""
        raise NotImplementedError


class _Classes(Head):
    """What heads for classes share: labels by name, classes as text."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any,
        label_vocabulary: Any,
        loss_reduction: str,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, name)
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(
                "label_vocabulary should be a list or a tuple. Given type: "
                f"{type(label_vocabulary)}"
            )
        self._count, self._vocabulary = n_classes, label_vocabulary

    def _ids(self, labels: Any) -> Any:
        if self._vocabulary is None:
            if not (labels.dtype.is_integer or labels.dtype.is_floating):
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
            return labels
        if labels.dtype != tf.string:
            raise ValueError(
                f"Labels dtype should be string if there is a vocabulary. Instead got "
                f"{labels.dtype}"
            )
        names = tf.constant(list(self._vocabulary))
        table = StaticHashTable(
            KeyValueTensorInitializer(names, tf.range(self._count, dtype=tf.int64)), -1
        )
        return table.lookup(labels)

    def _classes(self, ids: Any) -> Any:
        if self._vocabulary is None:
            return tf.strings.as_string(ids, name="str_classes")
        return tf.gather(tf.constant(list(self._vocabulary)), ids)

    def _all(self, logits: Any) -> dict[str, Any]:
        rows = tf.shape(logits)[0]
        ids = tf.tile(tf.expand_dims(tf.range(self._count), 0), [rows, 1])
        names = self._vocabulary or [str(each) for each in range(self._count)]
        classes = tf.tile(tf.expand_dims(tf.constant(list(names)), 0), [rows, 1])
        return {"all_class_ids": ids, "all_classes": classes}

    def exports(self, predictions: Any) -> dict[str, Any]:
        """Return the classes with their probabilities, and all predictions."""
        classes = ClassificationOutput(
            scores=predictions["probabilities"], classes=predictions["all_classes"]
        )
        return {
            _DEFAULT: classes,
            "classification": classes,
            "predict": PredictOutput(predictions),
        }


class MultiClassHead(_Classes):
    """One of several classes."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Any = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None or n_classes <= 2:
            raise ValueError(
                f"n_classes must be > 2: {n_classes}. For binary classification, use "
                "binary_classification_head."
            )
        super().__init__(n_classes, weight_column, label_vocabulary, loss_reduction, name)
        self.logits_dimension = n_classes

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits, probabilities, and the most likely class."""
        ids = tf.expand_dims(tf.argmax(logits, -1), -1)
        return {
            "logits": logits,
            "probabilities": tf.nn.softmax(logits),
            "class_ids": ids,
            "classes": self._classes(ids),
            **self._all(logits),
        }

    def losses(self, labels: Any, logits: Any) -> Any:
        """Return the cross entropy of each case."""
        ids = tf.cast(self._ids(labels), tf.int64)
        checks = [
            tf.debugging.Assert(
                tf.reduce_all(ids < self._count), ["Labels must be <= n_classes - 1", ids]
            ),
            tf.debugging.Assert(tf.reduce_all(ids >= 0), ["Labels must be >= 0", ids]),
        ]
        with get_default_graph().control_dependencies(
            [each for each in checks if each is not None]
        ):
            ids = tf.identity(ids)
        found = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.squeeze(ids, [-1]), logits)
        return tf.expand_dims(found, -1)

    def metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        """Return the share of right predictions."""
        return {"accuracy": accuracy(self._ids(labels), predictions["class_ids"], weights)}


class BinaryClassHead(_Classes):
    """Yes or no."""

    logits_dimension = 1

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Any = None,
        label_vocabulary: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(2, weight_column, label_vocabulary, loss_reduction, name)

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return logits, probabilities of no and yes, and the more likely class."""
        both = tf.concat([tf.zeros_like(logits), logits], -1)
        ids = tf.expand_dims(tf.argmax(both, -1), -1)
        return {
            "logits": logits,
            "logistic": tf.sigmoid(logits),
            "probabilities": tf.nn.softmax(both),
            "class_ids": ids,
            "classes": self._classes(ids),
            **self._all(logits),
        }

    def losses(self, labels: Any, logits: Any) -> Any:
        """Return the cross entropy of each case."""
        wanted = tf.cast(self._ids(labels), tf.float32)
        return tf.nn.sigmoid_cross_entropy_with_logits(wanted, logits)

    def metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        """Return accuracy, precision, recall, areas under curves and means."""
        wanted = tf.cast(self._ids(labels), tf.float32)
        ids, shares = predictions["class_ids"], predictions["logistic"]
        label_mean = mean(wanted, weights)
        value, update = label_mean
        return {
            "accuracy": accuracy(wanted, ids, weights),
            "precision": precision(wanted, ids, weights),
            "recall": recall(wanted, ids, weights),
            "prediction/mean": mean(shares, weights),
            "label/mean": label_mean,
            "accuracy_baseline": (tf.maximum(value, 1.0 - value), tf.maximum(update, 1.0 - update)),
            "auc": auc(wanted, shares, weights),
            "auc_precision_recall": auc(wanted, shares, weights, curve="PR"),
        }

    def exports(self, predictions: Any) -> dict[str, Any]:
        """Return classes, the probability of yes, and all predictions."""
        return {
            **super().exports(predictions),
            "regression": RegressionOutput(predictions["logistic"]),
        }


class RegressionHead(Head):
    """Numbers."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Any = None,
        inverse_link_fn: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, name)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self.logits_dimension = label_dimension
        self._loss_fn, self._link = loss_fn, inverse_link_fn

    def predictions(self, logits: Any) -> dict[str, Any]:
        """Return the numbers."""
        if self._link:
            return {"predictions": self._link(logits), "logits": logits}
        return {"predictions": logits}

    def losses(self, labels: Any, logits: Any) -> Any:
        """Return the squares of differences."""
        wanted = tf.cast(labels, tf.float32)
        if self._loss_fn:
            return self._loss_fn(wanted, logits)
        return tf.math.squared_difference(logits, wanted)

    def metrics(self, labels: Any, predictions: Any, weights: Any) -> dict[str, Any]:
        """Return the means of predictions and labels."""
        return {
            "prediction/mean": mean(predictions["predictions"], weights),
            "label/mean": mean(tf.cast(labels, tf.float32), weights),
        }

    def exports(self, predictions: Any) -> dict[str, Any]:
        """Return the numbers, and all predictions."""
        numbers = RegressionOutput(predictions["predictions"])
        return {_DEFAULT: numbers, "regression": numbers, "predict": PredictOutput(predictions)}


def class_head(n_classes: int, weight_column: Any, vocabulary: Any, reduction: str) -> Head:
    """Return the head for some classes."""
    if n_classes == 2:
        return BinaryClassHead(weight_column, None, vocabulary, reduction)
    return MultiClassHead(n_classes, weight_column, vocabulary, reduction)


def add_metrics(estimator: Any, metric_fn: Any) -> Any:
    """Return an estimator like another whose evaluation has further metrics."""

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        given = {
            "features": features,
            "labels": labels,
            "predictions": spec.predictions,
            "config": config,
        }
        names = argument_names(metric_fn)
        more = metric_fn(**{name: given[name] for name in names if name in given})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **(more or {})})

    return Estimator(model_fn, model_dir=estimator.model_dir, config=estimator.config)
