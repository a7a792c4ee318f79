"""Columns of ids: hashed, from vocabularies, numbers themselves, weighted, crossed."""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import placewise as tf
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.feature_column.base import (
    CategoricalColumn,
    FeatureColumn,
    FeatureTransformationCache,
    IdWeightPair,
    check_key,
    check_kind,
    sparse_of,
)
from placewise.graph.print_ops import Assert
from placewise.ops.lookup.classes import StaticHashTable, StaticVocabularyTable
from placewise.ops.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)


class _Keyed(CategoricalColumn):
    """What columns of one feature share."""

    if TYPE_CHECKING:  # the fields of the subclasses, which are named tuples
        key: Any
        dtype: Any

    @property
    def name(self) -> str:
        """The key of the feature."""
        name: str = self.key
        return name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of any length."""
        return {self.key: tf.io.VarLenFeature(self.dtype)}

    def _given(
        self, cache: FeatureTransformationCache, state_manager: tuple[Any, ...] | None
    ) -> Any:
        given = sparse_of(cache.get(self.key, state_manager))
        kind = given.dtype
        if self.dtype.is_integer != kind.is_integer:
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, "
                f"column dtype: {self.dtype}, tensor dtype: {kind}"
            )
        return given


class HashedCategoricalColumn(
    _Keyed, namedtuple("HashedCategoricalColumn", ("key", "hash_bucket_size", "dtype"))
):
    """Ids by a hash of the feature."""

    __lt__ = FeatureColumn.__lt__

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        count: int = self.hash_bucket_size
        return count

    def transform_feature(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return the hashes."""
        given = self._given(transformation_cache, state_manager)
        text = given.values if self.dtype == tf.string else tf.strings.as_string(given.values)
        ids = tf.strings.to_hash_bucket_fast(text, self.hash_bucket_size)
        return tf.SparseTensor(given.indices, ids, given.dense_shape)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = tf.string
) -> HashedCategoricalColumn:
    """Return a column of hashes of a feature."""
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    check_key(key)
    return HashedCategoricalColumn(key, hash_bucket_size, check_kind(dtype, f"column_name: {key}"))


class _Vocabulary(_Keyed):
    """What columns of vocabularies share: a table from features to ids."""

    if TYPE_CHECKING:
        num_oov_buckets: Any
        default_value: Any

    def _table(self) -> Any:
        raise NotImplementedError

    def transform_feature(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return the ids of the features in the vocabulary."""
        given = self._given(transformation_cache, state_manager)
        if self.dtype.is_integer and given.dtype != tf.int64:
            given = tf.SparseTensor(
                given.indices, tf.cast(given.values, tf.int64), given.dense_shape
            )
        return self._table().lookup(given)

    def _with_others(self, initializer: Any) -> Any:
        if self.num_oov_buckets:
            return StaticVocabularyTable(
                initializer,
                self.num_oov_buckets,
                lookup_key_dtype=tf.int64 if self.dtype.is_integer else tf.string,
            )
        return StaticHashTable(initializer, self.default_value)


class VocabularyListCategoricalColumn(
    _Vocabulary,
    namedtuple(
        "VocabularyListCategoricalColumn",
        ("key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"),
    ),
):
    """Ids by the place in a list."""

    __lt__ = FeatureColumn.__lt__

    @property
    def num_buckets(self) -> int:
        """The length of the list, and the buckets for what is not in it."""
        count: int = len(self.vocabulary_list) + self.num_oov_buckets
        return count

    def _table(self) -> Any:
        kind = tf.int64 if self.dtype.is_integer else tf.string
        keys = tf.constant(list(self.vocabulary_list), kind)
        values = tf.range(len(self.vocabulary_list), dtype=tf.int64)
        return self._with_others(KeyValueTensorInitializer(keys, values, kind, tf.int64))


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Return a column of places in a list."""
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    found = tf.as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(num_oov_buckets, default_value, -1, key)
    check_kind(found, f"column_name: {key} vocabulary")
    kind = found if dtype is None else tf.as_dtype(dtype)
    if kind.is_integer != found.is_integer:
        raise ValueError(
            f"dtype {kind} and vocabulary dtype {found} do not match, column_name: {key}"
        )
    check_kind(kind, f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), kind, default_value, num_oov_buckets
    )


def _check_buckets(buckets: int, default: Any, unset: Any, key: str) -> None:
    if buckets and default != unset:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {buckets} in {key}.")


class VocabularyFileCategoricalColumn(
    _Vocabulary,
    namedtuple(
        "VocabularyFileCategoricalColumn",
        (
            "key",
            "vocabulary_file",
            "vocabulary_size",
            "num_oov_buckets",
            "dtype",
            "default_value",
        ),
    ),
):
    """Ids by the line of a file."""

    __lt__ = FeatureColumn.__lt__

    @property
    def num_buckets(self) -> int:
        """The number of lines, and the buckets for what is not in the file."""
        count: int = self.vocabulary_size + self.num_oov_buckets
        return count

    def _table(self) -> Any:
        kind = tf.int64 if self.dtype.is_integer else tf.string
        start = TextFileInitializer(
            self.vocabulary_file,
            kind,
            TextFileIndex.WHOLE_LINE,
            tf.int64,
            TextFileIndex.LINE_NUMBER,
            vocab_size=self.vocabulary_size,
        )
        return self._with_others(start)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    dtype: Any = tf.string,
    default_value: Any = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """Return a column of lines of a file."""
    if file_format not in (None, "text"):
        raise ValueError(f"Only the file format 'text' is supported here, not {file_format!r}.")
    buckets, default = num_oov_buckets, default_value
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        path = os.fspath(vocabulary_file)
        if not tf.io.gfile.exists(path):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        with tf.io.gfile.GFile(path) as file:
            vocabulary_size = sum(1 for _ in file)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(buckets, default, None, key)
    check_kind(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        0 if buckets is None else buckets,
        tf.as_dtype(dtype),
        -1 if default is None else default,
    )


