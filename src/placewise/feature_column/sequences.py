"""Columns of sequences: ids and numbers for each step of a case."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import placewise as tf
from placewise.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    IdWeightPair,
    TensorSequenceLengthPair,
    check_key,
)
from placewise.feature_column.categories import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from placewise.feature_column.dense import lengths_of
from placewise.feature_column.numbers import checked_shape


class SequenceCategoricalColumn(
    CategoricalColumn, namedtuple("SequenceCategoricalColumn", ("categorical_column",))
):
    """Ids for each step."""

    __lt__ = FeatureColumn.__lt__

    @property
    def name(self) -> str:
        """The key of the feature."""
        name: str = self.categorical_column.name
        return name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What the ids parse."""
        spec: dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        count: int = self.categorical_column.num_buckets
        return count

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the ids."""
        return self.categorical_column.transform_feature(transformation_cache, state_manager)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the ids, steps and ids of a step apart."""
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        ids, weights = pair
        sizes = tf.shape(ids, out_type=tf.int64)
        shape = tf.stack([sizes[0], sizes[1], tf.constant(1, tf.int64)])
        if ids.shape.rank == 3:
            return pair
        ids = tf.sparse.reshape(ids, shape)
        weights = None if weights is None else tf.sparse.reshape(weights, shape)
        return IdWeightPair(ids, weights)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """Return a column of each step's own numbers."""
    return SequenceCategoricalColumn(
        categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = tf.string
) -> SequenceCategoricalColumn:
    """Return a column of hashes of each step."""
    return SequenceCategoricalColumn(
        categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: Any = None,
    dtype: Any = tf.string,
) -> SequenceCategoricalColumn:
    """Return a column of lines of a file for each step."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key,
            vocabulary_file,
            vocabulary_size,
            num_oov_buckets=num_oov_buckets,
            default_value=default_value,
            dtype=dtype,
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """Return a column of places in a list for each step."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


class SequenceNumericColumn(
    DenseColumn,
    namedtuple(
        "SequenceNumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn")
    ),
):
    """Numbers for each step."""

    __lt__ = FeatureColumn.__lt__

    @property
    def name(self) -> str:
        """The key of the feature."""
        name: str = self.key
        return name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of any length."""
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> Any:
        """The shape of one step."""
        return tf.TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the numbers, sparse."""
        given = transformation_cache.get(self.key, state_manager)
        return given if self.normalizer_fn is None else self.normalizer_fn(given)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any = None
    ) -> Any:
        """Return the numbers of each step, and the lengths."""
        sparse = transformation_cache.get(self, state_manager)
        dense = tf.sparse.to_dense(sparse, default_value=self.default_value)
        shape = tf.concat([tf.shape(dense)[:1], [-1], tf.constant(self.shape, tf.int32)], 0)
        width = self.variable_shape.num_elements()
        lengths = lengths_of(sparse)
        if sparse.shape.rank == 2 and width > 1:
            lengths = tf.cast(tf.math.ceil(lengths / width), tf.int64)
        return TensorSequenceLengthPair(tf.reshape(dense, shape), lengths)


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: Any = tf.float32,
    normalizer_fn: Any = None,
) -> SequenceNumericColumn:
    """Return a column of numbers for each step."""
    sizes = checked_shape(shape, key)
    kind = tf.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {kind}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    check_key(key)
    return SequenceNumericColumn(key, sizes, default_value, kind, normalizer_fn)
