"""`tf.contrib.layers`'s feature columns: former spellings of those of `tf.feature_column`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from placewise.core import dtypes
from placewise.feature_column import categories, dense, numbers


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer: Any = None,
) -> Any:
    """Return a column of `dimension` numbers a case."""
    if dimension is None:
        raise TypeError(f"dimension must be an integer. dimension: {dimension}, {column_name}")
    if dimension < 1:
        raise ValueError(
            f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}"
        )
    return numbers.numeric_column(column_name, (dimension,), default_value, dtype, normalizer)


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> Any:
    """Return a column of the ranges that numbers fall into."""
    return numbers.bucketized_column(source_column, list(boundaries))


def _only_sums(combiner: str) -> None:
    if combiner != "sum":
        raise NotImplementedError(
            f"combiner {combiner!r} of a sparse column is not implemented; linear models sum the "
            "weights of its ids"
        )


def sparse_column_with_keys(
    column_name: str,
    keys: Iterable[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = dtypes.string,
) -> Any:
    """Return a column of ids: the places of words among `keys`."""
    _only_sums(combiner)
    return categories.categorical_column_with_vocabulary_list(
        column_name, tuple(keys), dtype, default_value
    )


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: Any = dtypes.string,
    hash_keys: Any = None,
) -> Any:
    """Return a column of ids: the hashes of words."""
    if hash_keys is not None:
        raise NotImplementedError("hash_keys is not implemented; leave it None")
    _only_sums(combiner)
    return categories.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = dtypes.int64
) -> Any:
    """Return a column of ids that are below `bucket_size` already."""
    _only_sums(combiner)
    return categories.categorical_column_with_identity(column_name, bucket_size)


def one_hot_column(sparse_id_column: Any) -> Any:
    """Return a column of how often each id is there."""
    return dense.indicator_column(sparse_id_column)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Any:
    """Return a column of vectors that are learned, one for each id."""
    return dense.embedding_column(
        sparse_id_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )
