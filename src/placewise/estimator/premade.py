"""Premade estimators: linear models, deep networks, both together, and baselines."""

from __future__ import annotations

import math
from typing import Any

import placewise as tf
from placewise.estimator import heads
from placewise.estimator.estimator import Estimator
from placewise.estimator.modes import ModeKeys
from placewise.feature_column.input_layer import input_layer, linear_model
from placewise.graph.collections import GraphKeys, get_collection
from placewise.graph.defaults import get_default_graph
from placewise.graph.initializers import GlorotUniform, Zeros
from placewise.graph.partitioned import min_max_variable_partitioner
from placewise.graph.variable_scope import get_variable, variable_scope
from placewise.layers.dense import Dense
from placewise.layers.dropout import dropout as drop
from placewise.layers.normalization import BatchNormalization
from placewise.layers.weighted_loss import Reduction
from placewise.summary import tf1 as v1
from placewise.training.adagrad import AdagradOptimizer
from placewise.training.adam import AdamOptimizer
from placewise.training.ftrl import FtrlOptimizer
from placewise.training.global_step import get_global_step
from placewise.training.gradient_descent import GradientDescentOptimizer
from placewise.training.optimizer import Optimizer
from placewise.training.rmsprop import RMSPropOptimizer

_OPTIMIZERS = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}

_PARTS = min_max_variable_partitioner


