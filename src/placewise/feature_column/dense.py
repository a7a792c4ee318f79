"""Columns of ids as numbers: counts of each id, or vectors that are learned."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import placewise as tf
from placewise.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    TensorSequenceLengthPair,
)
from placewise.graph.collections import GraphKeys, add_to_collection, get_collection
from placewise.graph.initializers import TruncatedNormal
from placewise.graph.variable_scope import get_variable
from placewise.saving.init_from_checkpoint import init_from_checkpoint


class IndicatorColumn(DenseColumn, namedtuple("IndicatorColumn", ("categorical_column",))):
    """How often each id is there."""

    __lt__ = FeatureColumn.__lt__

    @property
    def name(self) -> str:
        """The name of the ids, and that they are counted."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What the ids parse."""
        spec: dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    @property
    def variable_shape(self) -> Any:
        """One place for each id."""
        return tf.TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the counts, or the sums of weights."""
        column = self.categorical_column
        ids, weights = column.get_sparse_tensors(transformation_cache, state_manager)
        count = column.num_buckets
        if weights is not None:
            merged = tf.sparse.SparseTensor(
                tf.stack([ids.indices[:, 0], tf.cast(ids.values, tf.int64)], 1),
                weights.values,
                tf.cast(tf.stack([ids.dense_shape[0], count]), tf.int64),
            )
            return tf.scatter_nd(merged.indices, merged.values, merged.dense_shape)
        dense = tf.sparse.to_dense(ids, default_value=-1)
        return tf.reduce_sum(tf.one_hot(dense, count, 1.0, 0.0), -2)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the counts."""
        return transformation_cache.get(self, state_manager)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any = None
    ) -> Any:
        """Return the counts of each step, and the lengths."""
        column = self.categorical_column
        ids, _ = column.get_sparse_tensors(transformation_cache, state_manager)
        return TensorSequenceLengthPair(
            transformation_cache.get(self, state_manager), lengths_of(ids)
        )


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Return a column of how often each id is there."""
    return IndicatorColumn(categorical_column)


class EmbeddingColumn(
    DenseColumn,
    namedtuple(
        "EmbeddingColumn",
        (
            "categorical_column",
            "dimension",
            "combiner",
            "initializer",
            "ckpt_to_load_from",
            "tensor_name_in_ckpt",
            "max_norm",
            "trainable",
            "use_safe_embedding_lookup",
        ),
    ),
):
    """Vectors of ids, learned; several ids of a case combined."""

    __lt__ = FeatureColumn.__lt__

    @property
    def name(self) -> str:
        """The name of the ids, and that they are vectors."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What the ids parse."""
        spec: dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    @property
    def variable_shape(self) -> Any:
        """The length of a vector."""
        return tf.TensorShape([self.dimension])

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the ids."""
        return transformation_cache.get(self.categorical_column, state_manager)

    def _weights(self, collections: Any, trainable: bool) -> Any:
        return make_embeddings(
            self, self.categorical_column.num_buckets, collections, trainable and self.trainable
        )

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the vectors; `state_manager` says where variables are kept."""
        collections, trainable = state_manager or (None, True)
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, None)
        embeddings = self._weights(collections, trainable)
        return tf.nn.safe_embedding_lookup_sparse(
            embeddings,
            ids,
            sparse_weights=weights,
            combiner=self.combiner,
            max_norm=self.max_norm,
            name=f"{self.name}_weights",
        )

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any = None
    ) -> Any:
        """Return the vectors of each step, and the lengths."""
        ids, _ = self.categorical_column.get_sparse_tensors(transformation_cache, None)
        return TensorSequenceLengthPair(
            self.get_dense_tensor(transformation_cache, state_manager), lengths_of(ids)
        )


def make_embeddings(column: Any, rows: int, collections: Any, trainable: bool) -> Any:
    """Return the variable of a column's vectors."""
    kept = list(collections or ())
    if GraphKeys.GLOBAL_VARIABLES not in kept:
        kept.append(GraphKeys.GLOBAL_VARIABLES)
    made = get_variable(
        "embedding_weights",
        [rows, column.dimension],
        tf.float32,
        initializer=column.initializer,
        trainable=trainable,
        collections=kept,
    )
    if column.ckpt_to_load_from is not None:
        init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: made})
    return made


