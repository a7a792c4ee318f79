"""`tf.tpu.experimental.embedding` on machines without TPUs: tables, and looking ids up in them.

Making a `TPUStrategy` raises (`distribute/tpu.py`), so what TensorFlow allows only under one
raises here with its words. What it allows on CPUs works.
"""

from __future__ import annotations

import functools
from typing import Any

from placewise.core import dtypes, nest, nest_paths
from placewise.core.log import get_logger
from placewise.core.shapes import TensorShape
from placewise.core.tensor import Tensor
from placewise.core.trackable import AutoTrackable
from placewise.distribute.context import get_strategy
from placewise.distribute.embedding_configs import Optimizer, TableConfig
from placewise.ops.array.creation import ones_like
from placewise.ops.array.scatter import scatter_nd
from placewise.ops.array.shape import expand_dims, reshape, shape
from placewise.ops.flow.context import init_scope
from placewise.ops.math.division import divide_no_nan
from placewise.ops.math.exponential import sqrt
from placewise.ops.math.reduction import reduce_sum
from placewise.ops.nn.embedding import (
    embedding_lookup,
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
)
from placewise.ops.ragged.ragged_tensor import RaggedTensor
from placewise.ops.sparse.arrangement import slice as sparse_slice
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.state.variable import Variable


class _Tables(AutoTrackable):
    """The tables of some features, each a variable that is made on first use."""

    _feature_config: Any
    _table_config: list[TableConfig]
    _variables: dict[str, dict[str, Any]]

    def __init__(self, feature_config: Any, optimizer: Any) -> None:
        tables: list[TableConfig] = []
        for feature in nest.flatten(feature_config):
            if feature.table not in tables:
                tables.append(feature.table)
        names: set[str] = set()
        for number, table in enumerate(tables):
            table.optimizer = table.optimizer or optimizer
            if table.optimizer is not None and not isinstance(table.optimizer, Optimizer):
                raise ValueError(
                    f"{type(table.optimizer)} is an unsupported optimizer class. Please pass an "
                    "instance of one of the optimizer classes under tf.tpu.experimental.embedding."
                )
            table.name = table.name or f"table_{number}"
            if table.name in names:
                raise ValueError(
                    f"Tables must have a unique name. Multiple tables with name {table.name} found."
                )
            names.add(table.name)
        # Not by attribute: configs are no part of a checkpoint, and variables have names of theirs.
        self.__dict__["_feature_config"] = feature_config
        self.__dict__["_table_config"] = tables
        self.__dict__["_variables"] = {}

    def build(self) -> None:
        """Make the tables, and what their optimizers keep beside them."""
        if not self._variables:
            with init_scope():
                for table in self._table_config:
                    self._variables[str(table.name)] = self._made(table)

    def _made(self, table: TableConfig) -> dict[str, Any]:
        shape = (table.vocabulary_size, table.dim)

        def variable(name: str, initializer: Any, trainable: bool = False) -> Any:
            # Tracked under its name, so that a checkpoint restored before now fills it.
            return self._add_variable_with_custom_getter(
                name=name,
                shape=shape,
                dtype=dtypes.float32,
                initializer=initializer,
                trainable=trainable,
                getter=_variable,
            )

        parameters = variable(str(table.name), table.initializer, True)
        beside = {}
        if table.optimizer is not None:
            beside = table.optimizer._create_slots(
                parameters, lambda name, first: variable(f"{table.name}/{name}", first)
            )
        return {**beside, "parameters": parameters}

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        """The variables of each table, by the table's name and then by their own."""
        self.build()
        return dict(self._variables)

    @property
    def embedding_tables(self) -> dict[TableConfig, Any]:
        """The variable that holds each table."""
        self.build()
        return {
            table: self._variables[str(table.name)]["parameters"] for table in self._table_config
        }


