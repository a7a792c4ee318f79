"""How boosted trees grow: from the statistics of one batch, or of several that were gathered."""

from __future__ import annotations

from typing import Any, NamedTuple

import placewise as tf
from placewise.estimator.tree_features import FeatureGroup
from placewise.estimator.tree_state import QuantileAccumulator, TreeEnsemble
from placewise.graph.accumulators import ConditionalAccumulator
from placewise.graph.cond import cond
from placewise.ops.boosted_trees import features as feature_ops
from placewise.ops.boosted_trees import trees as tree_ops

_PRUNING = {"none": 0, "pre": 1, "post": 2}


class TreeParameters(NamedTuple):
    """What trees are like."""

    n_trees: int
    max_depth: int
    learning_rate: float
    l1: float
    l2: float
    tree_complexity: float
    min_node_weight: float
    center_bias: bool
    pruning_mode: str
    quantile_sketch_epsilon: float

    @property
    def max_splits(self) -> int:
        """How many nodes of a tree may be split."""
        return (1 << self.max_depth) - 1


class InMemoryGrower:
    """Grows a layer from each batch, which holds all there is."""

    def __init__(
        self,
        trees: TreeEnsemble,
        quantiles: QuantileAccumulator | None,
        parameters: TreeParameters,
        groups: list[FeatureGroup],
    ) -> None:
        mode = parameters.pruning_mode
        if mode not in _PRUNING:
            raise ValueError(f"pruning_mode mode must be one of: {', '.join(sorted(_PRUNING))}")
        self._pruning = _PRUNING[mode]
        if parameters.tree_complexity > 0 and not self._pruning:
            raise ValueError("Tree complexity have no effect unless pruning mode is chosen.")
        if parameters.tree_complexity <= 0 and self._pruning:
            raise ValueError("For pruning, tree_complexity must be positive.")
        self._trees, self._quantiles = trees, quantiles
        self._parameters, self._groups = parameters, groups

    def chief_init_op(self) -> Any:
        """Return what the chief runs before the first step."""
        return tf.no_op()

    def accumulate_quantiles(self, values: list[Any], weights: Any, are_ready: Any) -> Any:
        """Return the operation that makes the buckets of numbers."""
        quantiles: Any = self._quantiles
        with tf.control_dependencies([quantiles.add_summaries(values, weights)]):
            flushed = quantiles.flush()
        with tf.control_dependencies([flushed]):
            return are_ready.assign(True).op

    def center_bias(self, needed: Any, gradients: Any, hessians: Any) -> Any:
        """Return the operation that moves the first leaf towards the mean of the labels."""
        means = [tf.expand_dims(tf.reduce_mean(x, 0), 0) for x in (gradients, hessians)]
        return self._center(needed, *means)

    def _center(self, needed: Any, gradients: Any, hessians: Any) -> Any:
        parameters = self._parameters
        goes_on = tree_ops.center_bias(
            self._trees.resource_handle, gradients, hessians, parameters.l1, parameters.l2
        )
        return needed.assign(goes_on)

    def grow(self, sums: list[list[Any]], node_range: Any) -> Any:
        """Return the operation that adds a layer; `sums` by group and feature."""
        parameters = self._parameters
        columns: list[list[Any]] = [[], [], [], [], []]
        features: list[int] = []
        for group, of_group in zip(self._groups, sums, strict=True):
            best = feature_ops.best_gains(
                node_range,
                of_group,
                parameters.l1,
                parameters.l2,
                parameters.tree_complexity,
                parameters.min_node_weight,
                max_splits=parameters.max_splits,
            )
            features += group.features
            for column, part in zip(columns, best, strict=True):
                column += part
        return tree_ops.update_ensemble(
            self._trees.resource_handle,
            tf.constant(features, tf.int32),
            *columns,
            tf.constant(parameters.max_depth),
            parameters.learning_rate,
            pruning_mode=self._pruning,
        )


