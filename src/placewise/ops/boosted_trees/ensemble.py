"""The trees of a boosted ensemble: how they are grown, pruned and asked.

The state is TensorFlow's own message, so that what is serialized has the same bytes. Leaves hold
sums of float32. A tree grows layer by layer; behind the last finished tree stands an empty one, a
single leaf, which grows next.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from placewise import messages
from placewise.core.errors import invalid

Array = np.ndarray[Any, Any]
NO_PRUNING, PRE_PRUNING, POST_PRUNING = range(3)
_FLOAT = np.float32
_TREE_WEIGHT = 1.0  # the learning rate is in the leaves


@dataclass(frozen=True)
class Split:
    """A split of a node into two leaves, and what each adds to the node's value."""

    node: int
    feature: int
    threshold: int
    gain: float
    left: float
    right: float


@dataclass(frozen=True)
class _Nodes:
    """The nodes of a tree as arrays, for many examples at once."""

    feature: Array
    threshold: Array
    left: Array
    right: Array
    is_leaf: Array
    is_equality: Array
    value: Array
    has_value: Array


class Ensemble:
    """Trees with their weights, and a stamp that counts the changes."""

    def __init__(self, stamp: int, serialized: bytes) -> None:
        self.lock = threading.RLock()
        self.load(stamp, serialized)

    def load(self, stamp: int, serialized: bytes) -> None:
        """Take over serialized trees."""
        trees = messages.find("tensorflow.boosted_trees.TreeEnsemble")()
        try:
            trees.ParseFromString(serialized)
        except Exception:
            raise invalid("Unable to parse tree ensemble proto.") from None
        with self.lock:
            self.stamp, self.trees = stamp, trees
            self._arrays: dict[int, _Nodes] = {}

    def serialized(self) -> bytes:
        """Return the trees as bytes."""
        with self.lock:
            data: bytes = self.trees.SerializeToString(deterministic=True)
            return data

    @property
    def count(self) -> int:
        """The number of trees, with the one that grows."""
        return len(self.trees.trees)

    @property
    def finished_count(self) -> int:
        """The number of trees that grow no more."""
        last_grows = self.count and not self.trees.tree_metadata[-1].is_finalized
        return self.count - 1 if last_grows else self.count

    @property
    def last_layer(self) -> tuple[int, int]:
        """The nodes of the layer that is split next, and where they end."""
        metadata = self.trees.growing_metadata
        return metadata.last_layer_node_start, max(1, metadata.last_layer_node_end)

    def leaves_of_last_tree(self) -> set[int]:
        """Return the nodes that may be split; without trees that of the first."""
        if not self.count:
            return {0}
        nodes = enumerate(self.trees.trees[-1].nodes)
        return {number for number, node in nodes if node.WhichOneof("node") in (None, "leaf")}

    def add_tree(self, value: float = 0.0) -> int:
        """Add a tree of one leaf, and return its number."""
        leaf = self.trees.trees.add().nodes.add().leaf
        leaf.SetInParent()
        leaf.scalar = value
        self.trees.tree_weights.append(_TREE_WEIGHT)
        self.trees.tree_metadata.add()
        return self.count - 1

    def center(self, change: float) -> float:
        """Add to the value of the first node, and return what it is now."""
        if not self.count:
            self.add_tree(change)
        else:
            leaf = self.trees.trees[0].nodes[0].leaf
            leaf.scalar = float(_FLOAT(leaf.scalar) + _FLOAT(change))
        self._arrays.pop(0, None)
        self.stamp += 1
        return float(self.trees.trees[0].nodes[0].leaf.scalar)

    def grow(self, splits: list[Split], rate: float, max_depth: int, pruning: int) -> None:
        """Split nodes of the last layer; what leaves add is multiplied by the learning rate."""
        tree = self._begin_layer()
        if pruning == PRE_PRUNING:
            splits = [split for split in splits if split.gain > 0]
        if splits:
            self._add_layer(tree, splits, rate, max_depth, pruning)
        self.stamp += 1

    def _begin_layer(self) -> int:
        """Count an attempt to grow, and return the tree that grows."""
        metadata = self.trees.growing_metadata
        if not self.count or not self.trees.tree_metadata[-1].num_layers_grown:
            metadata.num_trees_attempted += 1
        metadata.num_layers_attempted += 1
        return self.count - 1 if self.count else self.add_tree()

    def _add_layer(
        self, tree: int, splits: list[Split], rate: float, max_depth: int, pruning: int
    ) -> None:
        first = len(self.trees.trees[tree].nodes)
        for split in splits:
            self._split(tree, split, rate)
        metadata = self.trees.tree_metadata[tree]
        metadata.num_layers_grown += 1
        end = len(self.trees.trees[tree].nodes)
        if metadata.num_layers_grown >= max_depth:
            metadata.is_finalized = True
            if pruning == POST_PRUNING:
                self._prune(tree)
            self.add_tree()
            first, end = 0, 1
        self._arrays.pop(tree, None)
        growing = self.trees.growing_metadata
        growing.last_layer_node_start, growing.last_layer_node_end = first, end

    def _split(self, tree: int, split: Split, rate: float) -> None:
        nodes = self.trees.trees[tree].nodes
        node = nodes[split.node]
        value = _FLOAT(node.leaf.scalar)
        is_empty_root = split.node == 0 and not value
        if not is_empty_root:
            node.metadata.original_leaf.CopyFrom(node.leaf)
        node.metadata.gain = split.gain
        at = len(nodes)
        node.bucketized_split.feature_id = split.feature
        node.bucketized_split.threshold = split.threshold
        node.bucketized_split.left_id, node.bucketized_split.right_id = at, at + 1
        for change in (split.left, split.right):
            nodes.add().leaf.scalar = float(value + _FLOAT(rate) * _FLOAT(change))

    def _prune(self, tree: int) -> None:
        """Undo splits that lose, from the leaves up, and note where each old node went."""
        nodes = self.trees.trees[tree].nodes
        target: dict[int, tuple[int, float]] = {}  # of removed nodes
        self._prune_below(nodes, 0, target)
        if not target:
            return
        kept = [number for number in range(len(nodes)) if number not in target]
        renamed = {old: new for new, old in enumerate(kept)}
        updates = self.trees.tree_metadata[tree].post_pruned_nodes_meta
        for number in range(len(nodes)):
            place, change = target.get(number, (number, 0.0))
            updates.add(new_node_id=renamed[place], logit_change=[change])
        copies = [type(nodes[number])() for number in kept]
        for copy, number in zip(copies, kept, strict=True):
            copy.CopyFrom(nodes[number])
            if copy.WhichOneof("node") == "bucketized_split":
                split = copy.bucketized_split
                split.left_id, split.right_id = renamed[split.left_id], renamed[split.right_id]
        del nodes[:]
        nodes.extend(copies)

    def _prune_below(self, nodes: Any, number: int, target: dict[int, tuple[int, float]]) -> None:
        node = nodes[number]
        if node.WhichOneof("node") != "bucketized_split":
            return
        split = node.bucketized_split
        children = (split.left_id, split.right_id)
        for child in children:
            self._prune_below(nodes, child, target)
        if any(nodes[child].WhichOneof("node") != "leaf" for child in children):
            return
        if node.metadata.gain >= 0:
            return
        value = _FLOAT(node.metadata.original_leaf.scalar)
        node.leaf.CopyFrom(node.metadata.original_leaf)
        node.ClearField("metadata")
        for child in children:
            change = float(value - _FLOAT(nodes[child].leaf.scalar))
            for old, (place, before) in list(target.items()):
                if place == child:
                    target[old] = (number, float(_FLOAT(before) + _FLOAT(change)))
            target[child] = (number, change)

    def walk(self, tree: int, start: Array, features: Array) -> Array:
        """Return the leaf each example comes to from a node; features by column."""
        nodes, place = self.arrays(tree), start.copy()
        rows = np.flatnonzero(~nodes.is_leaf[place])
        while len(rows):
            place[rows] = self.next_nodes(nodes, place[rows], rows, features)
            rows = rows[~nodes.is_leaf[place[rows]]]
        return place

    @staticmethod
    def next_nodes(nodes: _Nodes, place: Array, rows: Array, features: Array) -> Array:
        """Return the child of each node that an example goes to."""
        feature = nodes.feature[place]
        if len(feature) and int(feature.max()) >= len(features):
            raise invalid(f"feature {int(feature.max())} of a split is not among {len(features)}")
        value, threshold = features[feature, rows], nodes.threshold[place]
        goes_left = np.where(nodes.is_equality[place], value == threshold, value <= threshold)
        return np.where(goes_left, nodes.left[place], nodes.right[place])

    def correction(self, tree: int, nodes: Array) -> tuple[Array, Array]:
        """Return where nodes went when the tree was pruned, and what that changes."""
        updates = self.trees.tree_metadata[tree].post_pruned_nodes_meta
        if not updates:
            return nodes, np.zeros(len(nodes), _FLOAT)
        if len(nodes) and int(nodes.max()) >= len(updates):
            raise invalid(f"node {int(nodes.max())} of tree {tree} does not exist")
        places = np.array([update.new_node_id for update in updates], np.int32)
        changes = np.array([sum(update.logit_change) for update in updates], _FLOAT)
        return places[nodes], changes[nodes]

    def arrays(self, tree: int) -> _Nodes:
        """Return the nodes of a tree as arrays."""
        with self.lock:
            found = self._arrays.get(tree)
            if found is None:
                found = self._arrays[tree] = _as_arrays(self.trees.trees[tree].nodes)
            return found


