"""Ops on features and their statistics: quantiles, buckets, sums by bucket, and the best splits."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from placewise.core.errors import invalid
from placewise.core.shapes import Static
from placewise.ops.boosted_trees.quantile_summary import QuantileStream
from placewise.ops.boosted_trees.split_statistics import best_thresholds, sums_by_bucket
from placewise.ops.declare import define
from placewise.ops.values import Content, from_numpy, to_numpy

_CPU: dict[str, Any] = {"devices": ("CPU",), "differentiable": False}

make_quantile_summaries = define(
    "BoostedTreesMakeQuantileSummaries(float_values: num_features*float,"
    " example_weights: float, epsilon: float) -> summaries: num_features*float",
    doc="Return a summary of the values of each feature: value, weight, least and greatest rank.",
    **_CPU,
)
make_quantile_summaries.shape(
    lambda float_values, example_weights, epsilon: [(None, 4)] * len(float_values)
)


@make_quantile_summaries.kernel
def make_quantile_summaries_kernel(
    float_values: list[Any], example_weights: Content, epsilon: Content
) -> list[torch.Tensor]:
    weights, share = to_numpy(example_weights).reshape(-1), float(to_numpy(epsilon))
    if not share >= 0:
        raise invalid(f"epsilon must be >= 0, got {share:g}")
    return [_summary_of(to_numpy(values).reshape(-1), weights, share) for values in float_values]


def _summary_of(values: Any, weights: Any, epsilon: float) -> torch.Tensor:
    if len(weights) not in (1, len(values)):
        raise invalid(f"Weights should be a single value or same size as features.: {len(weights)}")
    stream = QuantileStream(epsilon, len(values) + 1)
    stream.push_values(values, np.broadcast_to(weights, values.shape))
    summary: torch.Tensor = from_numpy(stream.finish().rows)
    return summary


bucketize = define(
    "BoostedTreesBucketize(float_values: num_features*float,"
    " bucket_boundaries: num_features*float) -> buckets: num_features*int32",
    doc="Return the bucket each value falls into, by the boundaries of its feature.",
    **_CPU,
)
bucketize.shape(lambda float_values, bucket_boundaries: [each.shape for each in float_values])


@bucketize.kernel
def bucketize_kernel(float_values: list[Any], bucket_boundaries: list[Any]) -> list[torch.Tensor]:
    found = []
    for values, boundaries in zip(float_values, bucket_boundaries, strict=True):
        limits = to_numpy(boundaries)
        places = np.searchsorted(limits, to_numpy(values), side="left")
        # What is beyond the last boundary falls into the last bucket.
        found.append(from_numpy(np.clip(places, 0, max(len(limits) - 1, 0)).astype(np.int32)))
    return found


make_stats_summary = define(
    "BoostedTreesMakeStatsSummary(node_ids: int32, gradients: float, hessians: float,"
    " bucketized_features_list: num_features*int32 >= 1; max_splits: int >= 1,"
    " num_buckets: int >= 1) -> stats_summary: float",
    doc="Return sums of gradients and hessians by feature, node and bucket.",
    **_CPU,
)


@make_stats_summary.shape
def make_stats_summary_shape(
    node_ids: Static,
    gradients: Static,
    hessians: Static,
    features: list[Static],
    *,
    max_splits: int,
    num_buckets: int,
) -> Any:
    return (len(features), max_splits, num_buckets, 2)


@make_stats_summary.kernel
def make_stats_summary_kernel(
    node_ids: Content,
    gradients: Content,
    hessians: Content,
    features: list[Any],
    *,
    max_splits: int,
    num_buckets: int,
) -> torch.Tensor:
    nodes = to_numpy(node_ids).reshape(-1)
    if len(nodes) and not 0 <= int(nodes.min()) <= int(nodes.max()) < max_splits:
        raise invalid(f"node_ids must be in [0, max_splits): max_splits is {max_splits}")
    # There may be a few more boundaries than buckets. TensorFlow writes beyond the table then.
    buckets = [np.clip(to_numpy(f).reshape(-1), 0, num_buckets - 1) for f in features]
    if any(feature.shape != nodes.shape for feature in buckets):
        raise invalid(f"bucketized_features_list must have {len(nodes)} rows each")
    first, second = to_numpy(gradients), to_numpy(hessians)
    if first.shape != (len(nodes), 1) or second.shape != first.shape:
        raise invalid(f"gradients and hessians must have shape ({len(nodes)}, 1)")
    sums = sums_by_bucket(nodes, first, second, buckets, (max_splits, num_buckets))
    result: torch.Tensor = from_numpy(sums)
    return result


best_gains = define(
    "BoostedTreesCalculateBestGainsPerFeature(node_id_range: int32,"
    " stats_summary_list: num_features*float >= 1, l1: float, l2: float, tree_complexity: float,"
    " min_node_weight: float; max_splits: int >= 1) -> node_ids_list: num_features*int32,"
    " gains_list: num_features*float, thresholds_list: num_features*int32,"
    " left_node_contribs_list: num_features*float, right_node_contribs_list: num_features*float",
    doc="Return the best split of each node, for each feature.",
    **_CPU,
)


@best_gains.shape
def best_gains_shape(
    node_id_range: Static, sums: list[Static], *_: Static, max_splits: int
) -> list[Any]:
    count = len(sums)
    return [[shape] * count for shape in ((None,), (None,), (None,), (None, 1), (None, 1))]


@best_gains.kernel
def best_gains_kernel(
    node_id_range: Content, sums: list[Any], *limits: Content, max_splits: int
) -> tuple[Any, ...]:
    first, last = (int(each) for each in to_numpy(node_id_range))
    numbers = [float(to_numpy(limit)) for limit in limits]
    tables = [to_numpy(each) for each in sums]
    if any(table.shape[:1] != (max_splits,) or table.shape[2:] != (2,) for table in tables):
        raise invalid(f"stats_summary_list must be of shape [{max_splits}, buckets, 2]")
    if not 0 <= first < last <= max_splits:
        raise invalid(f"node_id_range [{first}, {last}) is not within {max_splits} splits")
    found = [best_thresholds((first, last), table, *numbers) for table in tables]
    return tuple([from_numpy(part) for part in parts] for parts in zip(*found, strict=True))
