"""What boosted trees make of feature columns: whole numbers below a count, one list a feature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import placewise as tf
from placewise.feature_column.base import CategoricalColumn, DenseColumn, FeatureTransformationCache
from placewise.feature_column.dense import IndicatorColumn
from placewise.feature_column.numbers import BucketizedColumn
from placewise.ops.boosted_trees.features import bucketize


def sorted_columns(columns: Iterable[Any]) -> list[Any]:
    """Return columns by name: the order of the features of a tree."""
    return sorted(columns, key=lambda column: column.name)


def is_float(column: Any) -> bool:
    """Return whether a column gives numbers that have to be put into buckets."""
    if isinstance(column, (CategoricalColumn, BucketizedColumn, IndicatorColumn)):
        return False
    if isinstance(column, DenseColumn):
        return bool(column.dtype.is_floating)  # type: ignore[attr-defined]
    raise ValueError(f"Encountered unexpected column {column}")


def feature_count(column: Any) -> int:
    """Return how many features a column gives."""
    if isinstance(column, IndicatorColumn):
        count: int = column.categorical_column.num_buckets
        return count
    if isinstance(column, BucketizedColumn):
        return 1
    if isinstance(column, DenseColumn):
        shape = column.variable_shape
        return int(shape[0]) if shape.rank else 1
    raise _unexpected(column)


def _unexpected(column: Any) -> ValueError:
    if isinstance(column, CategoricalColumn):
        return ValueError(f"CategoricalColumn must be wrapped by IndicatorColumn, got: {column}")
    return ValueError(f"Got unexpected feature column type: {column}")


def column_names(columns: list[Any]) -> list[str]:
    """Return the name of the column of each feature; that of its ids for an indicator."""
    names = []
    for column in columns:
        is_indicator = isinstance(column, IndicatorColumn)
        name = column.categorical_column.name if is_indicator else column.name
        names += [name] * feature_count(column)
    return names


@dataclass(frozen=True)
class FeatureGroup:
    """Features with the same number of buckets, whose statistics are kept together."""

    buckets: int
    features: list[int]


def feature_groups(columns: list[Any], quantiles: int) -> list[FeatureGroup]:
    """Return the features by number of buckets.

    Numbers have as many as there are quantiles, ids two, and all ranges as many as the column with
    the most of them.
    """
    by_count: dict[int, list[int]] = {}
    ranges: list[int] = []
    most_ranges, feature = 2, 0
    for column in columns:
        members = list(range(feature, feature + feature_count(column)))
        feature += len(members)
        if isinstance(column, BucketizedColumn):
            most_ranges = max(most_ranges, len(column.boundaries) + 1)
            ranges += members
        else:
            count = 2 if isinstance(column, IndicatorColumn) else quantiles
            by_count.setdefault(count, []).extend(members)
    if ranges:
        by_count.setdefault(most_ranges, []).extend(ranges)
    return [FeatureGroup(count, members) for count, members in by_count.items()]


def transformed(features: Any, columns: list[Any], boundaries: dict[str, Any] | None) -> list[Any]:
    """Return one vector a feature; numbers are left as they are without `boundaries` of buckets."""
    cache = FeatureTransformationCache(features)
    found: list[Any] = []
    for column in columns:
        tensor = cache.get(column)
        if isinstance(column, BucketizedColumn):
            tensor = tf.squeeze(tensor, axis=1)
            if tensor.shape.rank is not None and tensor.shape.rank > 1:
                raise ValueError(
                    "For now, only supports features equivalent to rank 1 but column "
                    f"`{column.source_column.name}` got: {tensor.shape}"
                )
            found.append(tensor)
        elif isinstance(column, IndicatorColumn):
            if tensor.shape.rank is not None and tensor.shape.rank > 2:
                raise ValueError(
                    "Rank of indicator column must be no more than 2, but column "
                    f"`{column.categorical_column.name}` got: {tensor.shape}"
                )
            found += tf.unstack(tf.cast(tensor, tf.int32), feature_count(column), axis=1)
        else:
            found += _numbers(column, tensor, boundaries)
    return found


def _numbers(column: Any, tensor: Any, boundaries: dict[str, Any] | None) -> list[Any]:
    if column.variable_shape.rank > 1:
        raise ValueError(
            f"For now, we only support Dense column with rank of 1, but column `{column.name}` "
            f"got: {column.variable_shape}"
        )
    parts = tf.unstack(tensor, feature_count(column), axis=1)
    if not boundaries:
        return list(parts)
    return list(bucketize(parts, boundaries[column.name]))