def vocabulary_file_v1(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: TensorLike | None = None,
    dtype: DTypeLike = tf.string,
) -> VocabularyFileCategoricalColumn:
    """Return a column of lines of a file, with the order of arguments of TensorFlow 1."""
    return categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )


class IdentityCategoricalColumn(
    _Keyed, namedtuple("IdentityCategoricalColumn", ("key", "number_buckets", "default_value"))
):
    """Ids that are the feature's own numbers."""

    __lt__ = FeatureColumn.__lt__
    dtype = tf.int64

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        count: int = self.number_buckets
        return count

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the numbers, those out of range replaced by the default or refused."""
        given = sparse_of(transformation_cache.get(self.key, state_manager))
        if not given.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {given.dtype}")
        values = tf.cast(given.values, tf.int64)
        count = tf.cast(self.number_buckets, tf.int64)
        if self.default_value is None:
            checks = [
                Assert(tf.reduce_all(condition), [message, values])
                for condition, message in (
                    (values < count, f"assert_less_than_num_buckets: {self.number_buckets}"),
                    (values >= 0, "assert_greater_or_equal_0"),
                )
            ]
            with tf.control_dependencies([each for each in checks if each is not None]):
                values = tf.identity(values)
        else:
            outside = tf.logical_or(tf.less(values, 0), tf.greater_equal(values, count))
            default = tf.fill(tf.shape(values), tf.cast(self.default_value, tf.int64))
            values = tf.where(outside, default, values)
        return tf.SparseTensor(given.indices, values, given.dense_shape)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Return a column of the feature's own numbers."""
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


class WeightedCategoricalColumn(
    CategoricalColumn,
    namedtuple("WeightedCategoricalColumn", ("categorical_column", "weight_feature_key", "dtype")),
):
    """Ids with weights from another feature."""

    __lt__ = FeatureColumn.__lt__

    @property
    def name(self) -> str:
        """The names of both."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of ids and of weights."""
        spec = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in spec:
            raise ValueError(
                f"Parse config {spec[self.weight_feature_key]} already exists for "
                f"{self.weight_feature_key}."
            )
        return {**spec, self.weight_feature_key: tf.io.VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        """The number of ids."""
        count: int = self.categorical_column.num_buckets
        return count

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return ids and weights."""
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if weights is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        if not isinstance(weights, tf.SparseTensor):
            weights = sparse_of(tf.cast(weights, tf.float32), 0.0)
        elif weights.dtype != tf.float32:
            weights = tf.cast(weights, tf.float32)
        return transformation_cache.get(self.categorical_column, state_manager), weights

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return ids and weights."""
        return IdWeightPair(*transformation_cache.get(self, state_manager))


def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: DTypeLike = tf.float32
) -> WeightedCategoricalColumn:
    """Return a column of ids with weights."""
    kind = tf.as_dtype(dtype) if dtype is not None else None
    if kind is None or not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, kind)


class CrossedColumn(
    CategoricalColumn, namedtuple("CrossedColumn", ("keys", "hash_bucket_size", "hash_key"))
):
    """Hashes of combinations of features."""

    __lt__ = FeatureColumn.__lt__

    @property
    def name(self) -> str:
        """The names of all, in alphabetical order."""
        names = [each.name if isinstance(each, FeatureColumn) else each for each in _leaves(self)]
        return "_X_".join(sorted(names))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What all of them parse."""
        spec: dict[str, Any] = {}
        for each in self.keys:
            if isinstance(each, FeatureColumn):
                spec.update(each.parse_example_spec)
            else:
                spec[each] = tf.io.VarLenFeature(tf.string)
        return spec

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        count: int = self.hash_bucket_size
        return count

    def transform_feature(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return the hashes of all combinations in a case."""
        parts = []
        for each in _leaves(self):
            if isinstance(each, str):
                parts.append(transformation_cache.get(each, state_manager))
                continue
            ids, weights = each.get_sparse_tensors(transformation_cache, state_manager)
            if weights is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column "
                    f"populates weight_tensor. Given column: {each.name}"
                )
            parts.append(ids)
        return tf.sparse.cross_hashed(
            parts, num_buckets=self.hash_bucket_size, hash_key=self.hash_key
        )


def _leaves(cross: CrossedColumn) -> list[Any]:
    """Return what a cross is of: other crosses taken apart."""
    found: list[Any] = []
    for each in cross.keys:
        found.extend(_leaves(each) if isinstance(each, CrossedColumn) else [each])
    return found


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: Any = None) -> CrossedColumn:
    """Return a column of hashes of combinations of features."""
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    return CrossedColumn(tuple(map(_crossed_key, keys)), hash_bucket_size, hash_key)


def _crossed_key(key: Any) -> str | CategoricalColumn:
    """Return what a crossed column may be made of; raise ValueError for anything else."""
    if isinstance(key, HashedCategoricalColumn):
        raise ValueError(
            "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
            "crossing will increase probability of collision. Instead, use the feature name as a "
            f"string. Given: {key}"
        )
    if isinstance(key, str | CategoricalColumn):
        return key
    raise ValueError(
        "Unsupported key type. All keys must be either string, or categorical column except "
        f"HashedCategoricalColumn. Given: {key}"
    )
