"""Sparse and ragged tensors put together from the parts that parsing gave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from placewise.ops.array.concat import concat
from placewise.ops.array.shape import reshape, shape_of
from placewise.ops.array.tile import repeat
from placewise.ops.convert import convert_to_tensor
from placewise.ops.debugging.assertions import assert_equal
from placewise.ops.io.features import RaggedFeature, SparseFeature
from placewise.ops.math.arithmetic import maximum
from placewise.ops.math.cast import cast
from placewise.ops.math.scan import cumsum
from placewise.ops.math.unsorted_segments import unsorted_segment_max
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.merge import sparse_merge


def ragged_of(serialized: Any, values: Any, row_splits: Any, inner_splits: Any = None) -> list[Any]:
    """Return parsed values with their splits as ragged tensors; of one example, without."""
    if inner_splits is not None:
        values = [
            RaggedTensor.from_row_splits(value, inner, validate=False)
            for value, inner in zip(values, inner_splits, strict=True)
        ]
    if serialized.shape.rank == 0:
        return list(values)
    return [
        RaggedTensor.from_row_splits(value, outer, validate=False)
        for value, outer in zip(values, row_splits, strict=True)
    ]


def composed(features: Any, parsed: dict[str, Any]) -> dict[str, Any]:
    """Return what was asked for out of what was parsed."""
    result = {}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            result[key] = _merged(feature, parsed)
        elif isinstance(feature, RaggedFeature):
            result[key] = _partitioned(key, feature, parsed)
    return {key: result[key] if key in result else parsed[key] for key in _order(features, parsed)}


def _order(features: Any, parsed: dict[str, Any]) -> list[str]:
    kept = [key for key in parsed if key in features]
    return kept + [key for key in sorted(features) if key not in parsed]


def _merged(feature: SparseFeature, parsed: dict[str, Any]) -> Any:
    """Return the sparse tensor whose last indices are themselves values."""
    is_one = isinstance(feature.index_key, str)
    ids = parsed[feature.index_key] if is_one else [parsed[key] for key in feature.index_key]
    return sparse_merge(
        ids,
        parsed[feature.value_key],
        vocab_size=feature.size,
        already_sorted=feature.already_sorted,
    )


def _partitioned(key: str, feature: RaggedFeature, parsed: dict[str, Any]) -> Any:
    rows = parsed[feature.value_key or key]
    if not isinstance(rows, RaggedTensor):
        for partition in reversed(feature.partitions):
            rows = _cut(rows, partition, parsed, feature)
        return rows
    outer = None
    if rows.ragged_rank > 1:
        outer, rows = rows.row_splits, rows.values
    for partition in reversed(feature.partitions):
        rows = _cut_batch(key, rows, partition, parsed, feature.validate, outer)
    if outer is not None:
        return RaggedTensor.from_row_splits(rows, outer, validate=feature.validate)
    return rows


def _in_pieces(values: Any, length: int) -> Any:
    return reshape(values, concat([[-1, length], convert_to_tensor(shape_of(values))[1:]], 0))


def _cut(values: Any, partition: Any, parsed: dict[str, Any], feature: RaggedFeature) -> Any:
    """Return the values of one example cut into rows."""
    validate = feature.validate
    if isinstance(partition, RaggedFeature.UniformRowLength):
        if isinstance(values, RaggedTensor):
            length = convert_to_tensor(partition.length, feature.row_splits_dtype)
            return RaggedTensor.from_uniform_row_length(values, length, validate=validate)
        return _in_pieces(values, partition.length)
    where = cast(parsed[partition.key], feature.row_splits_dtype)
    makers: dict[str, Callable[..., Any]] = {
        "RowSplits": RaggedTensor.from_row_splits,
        "RowLengths": RaggedTensor.from_row_lengths,
        "RowStarts": RaggedTensor.from_row_starts,
        "RowLimits": RaggedTensor.from_row_limits,
        "ValueRowIds": RaggedTensor.from_value_rowids,
    }
    return makers[type(partition).__name__](values, where, validate=validate)


def _cut_batch(
    key: str, rows: Any, partition: Any, parsed: dict[str, Any], validate: bool, outer: Any
) -> Any:
    """Return the rows of a batch, one an example, each cut into rows of its own."""
    if isinstance(partition, RaggedFeature.UniformRowLength):
        if rows.ragged_rank > 1:
            length = convert_to_tensor(partition.length, rows.row_splits.dtype)
            inner = RaggedTensor.from_uniform_row_length(rows.values, length, validate=validate)
            return RaggedTensor.from_row_splits(inner, rows.row_splits // length, validate=validate)
        pieces = _in_pieces(rows.values, partition.length)
        return RaggedTensor.from_row_splits(
            pieces, rows.row_splits // partition.length, validate=validate
        )
    where = parsed[partition.key]
    if where.values.dtype is not rows.row_splits.dtype:
        where = where.with_flat_values(cast(where.flat_values, rows.row_splits.dtype))
    if outer is not None:
        if validate:
            assert_equal(
                outer,
                where.row_splits,
                message=f"Feature {key}: values and partitions are not aligned",
            )
        where = where.values
    kind = type(partition).__name__
    if kind in ("RowSplits", "RowLimits", "RowStarts"):
        if kind == "RowSplits":
            where = where[:, 1:]
        # Places count from each example's own first value.
        moved = where.values + repeat(rows.row_starts(), where.row_lengths())
        make = RaggedTensor.from_row_starts if kind == "RowStarts" else RaggedTensor.from_row_limits
        return where.with_values(make(rows.values, moved, validate=validate))
    if kind == "RowLengths":
        inner = RaggedTensor.from_row_lengths(rows.values, where.values, validate=validate)
        return where.with_values(inner)
    last = unsorted_segment_max(where.values, where.value_rowids(), where.nrows())
    counts = maximum(last, convert_to_tensor(-1, last.dtype)) + 1
    moved = where.values + repeat(cumsum(counts, exclusive=True), where.row_lengths())
    inner = RaggedTensor.from_value_rowids(rows.values, moved, validate=validate)
    return RaggedTensor.from_row_lengths(inner, counts, validate=validate)
