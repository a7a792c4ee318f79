"""Embeddings: rows of a table looked up by id, one by one or combined per example."""

from __future__ import annotations

from typing import Any

import numpy as np

from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.tensor import Tensor
from placewise.ops.array.concat import concat
from placewise.ops.array.creation import range as numbers
from placewise.ops.array.distinct import unique
from placewise.ops.array.gather import gather
from placewise.ops.array.partition import dynamic_partition, dynamic_stitch
from placewise.ops.array.shape import (
    expand_dims,
    identity,
    reshape,
    shape,
    shape_of,
    size,
    sizes_of,
)
from placewise.ops.array.shape import rank as rank_of
from placewise.ops.array.where import boolean_mask, where
from placewise.ops.convert import convert_to_tensor
from placewise.ops.math.arithmetic import add, maximum, multiply, square
from placewise.ops.math.cast import cast
from placewise.ops.math.clip import clip_by_norm
from placewise.ops.math.division import divide_no_nan, floordiv, floormod
from placewise.ops.math.exponential import sqrt
from placewise.ops.math.segments import segment_sum
from placewise.ops.math.sparse_segments import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from placewise.ops.math.unsorted_segments import unsorted_segment_sum
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.sparse_tensor import SparseTensor

COMBINERS = ("mean", "sqrtn", "sum")
_SEGMENTS = {"mean": sparse_segment_mean, "sqrtn": sparse_segment_sqrt_n, "sum": sparse_segment_sum}


def _tables(params: Any) -> list[Any]:
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, (list, tuple)) or hasattr(params, "_variable_list"):
        tables = [
            convert_to_tensor(table) if isinstance(table, (np.ndarray, np.generic, list)) else table
            for table in params
        ]
        if not tables:
            raise ValueError(
                f"Length of params is currently {len(tables)}. Need at least one param."
            )
        return tables
    return [params]


def _clipped(rows: Tensor, ids: Tensor, max_norm: Any) -> Any:
    """Return rows, scaled down to length `max_norm` where they are longer."""
    if max_norm is None:
        return rows
    inner, outer = rows._shape_tuple, ids._shape_tuple
    if inner is not None and outer is not None:
        axes: Any = list(range(len(outer), len(inner)))
    else:
        axes = numbers(rank_of(ids), rank_of(rows))
    return clip_by_norm(rows, max_norm, axes=axes)


def lookup(
    params: Any, ids: TensorLike, partition_strategy: str, max_norm: Any, name: str | None
) -> Any:
    """Return the rows `ids` names of a table that may be in parts.

    Parts hold the ids dealt out in turn ('mod') or in stretches ('div').
    """
    tables = _tables(params)
    ids = convert_to_tensor(ids, name="ids")
    if len(tables) == 1:
        return _clipped(gather(tables[0], ids, name=name), ids, max_norm)
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f"Unrecognized partition strategy: {partition_strategy}")
    return _clipped(_from_parts(tables, ids, partition_strategy, name), ids, max_norm)


def _from_parts(tables: list[Any], ids: Tensor, strategy: str, name: str | None) -> Any:
    """Return rows of several tables: each is asked for its own, so that gradients stay sparse."""
    flat = reshape(ids, [-1])
    count = len(tables)
    if strategy == "mod":
        homes, places = floormod(flat, count), floordiv(flat, count)
    else:
        rows = sum(_length(table, flat.dtype) for table in tables)
        each, more = rows // count, rows % count
        homes = maximum(floordiv(flat, each + 1), floordiv(flat - more, each))
        places = where(homes < more, floormod(flat, each + 1), floormod(flat - more, each))
    homes = cast(homes, dtypes.int32)
    asked = dynamic_partition(places, homes, count)
    order = dynamic_partition(numbers(size(flat)), homes, count)
    found = [gather(table, part) for table, part in zip(tables, asked, strict=True)]
    rows = dynamic_stitch(order, found)
    if tables[0]._shape_tuple is None:
        rest: Any = shape(tables[0])[1:]
    else:
        rest = sizes_of(tables[0])[1:]
        if ids._shape_tuple is not None and None not in ids._shape_tuple:
            return reshape(rows, [*ids._shape_tuple, *rest], name=name)
        rest = convert_to_tensor(rest, dtypes.int32)
    shape_of_ids = convert_to_tensor(shape_of(ids), dtypes.int32)
    return reshape(rows, concat([shape_of_ids, rest], 0), name=name)


def _length(table: Any, dtype: dtypes.DType) -> Any:
    """Return how many rows a table has: an int where it is known, else a scalar tensor."""
    if table._shape_tuple is None:
        return shape(table, dtype)[0]
    return sizes_of(table, dtype)[0]


def embedding_lookup(
    params: Any, ids: TensorLike, max_norm: Any = None, name: str | None = None
) -> Any:
    """Return the rows of `params` that `ids` names; longer ones scaled down to `max_norm`."""
    if isinstance(ids, RaggedTensor):
        return ids.with_flat_values(embedding_lookup(params, ids.flat_values, max_norm, name))
    return lookup(params, ids, "div", max_norm, name)


