"""The state of boosted trees in a graph, as checkpoints keep it: the trees, and the quantiles."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.core.names import name_scope
from placewise.core.saveable import SaveableObject, SaveSpec
from placewise.graph.collections import GraphKeys
from placewise.graph.defaults import get_default_graph
from placewise.graph.resources import register_resource
from placewise.ops.boosted_trees import features as feature_ops
from placewise.ops.boosted_trees import resources as ops


class _TreesSaveable(SaveableObject):
    """Keeps the stamp and the bytes of trees."""

    def __init__(self, handle: Any, create: Any, name: str) -> None:
        stamp, serialized = ops.serialize_ensemble(handle)
        specs = [
            SaveSpec(stamp, "", f"{name}_stamp"),
            SaveSpec(serialized, "", f"{name}_serialized"),
        ]
        super().__init__(handle, specs, name)
        self._create = create

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Return the operation that takes over the trees."""
        with tf.control_dependencies([self._create]):
            return ops.deserialize_ensemble(self.op, *restored_tensors)


class TreeEnsemble:
    """The trees of a graph."""

    def __init__(self, name: str, is_local: bool = False) -> None:
        with name_scope(name) as scope:
            self.resource_handle = ops.ensemble_handle(container="", shared_name=scope, name=scope)
            stamp = tf.constant(0, tf.int64)
            self.initializer = ops.create_ensemble(self.resource_handle, stamp, "")
            if not is_local:
                name = self.resource_handle.name
                saveable = _TreesSaveable(self.resource_handle, self.initializer, name)
                get_default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
            is_made = tf.raw_ops.IsBoostedTreesEnsembleInitialized(
                tree_ensemble_handle=self.resource_handle
            )
            register_resource(self.resource_handle, self.initializer, is_made, not is_local)

    def states(self) -> Any:
        """Return stamp, trees, finished trees, attempted layers, and nodes of the last layer."""
        names = ("stamp_token", "num_trees", "num_finalized_trees", "num_attempted_layers")
        found = ops.ensemble_states(self.resource_handle)
        named = zip(found, (*names, "last_layer_nodes_range"), strict=True)
        return tuple(tf.identity(state, name=name) for state, name in named)

    def reload_from(self, other: TreeEnsemble) -> Any:
        """Return the operation that takes over the trees of another ensemble."""
        return ops.deserialize_ensemble(
            self.resource_handle, *ops.serialize_ensemble(other.resource_handle)
        )


class _QuantilesSaveable(SaveableObject):
    """Keeps the boundaries of the buckets of each feature."""

    def __init__(self, handle: Any, create: Any, count: int, name: str) -> None:
        boundaries = ops.get_boundaries(handle, num_features=count)
        specs = [
            SaveSpec(tensor, "", f"{name}_bucket_boundaries_{k}")
            for k, tensor in enumerate(boundaries)
        ]
        super().__init__(handle, specs, name)
        self._create = create

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Return the operation that takes over the boundaries."""
        with tf.control_dependencies([self._create]):
            return ops.set_boundaries(self.op, restored_tensors)


class QuantileAccumulator:
    """Gathers values of features until the boundaries of their buckets are taken from them."""

    def __init__(self, epsilon: float, count: int, quantiles: int, name: str) -> None:
        self._epsilon, self._count, self._quantiles = epsilon, count, quantiles
        with name_scope(name) as scope:
            self.resource_handle = ops.stream_handle(container="", shared_name=scope, name=scope)
            self.initializer = ops.create_streams(
                self.resource_handle, epsilon, tf.constant(count, tf.int64)
            )
            is_made = tf.raw_ops.IsBoostedTreesQuantileStreamResourceInitialized(
                quantile_stream_resource_handle=self.resource_handle
            )
            register_resource(self.resource_handle, self.initializer, is_made)
            saveable = _QuantilesSaveable(
                self.resource_handle, self.initializer, count, self.resource_handle.name
            )
            get_default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)

    def add_summaries(self, values: list[Any], weights: Any) -> Any:
        """Return the operation that takes in the values of a batch."""
        summaries = feature_ops.make_quantile_summaries(values, weights, self._epsilon)
        return ops.add_summaries(self.resource_handle, summaries)

    def flush(self) -> Any:
        """Return the operation that takes the boundaries from what came."""
        return ops.flush(self.resource_handle, tf.constant(self._quantiles, tf.int64))

    def bucket_boundaries(self) -> Any:
        """Return the boundaries of the buckets of each feature."""
        return ops.get_boundaries(self.resource_handle, num_features=self._count)
