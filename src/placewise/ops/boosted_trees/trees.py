"""Ops that grow boosted trees and ask them: centers, splits, logits and the paths of examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise import messages
from placewise.core.errors import invalid
from placewise.core.shapes import Static
from placewise.ops.boosted_trees.ensemble import Ensemble, Split
from placewise.ops.boosted_trees.resources import ON_CPU, held
from placewise.ops.boosted_trees.split_statistics import weights_and_gains
from placewise.ops.declare import define
from placewise.ops.values import Content, Handle, from_numpy, to_numpy

_FLOAT = np.float32
# The bias is found once a step changes it by less than this share.
_LEAST_CHANGE = 0.01
_FEATURES = "bucketized_features: num_bucketized_features*int32 >= 1"

center_bias = define(
    "BoostedTreesCenterBias(tree_ensemble_handle: resource, mean_gradients: float,"
    " mean_hessians: float, l1: float, l2: float) -> continue_centering: bool",
    doc="Move the first leaf towards the mean of the labels; return whether that is to go on.",
    **ON_CPU,
)
center_bias.shape(lambda *_: ())


@center_bias.kernel
def center_bias_kernel(
    handle: Handle, gradients: Content, hessians: Content, l1: Content, l2: Content
) -> torch.Tensor:
    ensemble: Ensemble = held(handle)
    g, h, one, two = (to_numpy(x).reshape(-1).astype(_FLOAT) for x in (gradients, hessians, l1, l2))
    change = float(weights_and_gains(g[:1], h[:1], one[0], two[0])[0][0])
    with ensemble.lock:
        bias = ensemble.center(change)
    share = abs(_FLOAT(change) / _FLOAT(bias)) if bias else np.nan
    return torch.tensor(not share < _LEAST_CHANGE)


update_ensemble = define(
    "BoostedTreesUpdateEnsemble(tree_ensemble_handle: resource, feature_ids: int32,"
    " node_ids: num_features*int32, gains: num_features*float, thresholds: num_features*int32,"
    " left_node_contribs: num_features*float, right_node_contribs: num_features*float,"
    " max_depth: int32, learning_rate: float; pruning_mode: int >= 0)",
    doc="Grow the last tree by a layer: split each node by the feature that gains most.",
    **ON_CPU,
)


@update_ensemble.kernel
def update_ensemble_kernel(
    handle: Handle,
    feature_ids: Content,
    node_ids: list[Any],
    gains: list[Any],
    thresholds: list[Any],
    left: list[Any],
    right: list[Any],
    max_depth: Content,
    learning_rate: Content,
    *,
    pruning_mode: int,
) -> None:
    ensemble: Ensemble = held(handle)
    best: dict[int, Split] = {}
    columns = zip(node_ids, gains, thresholds, left, right, strict=True)
    for feature, column in zip(to_numpy(feature_ids).tolist(), columns, strict=True):
        rows = (to_numpy(values).reshape(-1).tolist() for values in column)
        for node, gain, threshold, to_left, to_right in zip(*rows, strict=True):
            if node not in best or gain - best[node].gain >= 1e-15:
                best[node] = Split(node, feature, threshold, gain, to_left, to_right)
    splits = [best[node] for node in sorted(best)]
    rate, depth = float(to_numpy(learning_rate)), int(to_numpy(max_depth))
    with ensemble.lock:
        _check_nodes(ensemble, splits)
        ensemble.grow(splits, rate, depth, pruning_mode)


def _check_nodes(ensemble: Ensemble, splits: list[Split]) -> None:
    leaves = ensemble.leaves_of_last_tree()
    for split in splits:
        if split.node not in leaves:
            raise invalid(f"node {split.node} is not a leaf of the tree that grows")


def _columns(features: list[Any]) -> Any:
    """Return features as rows of one array."""
    columns = [to_numpy(feature).reshape(-1) for feature in features]
    if len({len(column) for column in columns}) > 1:
        raise invalid("bucketized_features must have as many rows each")
    return np.stack(columns)


def _check_dimension(logits_dimension: int) -> None:
    if logits_dimension != 1:
        raise invalid(f"Currently only one dimensional outputs are supported: {logits_dimension}")


predict = define(
    f"BoostedTreesPredict(tree_ensemble_handle: resource, {_FEATURES}; logits_dimension: int)"
    " -> logits: float",
    doc="Return the sum of the leaves that examples come to.",
    **ON_CPU,
)


@predict.shape
def predict_shape(handle: Static, features: list[Static], *, logits_dimension: int) -> Any:
    return (_row_count(features), logits_dimension)


def _row_count(features: list[Static]) -> int | None:
    counts = [each.shape[0] for each in features if each.shape]
    return next((count for count in counts if count is not None), None)


@predict.kernel
def predict_kernel(handle: Handle, features: list[Any], *, logits_dimension: int) -> torch.Tensor:
    _check_dimension(logits_dimension)
    ensemble, columns = held(handle), _columns(features)
    logits = np.zeros(columns.shape[1], _FLOAT)
    with ensemble.lock:
        for tree, weight in enumerate(ensemble.trees.tree_weights):
            root = np.zeros(len(logits), np.int32)
            leaves = ensemble.walk(tree, root, columns)
            logits += _FLOAT(weight) * ensemble.arrays(tree).value[leaves]
    result: torch.Tensor = from_numpy(logits[:, None])
    return result


training_predict = define(
    "BoostedTreesTrainingPredict(tree_ensemble_handle: resource, cached_tree_ids: int32,"
    f" cached_node_ids: int32, {_FEATURES}; logits_dimension: int)"
    " -> partial_logits: float, tree_ids: int32, node_ids: int32",
    doc="Return what trees add to logits since a step, and the node each example is at now.",
    **ON_CPU,
)


@training_predict.shape
def training_predict_shape(
    handle: Static, trees: Static, nodes: Static, features: list[Static], *, logits_dimension: int
) -> list[Any]:
    rows = _row_count(features)
    return [(rows, logits_dimension), (rows,), (rows,)]


@training_predict.kernel
def training_predict_kernel(
    handle: Handle, trees: Content, nodes: Content, features: list[Any], *, logits_dimension: int
) -> tuple[Any, ...]:
    _check_dimension(logits_dimension)
    ensemble, columns = held(handle), _columns(features)
    count = columns.shape[1]
    tree_ids, node_ids = (to_numpy(x).reshape(-1) for x in (trees, nodes))
    if len(tree_ids) != count or len(node_ids) != count:
        raise invalid(f"cached_tree_ids and cached_node_ids must have {count} elements")
    logits = np.zeros(count, _FLOAT)
    with ensemble.lock:
        if not ensemble.count:
            return _rows(logits, np.zeros(count, np.int32), np.zeros(count, np.int32))
        found = _advance(ensemble, tree_ids, node_ids, columns, logits)
    return _rows(logits, np.full(count, ensemble.count - 1, np.int32), found)


def _rows(logits: Any, trees: Any, nodes: Any) -> tuple[Any, ...]:
    return from_numpy(logits[:, None]), from_numpy(trees), from_numpy(nodes.astype(np.int32))


def _advance(ensemble: Ensemble, trees: Any, nodes: Any, columns: Any, logits: Any) -> Any:
    """Add to logits what trees give from where examples were; return their nodes in the last."""
    last = ensemble.count - 1
    if len(trees) and not 0 <= int(trees.min()) <= int(trees.max()) <= last:
        raise invalid(f"cached_tree_ids must be in [0, {last + 1})")
    place = np.zeros(len(trees), np.int32)
    weights = ensemble.trees.tree_weights
    for tree in range(int(trees.min(initial=last)), last + 1):
        partial = np.zeros(len(trees), _FLOAT)
        place[trees < tree] = 0
        is_cached = (trees == tree) & (nodes >= 0)
        if is_cached.any():
            place[is_cached], change = ensemble.correction(tree, nodes[is_cached])
            arrays = ensemble.arrays(tree)
            if int(place[is_cached].max()) >= len(arrays.value):
                raise invalid(f"a cached node of tree {tree} does not exist")
            # What the node gave is in the logits already.
            known = np.where(arrays.has_value, arrays.value, _FLOAT(0))[place[is_cached]]
            partial[is_cached] = change - known
        rows = np.flatnonzero(trees <= tree)
        leaves = ensemble.walk(tree, place[rows], columns[:, rows])
        place[rows] = leaves
        logits[rows] += _FLOAT(weights[tree]) * (
            partial[rows] + ensemble.arrays(tree).value[leaves]
        )
    return place


debug_outputs = define(
    f"BoostedTreesExampleDebugOutputs(tree_ensemble_handle: resource, {_FEATURES};"
    " logits_dimension: int) -> examples_debug_outputs_serialized: string",
    doc="Return of each example the features its paths split by, and the logits on the way.",
    **ON_CPU,
)


@debug_outputs.shape
def debug_outputs_shape(handle: Static, features: list[Static], *, logits_dimension: int) -> Any:
    return (_row_count(features),)


@debug_outputs.kernel
def debug_outputs_kernel(handle: Handle, features: list[Any], *, logits_dimension: int) -> Any:
    _check_dimension(logits_dimension)
    ensemble, columns = held(handle), _columns(features)
    result = np.empty(columns.shape[1], object)
    with ensemble.lock:
        for row in range(len(result)):
            result[row] = _path(ensemble, columns, row)
    return result


def _path(ensemble: Ensemble, columns: Any, row: int) -> bytes:
    """Return the splits an example meets in all trees, and the logits before and after each."""
    said = messages.find("tensorflow.boosted_trees.DebugOutput")()
    rows, finished = np.array([row]), _FLOAT(0)
    for tree, weight in enumerate(ensemble.trees.tree_weights):
        arrays, place = ensemble.arrays(tree), 0
        if tree == 0:
            said.logits_path.append(float(_FLOAT(weight) * arrays.value[0]))
        while not arrays.is_leaf[place]:
            said.feature_ids.append(int(arrays.feature[place]))
            place = int(ensemble.next_nodes(arrays, np.array([place]), rows, columns)[0])
            said.logits_path.append(float(finished + _FLOAT(weight) * arrays.value[place]))
        finished += _FLOAT(weight) * arrays.value[place]
    data: bytes = said.SerializeToString()
    return data