def _combined(
    params: TensorLike,
    ids: Tensor,
    weights: Any,
    segments: Tensor,
    combiner: str,
    max_norm: Any,
    name: str | None,
    rows: Tensor | None = None,
    partition_strategy: str = "div",
) -> Any:
    """Return one row per segment: sum, mean, or sum over the root of the count."""
    tables = _tables(params)
    # Each row is looked up once, so that the gradient is sparse and has no row twice.
    different, places = unique(ids)
    found = lookup(tables, different, partition_strategy, max_norm, None)
    if weights is None:
        return _SEGMENTS[combiner](found, places, segments, rows, name)
    found = gather(found, places)
    kind = found.dtype
    if kind in (dtypes.float16, dtypes.bfloat16):
        found = cast(found, dtypes.float32)
    if weights.dtype is not found.dtype:
        weights = cast(weights, found.dtype)
    for _ in range(len(found._shape_tuple) - 1):
        weights = expand_dims(weights, -1)
    total = _summed(multiply(found, weights), segments, rows)
    if combiner == "mean":
        total = divide_no_nan(total, _summed(weights, segments, rows))
    elif combiner == "sqrtn":
        total = divide_no_nan(total, sqrt(_summed(square(weights), segments, rows)))
    return total if total.dtype is kind else cast(total, kind)


def _summed(values: Any, segments: Any, rows: Any) -> Any:
    if rows is None:
        return segment_sum(values, segments)

    return unsorted_segment_sum(values, segments, rows)


def _check_combiner(combiner: str | None) -> str:
    combiner = "mean" if combiner is None else combiner
    if combiner not in COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    return combiner


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return, for each row of `sp_ids`, the rows of `params` it names, combined.

    `combiner` is 'mean' (the default), 'sqrtn' or 'sum'; `sp_weights` weighs the ids.
    """
    return combined_lookup(params, sp_ids, sp_weights, combiner, max_norm, name)


def combined_lookup(
    params: TensorLike,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    allow_fast_lookup: bool = False,
) -> Any:
    """Return `embedding_lookup_sparse` of tables whose rows are dealt out in either way."""
    combiner = _check_combiner(combiner)
    if isinstance(sp_ids, RaggedTensor):
        if sp_weights is not None and not isinstance(sp_weights, RaggedTensor):
            raise TypeError(
                f"sp_weights must be either None or RaggedTensor, but got {type(sp_weights)}"
            )
        weights = None if sp_weights is None else sp_weights.values
        return _combined(
            params,
            sp_ids.values,
            weights,
            sp_ids.value_rowids(),
            combiner,
            max_norm,
            name,
            partition_strategy=partition_strategy,
        )
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    weights = None
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError(
                f"sp_weights must be either None or SparseTensor, but got {type(sp_weights)}"
            )
        sp_ids.values.shape.assert_is_compatible_with(sp_weights.values.shape)
        sp_ids.indices.shape.assert_is_compatible_with(sp_weights.indices.shape)
        sp_ids.dense_shape.shape.assert_is_compatible_with(sp_weights.dense_shape.shape)
        weights = sp_weights.values
    return _combined(
        params,
        sp_ids.values,
        weights,
        sp_ids.indices[:, 0],
        combiner,
        max_norm,
        name,
        partition_strategy=partition_strategy,
    )


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Any:
    """Return `embedding_lookup_sparse` that copes with negative ids and empty rows.

    Ids below 0 are left out, and weights of 0 or less unless rows are summed. A row that is empty
    then gets the embedding of `default_id`, or zeros.
    """
    return safe_combined_lookup(
        embedding_weights, sparse_ids, sparse_weights, combiner, default_id, max_norm, name
    )


def safe_combined_lookup(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: Any = None,
    max_norm: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    allow_fast_lookup: bool = False,
) -> Any:
    """Return `safe_embedding_lookup_sparse` of tables whose rows are dealt out in either way."""
    if embedding_weights is None:
        raise ValueError("Missing embedding_weights None.")
    tables = _tables(embedding_weights)
    combiner = _check_combiner(combiner)
    if isinstance(sparse_ids, RaggedTensor):
        sparse_ids = sparse_ids.to_sparse()
    if isinstance(sparse_weights, RaggedTensor):
        sparse_weights = sparse_weights.to_sparse()
    ids, shape = sparse_ids.values, sparse_ids.dense_shape
    rank = sparse_ids.indices._shape_tuple[1]
    segments, rows = _example_of(sparse_ids.indices, shape, rank)
    valid = ids >= convert_to_tensor(0, ids.dtype)
    weights = None if sparse_weights is None else sparse_weights.values
    if weights is not None:
        for table in tables:
            if table.dtype.base_dtype is not weights.dtype:
                convert_to_tensor(table, weights.dtype)  # raises
        if combiner != "sum":  # a sum may subtract, a mean may not
            valid = valid & (weights > convert_to_tensor(0, weights.dtype))
        weights = boolean_mask(weights, valid)
    ids, segments = boolean_mask(ids, valid), boolean_mask(segments, valid)
    result = _combined(
        tables, ids, weights, segments, combiner, max_norm, None, rows, partition_strategy
    )
    if default_id is not None:
        ones = cast(segments >= convert_to_tensor(0, segments.dtype), dtypes.int32)
        empty = unsorted_segment_sum(ones, segments, rows) < convert_to_tensor(1)
        wanted = convert_to_tensor([default_id], ids.dtype)
        default = lookup(tables, wanted, partition_strategy, max_norm, None)
        for _ in range(len(result._shape_tuple) - 1):
            empty = expand_dims(empty, -1)
        result = where(empty, default, result)
    if rank == 2:
        return identity(result, name)
    return reshape(result, concat([cast(shape[:-1], dtypes.int32), shape_of(result)[1:]], 0), name)


def _example_of(indices: Tensor, shape: Tensor, rank: int) -> tuple[Any, Any]:
    """Return the example of each id, all dimensions but the last being one, and their number."""
    if rank == 2:
        return indices[:, 0], cast(shape[0], dtypes.int32)
    at: Any = indices[:, 0]
    count = shape[0]
    for axis in range(1, rank - 1):
        at = add(multiply(at, shape[axis]), indices[:, axis])
        count = multiply(count, shape[axis])
    return at, cast(count, dtypes.int32)
