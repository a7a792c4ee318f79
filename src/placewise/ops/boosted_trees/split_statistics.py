"""The gain of splits: gradients and hessians of buckets, and the best threshold of each feature."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
_FLOAT = np.float32
# Below these a hessian is none, and a gain is no greater than another.
_LEAST_HESSIAN = _FLOAT(1e-15)
_LEAST_GAIN = 1e-15


def sums_by_bucket(
    nodes: Array, gradients: Array, hessians: Array, features: list[Array], shape: tuple[int, int]
) -> Array:
    """Return the sums of gradients and hessians by feature, node and bucket."""
    splits, buckets = shape
    pairs = np.concatenate([gradients, hessians], 1).astype(_FLOAT)
    result = np.zeros((len(features), splits * buckets, 2))
    for total, feature in zip(result, features, strict=True):
        np.add.at(total, nodes.astype(np.int64) * buckets + feature, pairs)
    return result.astype(_FLOAT).reshape(len(features), splits, buckets, 2)


def weights_and_gains(g: Array, h: Array, l1: Any, l2: Any) -> tuple[Array, Array]:
    """Return the best weight of leaves with some gradients and hessians, and what it gains."""
    l1, l2 = _FLOAT(l1), _FLOAT(l2)
    if l1 > 0:
        g = np.where(g > l1, g - l1, np.where(g < -l1, g + l1, _FLOAT(0)))
    total = h + l2
    is_solved = total > _LEAST_HESSIAN
    weight = np.where(is_solved, -g / np.where(is_solved, total, _FLOAT(1)), _FLOAT(0))
    return weight, -g * weight


def best_thresholds(
    node_range: tuple[int, int],
    sums: Array,
    l1: Any,
    l2: Any,
    tree_complexity: Any,
    min_node_weight: Any,
) -> tuple[Array, Array, Array, Array, Array]:
    """Return of one feature: nodes that may split, gains, thresholds, left and right weights."""
    first, last = node_range
    layer = np.cumsum(sums[first:last], axis=1, dtype=_FLOAT)
    totals = layer[:, -1]
    nodes = np.flatnonzero(~(totals[:, 1] < _FLOAT(min_node_weight)))
    layer, totals = layer[nodes], totals[nodes]
    left_weights, left_gains = weights_and_gains(layer[..., 0], layer[..., 1], l1, l2)
    rest = totals[:, None] - layer
    right_weights, right_gains = weights_and_gains(rest[..., 0], rest[..., 1], l1, l2)
    gains = left_gains + right_gains
    best = np.array([_first_greatest(row) for row in gains], np.int64)
    rows = np.arange(len(nodes))
    _, before = weights_and_gains(totals[:, 0], totals[:, 1], l1, l2)
    return (
        (nodes + first).astype(np.int32),
        gains[rows, best] - before - _FLOAT(tree_complexity),
        best.astype(np.int32),
        left_weights[rows, best][:, None],
        right_weights[rows, best][:, None],
    )


def _first_greatest(gains: Array) -> int:
    """Return where the greatest gain is; one that is hardly greater than an earlier is not."""
    place, best = 0, -math.inf
    for k, gain in enumerate(gains.tolist()):
        if gain - best >= _LEAST_GAIN:
            place, best = k, gain
    return place
