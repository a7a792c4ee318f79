"""Columns of numbers, and numbers cut into ranges."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

import placewise as tf
from placewise.core.arguments import DTypeLike, TensorLike
from placewise.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureTransformationCache,
    IdWeightPair,
    check_key,
)


class NumericColumn(
    DenseColumn,
    namedtuple("NumericColumn", ("key", "shape", "default_value", "dtype", "normalizer_fn")),
):
    """Numbers as they are, or after a function."""

    __lt__ = DenseColumn.__lt__

    @property
    def name(self) -> str:
        """The key of the feature."""
        name: str = self.key
        return name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of fixed length."""
        return {self.key: tf.io.FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> Any:
        """The shape of one case."""
        return tf.TensorShape(self.shape)

    def transform_feature(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return the numbers."""
        given = transformation_cache.get(self.key, state_manager)
        if isinstance(given, tf.SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is "
                f"not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            given = self.normalizer_fn(given)
        return tf.cast(given, tf.float32)

    def get_dense_tensor(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return the numbers."""
        return transformation_cache.get(self, state_manager)


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: TensorLike | None = None,
    dtype: DTypeLike = tf.float32,
    normalizer_fn: Any = None,
) -> NumericColumn:
    """Return a column of numbers."""
    sizes = checked_shape(shape, key)
    kind = tf.as_dtype(dtype)
    if not (kind.is_integer or kind.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {kind}, key: {key}")
    if default_value is not None:
        whole = np.broadcast_to(np.asarray(default_value), sizes)
        default_value = tuple(whole.tolist()) if whole.ndim else (whole.item(),)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    check_key(key)
    return NumericColumn(key, sizes, default_value, kind, normalizer_fn)


def checked_shape(shape: tuple[int, ...], key: str) -> tuple[int, ...]:
    """Return the shape of a numeric feature."""
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    for size in sizes:
        if not isinstance(size, (int, np.integer)):
            raise TypeError(f"shape dimensions must be integer. shape: {shape}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes


class BucketizedColumn(
    DenseColumn, CategoricalColumn, namedtuple("BucketizedColumn", ("source_column", "boundaries"))
):
    """Numbers as the ranges they fall into."""

    __lt__ = DenseColumn.__lt__

    @property
    def name(self) -> str:
        """The key of the feature, and that it is cut into ranges."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What the column of numbers parses."""
        spec: dict[str, Any] = self.source_column.parse_example_spec
        return spec

    @property
    def variable_shape(self) -> Any:
        """The shape of the numbers, one place for each range."""
        return tf.TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    @property
    def num_buckets(self) -> int:
        """The number of ranges, for each number of a case."""
        count: int = (len(self.boundaries) + 1) * self.source_column.shape[0]
        return count

    def transform_feature(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return the number of the range of each number."""
        given = transformation_cache.get(self.source_column, state_manager)
        return tf.raw_ops.Bucketize(
            input=given, boundaries=[float(each) for each in self.boundaries]
        )

    def get_dense_tensor(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return a one for the range of each number."""
        found = transformation_cache.get(self, state_manager)
        return tf.one_hot(tf.cast(found, tf.int64), len(self.boundaries) + 1, 1.0, 0.0)

    def get_sparse_tensors(
        self,
        transformation_cache: FeatureTransformationCache,
        state_manager: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return the ranges as ids: those of each number of a case after those of the last."""
        found = transformation_cache.get(self, state_manager)
        rows, width = tf.shape(found)[0], self.source_column.shape[0]
        across = tf.range(0, width)
        first = tf.reshape(tf.tile(tf.expand_dims(tf.range(0, rows), 1), [1, width]), [-1])
        second = tf.tile(across, [rows])
        ids = tf.reshape(found, [-1]) + (len(self.boundaries) + 1) * second
        indices = tf.cast(tf.transpose(tf.stack([first, second])), tf.int64)
        size = tf.cast(tf.stack([rows, width]), tf.int64)
        return IdWeightPair(tf.SparseTensor(indices, tf.cast(ids, tf.int64), size), None)


def bucketized_column(source_column: NumericColumn, boundaries: Sequence[Any]) -> BucketizedColumn:
    """Return a column of the ranges that numbers fall into."""
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            f"source_column must be a column generated with numeric_column(). Given: "
            f"{source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    is_list = isinstance(boundaries, list | tuple)
    if not is_list or any(low >= high for low, high in itertools.pairwise(boundaries)):
        raise ValueError(f"boundaries must be a sorted list. Given: {boundaries}")
    return BucketizedColumn(source_column, tuple(boundaries))