def _as_arrays(nodes: Any) -> _Nodes:
    kinds = [node.WhichOneof("node") for node in nodes]
    splits = [getattr(node, kind or "leaf") for node, kind in zip(nodes, kinds, strict=True)]
    is_leaf = [kind in (None, "leaf") for kind in kinds]
    if "dense_split" in kinds:
        raise invalid("dense splits are not supported by the ops of bucketized features")

    def column(names: tuple[str, ...], dtype: Any = np.int32) -> Array:
        chosen = (next((getattr(s, n) for n in names if hasattr(s, n)), 0) for s in splits)
        return np.array(list(chosen), dtype)

    leaves = [
        split if leaf else node.metadata.original_leaf
        for node, split, leaf in zip(nodes, splits, is_leaf, strict=True)
    ]
    has_value = [
        leaf or node.metadata.HasField("original_leaf")
        for node, leaf in zip(nodes, is_leaf, strict=True)
    ]
    return _Nodes(
        column(("feature_id",)),
        column(("threshold", "value")) * ~np.array(is_leaf),
        column(("left_id",)),
        column(("right_id",)),
        np.array(is_leaf, bool),
        np.array([kind == "categorical_split" for kind in kinds], bool),
        np.array([leaf.scalar for leaf in leaves], _FLOAT),
        np.array(has_value, bool),
    )