def _variable(name: str, shape: Any, dtype: Any, initializer: Any, trainable: bool) -> Any:
    first = functools.partial(initializer, shape, dtype=dtype)
    return Variable(first, name=name, shape=shape, dtype=dtype, trainable=trainable)


class TPUEmbeddingForServing(_Tables):
    """Embedding tables on CPUs and GPUs: tables that are looked up, trained and saved."""

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any,
        experimental_sparsecore_restore_info: Any = None,
    ) -> None:
        super().__init__(feature_config, optimizer)

    def __call__(self, features: Any, weights: Any = None) -> Any:
        """Return the rows of the tables that the features name."""
        return self.embedding_lookup(features, weights)

    def embedding_lookup(self, features: Any, weights: Any = None) -> Any:
        """Return the rows of the tables that the features name, combined where there are several.

        `features`: tensors, sparse or ragged tensors in the structure of the feature configs.
        `weights`: of each id, for sparse and ragged features.
        """
        return serving_embedding_lookup(
            features, weights, self.embedding_tables, self._feature_config
        )


class TPUEmbedding(_Tables):
    """The tables of TPUs, outside of a TPUStrategy: they can be restored, read and saved."""

    def __init__(
        self,
        feature_config: Any,
        optimizer: Any,
        pipeline_execution_with_tensor_core: bool = False,
    ) -> None:
        super().__init__(feature_config, optimizer)

    def build(
        self, per_replica_input_shapes: Any = None, per_replica_batch_size: int | None = None
    ) -> None:
        """Make the tables; shapes only matter to TPUs."""
        super().build()

    def _refuse(self, method: str) -> RuntimeError:
        return RuntimeError(
            f"{method} is not valid when TPUEmbedding object is not created under a TPUStrategy."
        )

    def enqueue(
        self,
        features: Any,
        weights: Any = None,
        training: bool = True,
        name: str | None = None,
        device: str | None = None,
    ) -> Any:
        """Send features to a TPU."""
        raise self._refuse("enqueue")

    def dequeue(self, name: str | None = None) -> Any:
        """Return what a TPU looked up."""
        raise self._refuse("dequeue")

    def apply_gradients(self, gradients: Any, name: str | None = None) -> Any:
        """Send gradients to a TPU."""
        raise self._refuse("apply_gradients")


class TPUEmbeddingV0(_Tables):
    """The tables of TPUs without embedding hardware: allowed only under a TPUStrategy."""

    def __init__(self, feature_config: Any, optimizer: Any) -> None:
        raise RuntimeError(
            f"TPUEmbeddingV0 should be created under TPUStrategy but found {get_strategy()}."
        )


def serving_embedding_lookup(inputs: Any, weights: Any, tables: Any, feature_config: Any) -> Any:
    """Return rows of tables for a structure of features.

    `inputs`: tensors, sparse or ragged tensors of ids. `weights`: None, or the weight of each id.
    `tables`: variables by TableConfig. `feature_config`: a FeatureConfig for each input.
    """
    flat = nest_paths.flatten_with_joined_string_paths(inputs)
    configs = dict(nest_paths.flatten_with_joined_string_paths(feature_config))
    flat_weights: list[Any] = [None] * len(flat)
    if weights is not None:
        nest.assert_same_structure(inputs, weights)
        flat_weights = nest.flatten(weights)
    if unknown := {path for path, _ in flat} - set(configs):
        raise ValueError(
            "Inputs are not a subset of feature_config. Inputs keys are "
            f"{ {path for path, _ in flat} }, but feature_config keys are {configs.keys()}; "
            f"there is no config for {sorted(unknown)}"
        )
    rows = [
        _looked_up(path, ids, weight, tables[configs[path].table], configs[path])
        for (path, ids), weight in zip(flat, flat_weights, strict=True)
    ]
    return nest.pack_sequence_as(inputs, rows)