def _checked(dimension: Any, initializer: Any, checkpoint: Any, name: Any) -> Any:
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (name is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.")
    if initializer is None:
        return TruncatedNormal(0.0, 1 / math.sqrt(dimension))
    return initializer


def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Return a column of vectors of ids."""
    start = _checked(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        start,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )


class SharedEmbeddingColumn(
    DenseColumn,
    namedtuple(
        "SharedEmbeddingColumn",
        (
            "categorical_column",
            "dimension",
            "combiner",
            "initializer",
            "shared_embedding_collection_name",
            "ckpt_to_load_from",
            "tensor_name_in_ckpt",
            "max_norm",
            "trainable",
            "use_safe_embedding_lookup",
        ),
    ),
):
    """Vectors of ids that several columns share."""

    __lt__ = FeatureColumn.__lt__

    @property
    def name(self) -> str:
        """The name of the ids, and that their vectors are shared."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def _var_scope_name(self) -> str:
        scope_name: str = self.shared_embedding_collection_name
        return scope_name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What the ids parse."""
        spec: dict[str, Any] = self.categorical_column.parse_example_spec
        return spec

    @property
    def variable_shape(self) -> Any:
        """The length of a vector."""
        return tf.TensorShape([self.dimension])

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the ids."""
        return transformation_cache.get(self.categorical_column, state_manager)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the vectors; the first column of those that share them makes the variable."""
        collections, trainable = state_manager or (None, True)
        ids, weights = self.categorical_column.get_sparse_tensors(transformation_cache, None)
        shared = get_collection(self.shared_embedding_collection_name)
        if shared:
            if len(shared) > 1:
                raise ValueError(
                    f"Collection {shared} can only contain one variable. Suggested fix A: Choose "
                    "a unique name for this collection. Suggested fix B: Do not add any variables "
                    "to this collection. The feature_column library already adds a variable under "
                    "the hood."
                )
            embeddings = shared[0]
        else:
            rows = self.categorical_column.num_buckets
            embeddings = make_embeddings(self, rows, collections, trainable and self.trainable)
            add_to_collection(self.shared_embedding_collection_name, embeddings)
        return tf.nn.safe_embedding_lookup_sparse(
            embeddings,
            ids,
            sparse_weights=weights,
            combiner=self.combiner,
            max_norm=self.max_norm,
            name=f"{self.name}_weights",
        )

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any = None
    ) -> Any:
        """Return the vectors of each step, and the lengths."""
        ids, _ = self.categorical_column.get_sparse_tensors(transformation_cache, None)
        return TensorSequenceLengthPair(
            self.get_dense_tensor(transformation_cache, state_manager), lengths_of(ids)
        )


def shared_embedding_columns(
    categorical_columns: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Return columns whose ids share their vectors."""
    start = _checked(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    ordered = sorted(categorical_columns, key=lambda column: column.name)
    counts = {getattr(each, "categorical_column", each).num_buckets for each in ordered}
    if len(counts) > 1:
        raise ValueError(
            "To use shared_embedding_column, all categorical_columns must have the same number of "
            f"buckets. Given: {sorted(counts)}"
        )
    for each in ordered:
        if not isinstance(each, CategoricalColumn):
            raise ValueError(f"All categorical_columns must be categorical. Given: {each}")
    name = shared_embedding_collection_name
    if not name:
        name = "_".join(each.name for each in ordered) + "_shared_embedding"
    return [
        SharedEmbeddingColumn(
            each,
            dimension,
            combiner,
            start,
            name,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
            use_safe_embedding_lookup,
        )
        for each in categorical_columns
    ]


def lengths_of(ids: Any) -> Any:
    """Return how many steps each case of sparse ids has."""
    indices = ids.indices
    steps = tf.math.segment_max(indices[:, 1], indices[:, 0]) + 1
    missing = tf.nn.relu(
        tf.cast(tf.shape(ids, out_type=tf.int64)[0], tf.int64)
        - tf.shape(steps, out_type=tf.int64)[0]
    )
    return tf.concat([tf.cast(steps, tf.int64), tf.zeros([missing], tf.int64)], 0)