def optimizer_of(given: Any, rate: float) -> Any:
    """Return an optimizer that is given, named, or made by a function."""
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError(
                f"Unsupported optimizer name: {given}. Supported names are: "
                f"{tuple(sorted(_OPTIMIZERS))}"
            )
        return _OPTIMIZERS[given](learning_rate=rate)
    if callable(given) and not isinstance(given, Optimizer):
        given = given()
    if not isinstance(given, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {given}")
    return given


def _linear_logits(features: Any, units: int, columns: Any, combiner: str, partitioner: Any) -> Any:
    with variable_scope("linear", values=tuple(features.values()), partitioner=partitioner):
        logits = linear_model(features, columns, units=units, sparse_combiner=combiner)
        v1.scalar("fraction_of_zero_weights", _zero_share("linear"))
        v1.scalar("bias", tf.reduce_mean(_bias_of(units)))
    return logits


def _zero_share(scope: str) -> Any:
    kept = [
        each
        for each in get_collection(GraphKeys.GLOBAL_VARIABLES, f"{scope}/")
        if "bias" not in each.op.name
    ]
    return tf.math.zero_fraction(tf.concat([tf.reshape(each, [-1]) for each in kept], 0))


def _bias_of(units: int) -> Any:
    kept = [
        each
        for each in get_collection(GraphKeys.GLOBAL_VARIABLES, "linear/")
        if "bias_weights" in each.op.name
    ]
    return kept[0]


def _deep_logits(
    features: Any,
    mode: str,
    units: int,
    hidden: Any,
    columns: Any,
    activation: Any,
    dropout: Any,
    partitioner: Any,
    batch_norm: bool,
    parts: Any,
) -> Any:
    with variable_scope("dnn", values=tuple(features.values()), partitioner=parts):
        with variable_scope(
            "input_from_feature_columns", values=tuple(features.values()), partitioner=partitioner
        ):
            net = input_layer(features, columns)
        training = mode == ModeKeys.TRAIN
        for number, width in enumerate(hidden):
            with variable_scope(f"hiddenlayer_{number}", values=(net,)) as opened:
                layer = Dense(
                    width,
                    activation=activation,
                    kernel_initializer=GlorotUniform(),
                    name=opened,  # type: ignore[arg-type]  # a scope names it, too
                    _scope=opened,
                )
                net = layer(net)
                if dropout is not None and training:
                    net = drop(net, rate=dropout, training=True)
                if batch_norm:
                    # The momentum of the estimator's own normalization, not of the layer's default.
                    norm = BatchNormalization(
                        momentum=0.999, name=f"batchnorm_{number}", _scope=f"batchnorm_{number}"
                    )
                    net = norm(net, training=training)
            _report(net, opened.name)
        with variable_scope("logits", values=(net,)) as opened:
            layer = Dense(
                units,
                activation=None,
                kernel_initializer=GlorotUniform(),
                name=opened,  # type: ignore[arg-type]  # a scope names it, too
                _scope=opened,
            )
            logits = layer(net)
        _report(logits, opened.name)
    return logits


def _report(value: Any, tag: str) -> None:
    v1.scalar(f"{tag}/fraction_of_zero_values", tf.math.zero_fraction(value))
    v1.histogram(f"{tag}/activation", value)


def _check_features(features: Any) -> None:
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def _linear_model_fn(
    head: Any, columns: Any, optimizer: Any, partitioner: Any, combiner: str
) -> Any:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        _check_features(features)
        rate = min(0.2, 1.0 / math.sqrt(len(columns)))
        chosen = optimizer_of(optimizer, rate)
        parts = partitioner or _PARTS(
            max_partitions=config.num_ps_replicas, min_slice_size=64 << 20
        )
        logits = _linear_logits(features, head.logits_dimension, columns, combiner, parts)
        return head.create_estimator_spec(features, mode, logits, labels, optimizer=chosen)

    return model_fn


def _deep_model_fn(
    head: Any,
    hidden: Any,
    columns: Any,
    optimizer: Any,
    activation: Any,
    dropout: Any,
    partitioner: Any,
    batch_norm: bool,
) -> Any:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        _check_features(features)
        chosen = optimizer_of(optimizer, 0.05)
        parts = _PARTS(max_partitions=config.num_ps_replicas)
        inner = partitioner or _PARTS(
            max_partitions=config.num_ps_replicas, min_slice_size=64 << 20
        )
        logits = _deep_logits(
            features,
            mode,
            head.logits_dimension,
            hidden,
            columns,
            activation,
            dropout,
            inner,
            batch_norm,
            parts,
        )
        return head.create_estimator_spec(features, mode, logits, labels, optimizer=chosen)

    return model_fn


def _combined_model_fn(
    head: Any,
    linear_columns: Any,
    linear_optimizer: Any,
    deep_columns: Any,
    deep_optimizer: Any,
    hidden: Any,
    activation: Any,
    dropout: Any,
    partitioner: Any,
    batch_norm: bool,
    combiner: str,
) -> Any:
    linear_columns, deep_columns = linear_columns or [], deep_columns or []
    if not linear_columns and not deep_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if deep_columns and not hidden:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        _check_features(features)
        # Without parameter servers, TensorFlow's combined models have variables in one piece.
        count = config.num_ps_replicas
        parts = partitioner or (
            _PARTS(max_partitions=count, min_slice_size=64 << 20) if count else None
        )
        units, sums, steppers = head.logits_dimension, [], []
        if deep_columns:
            sums.append(
                _deep_logits(
                    features,
                    mode,
                    units,
                    hidden,
                    deep_columns,
                    activation,
                    dropout,
                    parts,
                    batch_norm,
                    _PARTS(max_partitions=count) if count else None,
                )
            )
            steppers.append(("dnn", optimizer_of(deep_optimizer, 0.001)))
        if linear_columns:
            rate = min(0.005, 1.0 / math.sqrt(len(linear_columns)))
            sums.append(_linear_logits(features, units, linear_columns, combiner, parts))
            steppers.append(("linear", optimizer_of(linear_optimizer, rate)))

        def train(loss: Any) -> Any:
            steps = [
                stepper.minimize(
                    loss, var_list=get_collection(GraphKeys.TRAINABLE_VARIABLES, f"{scope}/")
                )
                for scope, stepper in steppers
            ]
            with get_default_graph().control_dependencies([tf.group(*steps)]):
                return get_global_step().assign_add(1).op

        logits = sums[0] if len(sums) == 1 else sums[0] + sums[1]
        return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=train)

    return model_fn