def _looked_up(path: str, ids: Any, weights: Any, table: Any, feature: Any) -> Any:
    _check(path, ids, weights, feature)
    if isinstance(ids, SparseTensor):
        return _sparse(ids, weights, table, feature)
    if isinstance(ids, RaggedTensor):
        return _ragged(ids, weights, table, feature)
    return embedding_lookup(table, ids)


def _check(path: str, ids: Any, weights: Any, feature: Any) -> None:
    if not isinstance(ids, (Tensor, SparseTensor, RaggedTensor)):
        raise ValueError(
            f"Input {path} is type {type(ids)}. Tensor, SparseTensor or RaggedTensor expected."
        )
    is_sequence = feature.max_sequence_length > 0
    if isinstance(ids, Tensor):
        if weights is not None:
            raise ValueError(f"Weight specified for {path}, but input is dense.")
        if is_sequence:
            raise ValueError(f"Feature {path} is a sequence feature but a dense tensor was passed.")
    elif weights is not None and type(weights) is not type(ids):
        raise ValueError(
            f"Weight for {path} is of type {type(weights)} but it does not match type of the "
            f"input which is {type(ids)}."
        )
    elif weights is not None and is_sequence:
        raise ValueError(f"Weight specified for {path}, but this is a sequence feature.")


def _sparse(ids: Any, weights: Any, table: Any, feature: Any) -> Any:
    rank, combiner = ids.shape.rank, feature.table.combiner
    if feature.max_sequence_length > 0 and not feature.output_shape and rank in (None, 2):
        length, batch = feature.max_sequence_length, shape(ids, out_type=dtypes.int64)[0]
        taken = sparse_slice(ids, [0, 0], [batch, length])
        rows = embedding_lookup(table, taken.values)
        return scatter_nd(taken.indices, rows, [batch, length, feature.table.dim])
    if feature.max_sequence_length > 0:
        get_logger().warning(
            "max_sequence_length setting will be ignored because the rank of the input tensor is "
            "%s which is not 2.",
            rank,
        )
    if not feature.validate_weights_and_indices and rank is not None and rank <= 2:
        return embedding_lookup_sparse(table, ids, weights, combiner)
    return safe_embedding_lookup_sparse(table, ids, weights, combiner)


def _ragged(ids: Any, weights: Any, table: Any, feature: Any) -> Any:
    if ids.shape.rank != 2:
        raise ValueError(f"Only rank 2 ragged tensor is supported, but got rank {ids.shape.rank}")
    width, batch = feature.table.dim, ids.shape[0]
    sizes = feature.output_shape.as_list() if feature.output_shape.rank else None
    if sizes is None and feature.max_sequence_length > 0:
        return embedding_lookup(table, ids).to_tensor(
            shape=[batch, feature.max_sequence_length, width]
        )
    if sizes is None:
        return _combined(ids, weights, table, feature.table.combiner)
    count = TensorShape(sizes).num_elements()
    if count == batch:
        rows = _combined(ids, weights, table, feature.table.combiner)
    elif batch and count is not None and count % batch == 0:
        rows = embedding_lookup(table, ids).to_tensor(shape=[batch, count // batch, width])
    else:
        raise ValueError(
            "Output shape set in the FeatureConfig should be the factor of the input data batch "
            f"size. But instead got output shape {feature.output_shape}, input data batch size "
            f"{batch}"
        )
    return reshape(rows, [*sizes, width])


def _combined(ids: Any, weights: Any, table: Any, combiner: str) -> Any:
    """Return the weighted sum of each row's vectors; a row without ids gets zeros."""
    if weights is None:
        weights = ones_like(ids, dtype=table.dtype)
    weights = expand_dims(weights, axis=2)
    total = reduce_sum(embedding_lookup(table, ids) * weights, axis=1)
    if combiner == "sum":
        return total
    if combiner == "mean":
        return divide_no_nan(total, reduce_sum(weights, axis=1))
    return divide_no_nan(total, sqrt(reduce_sum(weights * weights, axis=1)))