class AccumulatingGrower(InMemoryGrower):
    """Grows a layer from the statistics of several batches, of all workers."""

    def __init__(
        self,
        trees: TreeEnsemble,
        quantiles: QuantileAccumulator | None,
        parameters: TreeParameters,
        groups: list[FeatureGroup],
        stamp: Any,
        batches: Any,
        is_chief: bool,
    ) -> None:
        super().__init__(trees, quantiles, parameters, groups)
        self._stamp, self._batches, self._is_chief = stamp, batches, is_chief
        splits = parameters.max_splits
        self._sums = [
            _accumulator(
                [len(group.features), splits, group.buckets, 2],
                f"numeric_stats_summary_accumulator_{k}",
            )
            for k, group in enumerate(groups)
        ]
        self._first_ops = [each.set_global_step(stamp) for each in self._sums]
        if parameters.center_bias:
            self._bias = _accumulator([2, 1], "bias_accumulator")
            self._first_ops.append(self._bias.set_global_step(stamp))

    def chief_init_op(self) -> Any:
        """Return what the chief runs before the first step: accumulators are at its stamp."""
        return tf.group(*self._first_ops)

    def accumulate_quantiles(self, values: list[Any], weights: Any, are_ready: Any) -> Any:
        """Return the operation that gathers values, and makes the buckets once there are enough."""
        quantiles: Any = self._quantiles
        summaries = quantiles.add_summaries(values, weights)
        count = _accumulator([], "quantile_summary_accum")
        gathered = tf.group(
            summaries,
            count.set_global_step(self._stamp),
            count.apply_grad(tf.constant(0.0), self._stamp),
        )
        if not self._is_chief:
            return gathered

        def flush() -> Any:
            return tf.group(quantiles.flush(), count.take_grad(1), are_ready.assign(True).op)

        with tf.control_dependencies([gathered]):
            return self._once_enough([count], flush, "wait_until_quaniles_accumulated")

    def _once_enough(self, accumulators: list[Any], then: Any, name: str) -> Any:
        counts = [accumulator.num_accumulated() for accumulator in accumulators]
        enough = tf.reduce_min(tf.stack(counts)) >= self._batches
        return cond(enough, then, tf.no_op, name=name)

    def center_bias(self, needed: Any, gradients: Any, hessians: Any) -> Any:
        """Return the operation that gathers, and moves the first leaf once there is enough."""
        means = tf.reduce_mean(tf.stack([gradients, hessians], axis=0), axis=1)

        def begin_growing() -> Any:
            return tf.group(*(each.set_global_step(self._stamp + 1) for each in self._sums))

        def center() -> Any:
            gathered = tf.unstack(self._bias.take_grad(1), axis=0)
            centered = self._center(needed, *(tf.expand_dims(part, 0) for part in gathered))
            with tf.control_dependencies([centered]):
                return cond(tf.identity(needed), tf.no_op, begin_growing)

        with tf.control_dependencies([self._bias.apply_grad(means, self._stamp)]):
            if not self._is_chief:
                return tf.no_op()
            name = "wait_until_n_batches_for_bias_accumulated"
            return self._once_enough([self._bias], center, name)

    def grow(self, sums: list[list[Any]], node_range: Any) -> Any:
        """Return the operation that gathers, and adds a layer once there is enough."""
        gathered = [
            accumulator.apply_grad(tf.stack(of_group, axis=0), self._stamp)
            for accumulator, of_group in zip(self._sums, sums, strict=True)
        ]

        def add_layer() -> Any:
            taken = [tf.unstack(each.take_grad(1), axis=0) for each in self._sums]
            return super(AccumulatingGrower, self).grow(taken, node_range)

        with tf.control_dependencies(gathered):
            if not self._is_chief:
                return tf.no_op()
            return self._once_enough(self._sums, add_layer, "wait_until_n_batches_accumulated")


def _accumulator(shape: list[int], shared_name: str) -> ConditionalAccumulator:
    return ConditionalAccumulator(tf.float32, shape=shape, shared_name=shared_name)