def _baseline_model_fn(head: Any, optimizer: Any) -> Any:
    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        _check_features(features)
        first = next(iter(features.values()))
        rows = tf.shape(first if tf.is_tensor(first) else first.dense_shape)[0]
        with variable_scope("baseline"):
            bias = get_variable("bias", [head.logits_dimension], initializer=Zeros())
            logits = tf.ones([rows, 1]) * bias

        def train(loss: Any) -> Any:
            return optimizer_of(optimizer, 0.3).minimize(loss, global_step=get_global_step())

        return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=train)

    return model_fn


class LinearClassifier(Estimator):
    """A linear model of classes."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            _linear_model_fn(
                head, list(feature_columns or []), optimizer, partitioner, sparse_combiner
            ),
            model_dir,
            config,
            warm_start_from=warm_start_from,
        )


class LinearRegressor(Estimator):
    """A linear model of numbers."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(
            _linear_model_fn(
                head, list(feature_columns or []), optimizer, partitioner, sparse_combiner
            ),
            model_dir,
            config,
            warm_start_from=warm_start_from,
        )


class LinearEstimator(Estimator):
    """A linear model with a head of one's own."""

    def __init__(
        self,
        head: Any,
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
    ) -> None:
        super().__init__(
            _linear_model_fn(head, list(feature_columns), optimizer, partitioner, sparse_combiner),
            model_dir,
            config,
        )


class DNNClassifier(Estimator):
    """A deep network for classes."""

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = tf.nn.relu,
        dropout: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            _deep_model_fn(
                head,
                hidden_units,
                list(feature_columns or []),
                optimizer,
                activation_fn,
                dropout,
                input_layer_partitioner,
                batch_norm,
            ),
            model_dir,
            config,
            warm_start_from=warm_start_from,
        )


class DNNRegressor(Estimator):
    """A deep network for numbers."""

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = tf.nn.relu,
        dropout: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(
            _deep_model_fn(
                head,
                hidden_units,
                list(feature_columns or []),
                optimizer,
                activation_fn,
                dropout,
                input_layer_partitioner,
                batch_norm,
            ),
            model_dir,
            config,
            warm_start_from=warm_start_from,
        )


class DNNEstimator(Estimator):
    """A deep network with a head of one's own."""

    def __init__(
        self,
        head: Any,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = tf.nn.relu,
        dropout: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        super().__init__(
            _deep_model_fn(
                head,
                hidden_units,
                list(feature_columns),
                optimizer,
                activation_fn,
                dropout,
                input_layer_partitioner,
                batch_norm,
            ),
            model_dir,
            config,
            warm_start_from=warm_start_from,
        )


class DNNLinearCombinedClassifier(Estimator):
    """A linear model and a deep network together, for classes."""

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        head = heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(
            _combined_model_fn(
                head,
                linear_feature_columns,
                linear_optimizer,
                dnn_feature_columns,
                dnn_optimizer,
                dnn_hidden_units,
                dnn_activation_fn,
                dnn_dropout,
                input_layer_partitioner,
                batch_norm,
                linear_sparse_combiner,
            ),
            model_dir,
            config,
            warm_start_from=warm_start_from,
        )


class DNNLinearCombinedRegressor(Estimator):
    """A linear model and a deep network together, for numbers."""

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = tf.nn.relu,
        dnn_dropout: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(
            _combined_model_fn(
                head,
                linear_feature_columns,
                linear_optimizer,
                dnn_feature_columns,
                dnn_optimizer,
                dnn_hidden_units,
                dnn_activation_fn,
                dnn_dropout,
                input_layer_partitioner,
                batch_norm,
                linear_sparse_combiner,
            ),
            model_dir,
            config,
            warm_start_from=warm_start_from,
        )


class BaselineClassifier(Estimator):
    """How often each class is there, whatever the features."""

    def __init__(
        self,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = heads.class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)


class BaselineRegressor(Estimator):
    """The mean of the labels, whatever the features."""

    def __init__(
        self,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = heads.RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(_baseline_model_fn(head, optimizer), model_dir, config)
