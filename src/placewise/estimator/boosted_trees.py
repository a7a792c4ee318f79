"""`tf.estimator.BoostedTrees*`: estimators of gradient boosted trees, grown layer by layer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import numpy as np

import placewise as tf
from placewise import messages
from placewise.estimator import heads
from placewise.estimator.estimator import Estimator
from placewise.estimator.modes import EstimatorSpec, ModeKeys
from placewise.estimator.tree_features import (
    column_names,
    feature_count,
    feature_groups,
    is_float,
    sorted_columns,
    transformed,
)
from placewise.estimator.tree_growth import AccumulatingGrower, InMemoryGrower, TreeParameters
from placewise.estimator.tree_state import QuantileAccumulator, TreeEnsemble
from placewise.feature_column.numbers import numeric_column
from placewise.graph.cond import cond
from placewise.graph.lazy import ResourceVariable
from placewise.layers.weighted_loss import Reduction
from placewise.ops.boosted_trees import features as feature_ops
from placewise.ops.boosted_trees import trees as tree_ops
from placewise.saving.reader import load_checkpoint
from placewise.summary.tf1 import scalar as scalar_summary
from placewise.training.global_step import get_global_step
from placewise.training.session_run_hook import SessionRunArgs, SessionRunHook

_EXPLANATIONS = "_serialized_debug_outputs_proto"
_NO_NODE = -1


def _variable(value: Any, name: str) -> Any:
    return ResourceVariable(value, trainable=False, validate_shape=False, name=name)


class _StopHook(SessionRunHook):
    """Stops once there are enough trees, or too many attempts to grow one."""

    def __init__(self, finished: Any, attempts: Any, parameters: TreeParameters) -> None:
        self._tensors = [finished, attempts]
        self._trees = parameters.n_trees
        self._attempts = 2 * parameters.n_trees * parameters.max_depth

    def before_run(self, run_context: Any) -> Any:
        """Ask how far the trees are."""
        return SessionRunArgs(self._tensors)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Compare; near the end with what is true after the step, which may have grown a tree."""
        finished, attempts = run_values.results
        if finished >= self._trees - 1 or attempts > self._attempts - 1:
            finished, attempts = run_context.session.run(self._tensors)
        if finished >= self._trees or attempts > self._attempts:
            run_context.request_stop()


class _GrowerHook(SessionRunHook):
    """Prepares the grower in each new session."""

    def __init__(self, first_op: Any) -> None:
        self._first_op = first_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Run the grower's first operation."""
        session.run(self._first_op)


class _Cache:
    """Where each case was after the last step, for training on one batch of all cases."""

    def __init__(self, rows: Any, width: int) -> None:
        self._trees = _variable(tf.zeros([rows], tf.int32), "tree_ids_cache")
        self._nodes = _variable(_NO_NODE * tf.ones([rows], tf.int32), "node_ids_cache")
        self._logits = _variable(tf.zeros([rows, width]), "logits_cache")

    def lookup(self) -> tuple[Any, ...]:
        """Return the tree, the node and the logits of each case."""
        return tuple(tf.identity(each) for each in (self._trees, self._nodes, self._logits))

    def insert(self, trees: Any, nodes: Any, logits: Any) -> Any:
        """Return the operation that keeps where cases are now."""
        return tf.group(
            self._trees.assign(trees).op,
            self._nodes.assign(nodes).op,
            self._logits.assign(logits).op,
            name="cache_insert",
        )


class _Model:
    """The graph of trees over some columns."""

    def __init__(self, columns: Any, head: Any, parameters: TreeParameters) -> None:
        self.columns, self.head, self.parameters = sorted_columns(columns), head, parameters
        self.float_columns = [column for column in self.columns if is_float(column)]

    def build(self, scope: str, features: Any) -> tuple[TreeEnsemble, Any, dict[str, Any]]:
        """Return trees, quantiles (None without numbers), and boundaries by column."""
        trees = TreeEnsemble(scope)
        if not self.float_columns:
            return trees, None, {}
        counts = [feature_count(column) for column in self.float_columns]
        epsilon = self.parameters.quantile_sketch_epsilon
        quantiles = QuantileAccumulator(
            epsilon, sum(counts), int(1.0 / epsilon), "QuantileAccumulator"
        )
        known = list(quantiles.bucket_boundaries())
        boundaries = {}
        for column, count in zip(self.float_columns, counts, strict=True):
            boundaries[column.name], known = known[:count], known[count:]
        return trees, quantiles, boundaries

    def predict(self, features: Any, labels: Any, mode: str, explains: bool) -> EstimatorSpec:
        """Return what evaluates and predicts."""
        with tf.name_scope("boosted_trees") as scope:
            trees, _, boundaries = self.build(scope, features)
            inputs = transformed(features, self.columns, boundaries)
            width = self.head.logits_dimension
            logits = tree_ops.predict(trees.resource_handle, inputs, logits_dimension=width)
            spec: EstimatorSpec = self.head.create_estimator_spec(
                features, mode, logits, labels=labels, train_op_fn=lambda loss: tf.no_op()
            )
            if explains:
                spec.predictions[_EXPLANATIONS] = tree_ops.debug_outputs(
                    trees.resource_handle, inputs, logits_dimension=width
                )
            return spec


class _Training:
    """One training step: quantiles first, then the bias, then the trees."""

    def __init__(
        self, model: _Model, batches: Any, weight_column: Any, in_memory: bool, closed_form: Any
    ) -> None:
        self._model, self._batches, self._in_memory = model, batches, in_memory
        self._weight_column, self._closed_form = weight_column, closed_form

    def spec(self, features: Any, labels: Any, config: Any) -> EstimatorSpec:
        """Return what trains."""
        self._check(config)
        with tf.name_scope("boosted_trees") as scope:
            return self._spec(scope, features, labels, config)

    def _check(self, config: Any) -> None:
        if not self._in_memory:
            return
        if self._batches != 1:
            raise AssertionError(
                "When train_in_memory is enabled, input_fn should return the entire dataset as a "
                "single batch, and n_batches_per_layer should be set as 1."
            )
        if not config.is_chief or config.num_worker_replicas > 1 or config.num_ps_replicas > 0:
            raise ValueError("train_in_memory is supported only for non-distributed training.")

    def _spec(self, scope: str, features: Any, labels: Any, config: Any) -> EstimatorSpec:
        model, parameters = self._model, self._model.parameters
        width = model.head.logits_dimension
        trees, quantiles, boundaries = model.build(scope, features)
        groups = feature_groups(model.columns, int(1.0 / parameters.quantile_sketch_epsilon))
        are_ready = _variable(quantiles is None, "are_boundaries_ready")
        inputs = transformed(features, model.columns, boundaries)
        local = trees
        reload = tf.no_op()
        if config.num_worker_replicas > 1:
            local = TreeEnsemble(f"{scope}_local", is_local=True)
            reload = local.reload_from(trees)
        # Of known size where it can be: the cache is initialized before the input is.
        rows = tf.compat.v1.shape(labels)[0]
        cache = _Cache(rows, width) if self._in_memory else None
        before = cache.lookup() if cache else self._nothing(rows, width)
        with tf.control_dependencies([reload]):
            stamp, count, finished, attempts, node_range = local.states()
            partial, tree_ids, node_ids = tree_ops.training_predict(
                local.resource_handle, before[0], before[1], inputs, logits_dimension=width
            )
        logits = before[2] + partial
        for name, value in (
            ("num_trees", count),
            ("num_finalized_trees", finished),
            ("num_attempted_layers", attempts),
        ):
            scalar_summary(f"ensemble/{name}", value)
        grower = InMemoryGrower(trees, quantiles, parameters, groups)
        if not self._in_memory:
            grower = AccumulatingGrower(
                trees, quantiles, parameters, groups, stamp, self._batches, config.is_chief
            )
        centering = _variable(parameters.center_bias, "center_bias_needed")
        weights = self._weights(features)

        def update_quantiles() -> Any:
            with tf.name_scope("UpdateQuantile"):
                values = transformed(features, model.float_columns, None)
                return tf.group(grower.accumulate_quantiles(values, weights, are_ready))

        def grow(loss: Any) -> Any:
            ops = []
            if cache:
                keep = cache
                ops.append(
                    cond(
                        tf.identity(centering),
                        tf.no_op,
                        lambda: keep.insert(tree_ids, node_ids, logits),
                    )
                )
            gradients, hessians = self._derivatives(loss, logits, labels)
            sums = self._sums(groups, node_ids, gradients, hessians, inputs)
            update = (
                grower.grow(sums, node_range)
                if not parameters.center_bias
                else cond(
                    tf.identity(centering),
                    lambda: tf.group(grower.center_bias(centering, gradients, hessians)),
                    lambda: tf.group(grower.grow(sums, node_range)),
                )
            )
            with tf.control_dependencies([update]):
                ops.append(tf.compat.v1.assign_add(get_global_step(), 1).op)
            return tf.group(*ops, update, name="grow_op")

        def train(loss: Any) -> Any:
            if quantiles is None:
                return grow(loss)
            return cond(tf.identity(are_ready), lambda: grow(loss), update_quantiles)

        spec = model.head.create_estimator_spec(
            features, ModeKeys.TRAIN, logits, labels=labels, train_op_fn=train
        )
        stop = _StopHook(finished, attempts, parameters)
        hooks: EstimatorSpec = spec._replace(
            training_hooks=(*spec.training_hooks, stop),
            training_chief_hooks=(
                _GrowerHook(grower.chief_init_op()),
                *spec.training_chief_hooks,
            ),
        )
        return hooks

    def _nothing(self, rows: Any, width: int) -> tuple[Any, ...]:
        nodes = _NO_NODE * tf.ones([rows], tf.int32)
        return tf.zeros([rows], tf.int32), nodes, tf.zeros([rows, width])

    def _weights(self, features: Any) -> Any:
        column = self._weight_column
        if column is None:
            return tf.constant(1.0, shape=[1])
        if isinstance(column, str):
            column = numeric_column(column, shape=(1,))
        return transformed(features, [column], None)[0]

    def _derivatives(self, loss: Any, logits: Any, labels: Any) -> tuple[Any, Any]:
        if self._closed_form:
            return _log_loss_derivatives(logits, labels)
        gradients = tf.compat.v1.gradients(loss, logits, name="Gradients")[0]
        return gradients, tf.compat.v1.gradients(gradients, logits, name="Hessians")[0]

    def _sums(
        self, groups: Any, node_ids: Any, gradients: Any, hessians: Any, inputs: list[Any]
    ) -> list[list[Any]]:
        splits = self._model.parameters.max_splits

        def sums_of(feature: int, buckets: int) -> Any:
            summary = feature_ops.make_stats_summary(
                node_ids,
                gradients,
                hessians,
                [inputs[feature]],
                max_splits=splits,
                num_buckets=buckets,
            )
            return tf.squeeze(summary, axis=0)

        return [[sums_of(feature, group.buckets) for feature in group.features] for group in groups]


def _log_loss_derivatives(logits: Any, labels: Any) -> tuple[Any, Any]:
    """Return gradients and hessians of the mean log loss, which autodiff gives less exactly."""
    shares = tf.math.reciprocal(tf.exp(-logits) + 1.0)
    scale = tf.math.reciprocal(tf.cast(tf.size(shares), tf.float32))
    wanted = tf.reshape(tf.cast(labels, tf.float32), tf.shape(logits))
    return (shares - wanted) * scale, shares * (1.0 - shares) * scale


class _BoostedTrees(Estimator):
    """What estimators of boosted trees share."""

    def __init__(
        self,
        head: Any,
        feature_columns: Any,
        n_batches_per_layer: Any,
        model_dir: Any,
        weight_column: Any,
        parameters: TreeParameters,
        config: Any,
        train_in_memory: bool = False,
        closed_form: bool = False,
    ) -> None:
        self._tree_model = model = _Model(feature_columns, head, parameters)
        self._tree_names = column_names(model.columns)
        training = _Training(
            model, n_batches_per_layer, weight_column, train_in_memory, closed_form
        )

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            if mode == ModeKeys.TRAIN:
                return training.spec(features, labels, config)
            return model.predict(features, labels, mode, explains=False)

        super().__init__(model_fn, model_dir, config)

    def experimental_feature_importances(self, normalize: bool = False) -> OrderedDict[str, float]:
        """Return how much the splits by each column gained, the greatest first.

        `normalize`: as shares of their sum.
        Raises ValueError if nothing was trained, AssertionError if no tree has a split.
        """
        serialized = load_checkpoint(self._model_dir).get_tensor("boosted_trees:0_serialized")
        if not serialized:
            raise ValueError(
                "Found empty serialized string for TreeEnsemble.You should only call this method "
                "after training."
            )
        trees = messages.find("tensorflow.boosted_trees.TreeEnsemble").FromString(serialized)
        gains = np.zeros(len(self._tree_names))
        for tree, weight in zip(trees.trees, trees.tree_weights, strict=True):
            for node in tree.nodes:
                if node.WhichOneof("node") == "bucketized_split":
                    gains[node.bucketized_split.feature_id] += weight * node.metadata.gain
        if normalize:
            if (gains < 0).any():
                raise AssertionError("feature_importances must be non-negative.")
            if not gains.sum() > 0:
                raise AssertionError("Trees are all empty or contain only a root node.")
            gains /= gains.sum()
        return self._by_column(gains)

    def _by_column(self, values: Any) -> OrderedDict[str, float]:
        sums: dict[str, float] = {}
        for name, value in zip(self._tree_names, values, strict=True):
            sums[name] = sums.get(name, 0) + value
        return OrderedDict(sorted(sums.items(), key=lambda item: abs(item[1]), reverse=True))

    def experimental_predict_with_explanations(
        self,
        input_fn: Any,
        predict_keys: Any = None,
        hooks: Any = None,
        checkpoint_path: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Yield predictions with `bias`, and in `dfc` what each column adds to it.

        Raises ValueError unless the estimator was made with `center_bias`.
        """
        model = self._tree_model
        if not model.parameters.center_bias:
            raise ValueError(
                "center_bias must be enabled during estimator instantiation when using "
                "experimental_predict_with_explanations."
            )
        is_class = isinstance(model.head, (heads.BinaryClassHead, heads.MultiClassHead))
        if not is_class and getattr(model.head, "_link", None) not in (None, tf.identity):
            raise ValueError(
                "For now only identity inverse_link_fn in regression_head is supported for "
                "experimental_predict_with_explanations."
            )

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            return model.predict(features, None, mode, explains=True)

        estimator = Estimator(model_fn, self.model_dir, self.config)
        if predict_keys is not None:
            predict_keys = [*predict_keys, _EXPLANATIONS]
        for prediction in estimator.predict(
            input_fn, predict_keys=predict_keys, hooks=hooks, checkpoint_path=checkpoint_path
        ):
            path = messages.find("tensorflow.boosted_trees.DebugOutput").FromString(
                prediction.pop(_EXPLANATIONS)
            )
            steps = np.array(path.logits_path)
            if is_class:
                steps = 1 / (1 + np.exp(-steps))
            added = np.bincount(
                np.array(path.feature_ids, np.int64),
                weights=steps[1:] - steps[:-1],
                minlength=len(self._tree_names),
            )
            yield {**prediction, "bias": steps[0], "dfc": self._by_column(added)}


class BoostedTreesClassifier(_BoostedTrees):
    """Gradient boosted trees for two classes.

    `feature_columns`: numbers, ranges of numbers (`bucketized_column`), and ids
        (`indicator_column`).
    `n_batches_per_layer`: how many batches are gathered before a layer grows.
    `n_trees`, `max_depth`: training ends with so many trees of such a depth.
    `pruning_mode`: 'none', 'pre' or 'post'; the others need a `tree_complexity` above 0.
    `center_bias`: whether the first leaf begins at the mean of the labels.
    `train_in_memory`: the input function gives all cases in one batch.
    """

    def __init__(
        self,
        feature_columns: Any,
        n_batches_per_layer: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        if n_classes > 2 and pruning_mode is not None:
            raise ValueError("For now pruning is not supported with multi class.")
        if n_classes != 2:
            raise ValueError(
                f"For now only binary classification is supported.n_classes given as {n_classes}"
            )
        head = heads.BinaryClassHead(
            weight_column, None, label_vocabulary, Reduction.SUM_OVER_BATCH_SIZE
        )
        super().__init__(
            head,
            feature_columns,
            n_batches_per_layer,
            model_dir,
            weight_column,
            TreeParameters(
                n_trees,
                max_depth,
                learning_rate,
                l1_regularization,
                l2_regularization,
                tree_complexity,
                min_node_weight,
                center_bias,
                pruning_mode,
                quantile_sketch_epsilon,
            ),
            config,
            train_in_memory,
            closed_form=weight_column is None and label_vocabulary is None,
        )


class BoostedTreesRegressor(_BoostedTrees):
    """Gradient boosted trees for numbers; see `BoostedTreesClassifier`."""

    def __init__(
        self,
        feature_columns: Any,
        n_batches_per_layer: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        if label_dimension > 1 and pruning_mode is not None:
            raise ValueError("For now pruning is not supported with multi-dimensionregression.")
        if label_dimension != 1:
            raise ValueError(
                "For now only 1 dimension regression is supported.label_dimension given as "
                f"{label_dimension}"
            )
        super().__init__(
            heads.RegressionHead(1, weight_column, Reduction.SUM_OVER_BATCH_SIZE),
            feature_columns,
            n_batches_per_layer,
            model_dir,
            weight_column,
            TreeParameters(
                n_trees,
                max_depth,
                learning_rate,
                l1_regularization,
                l2_regularization,
                tree_complexity,
                min_node_weight,
                center_bias,
                pruning_mode,
                quantile_sketch_epsilon,
            ),
            config,
            train_in_memory,
        )


class BoostedTreesEstimator(_BoostedTrees):
    """Gradient boosted trees with a head of one's own; see `BoostedTreesClassifier`."""

    def __init__(
        self,
        feature_columns: Any,
        n_batches_per_layer: Any,
        head: Any,
        model_dir: Any = None,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: Any = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
    ) -> None:
        super().__init__(
            head,
            feature_columns,
            n_batches_per_layer,
            model_dir,
            None,  # the head weighs cases; quantiles count each once, as in TensorFlow
            TreeParameters(
                n_trees,
                max_depth,
                learning_rate,
                l1_regularization,
                l2_regularization,
                tree_complexity,
                min_node_weight,
                center_bias,
                pruning_mode,
                quantile_sketch_epsilon,
            ),
            config,
        )


for _kind in (BoostedTreesClassifier, BoostedTreesRegressor, BoostedTreesEstimator):
    _kind.__module__ = "tensorflow_estimator.python.estimator.canned.boosted_trees"
