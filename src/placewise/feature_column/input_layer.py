"""Features through columns: as the input of a network, as a linear model, as what to parse."""

from __future__ import annotations

from typing import Any

import placewise as tf
from placewise.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    FeatureTransformationCache,
    scope_of,
)
from placewise.feature_column.sequences import SequenceCategoricalColumn
from placewise.graph.collections import GraphKeys, global_variables
from placewise.graph.initializers import Zeros
from placewise.graph.variable_scope import get_variable, variable_scope


def _normalized(feature_columns: Any) -> list[Any]:
    """Return columns as a list; refuse what is none, and two of the same name."""
    if isinstance(feature_columns, FeatureColumn):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    columns = list(feature_columns)
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    names: dict[str, Any] = {}
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a _FeatureColumn. Given (type {type(column)}): "
                f"{column}."
            )
        if column.name in names:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{names[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        names[column.name] = column
    return columns


def input_layer(
    features: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
    cols_to_output_tensors: Any = None,
) -> Any:
    """Return all features as one matrix, columns in the order of their names."""
    columns = _normalized(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical "
                f"column with an embedding_column or indicator_column. Given: {column}"
            )
        _refuse_sequences(column)
    collections = _collections(weight_collections)
    cache = FeatureTransformationCache(features)
    outputs = []
    with variable_scope(None, default_name="input_layer", values=features.values()):
        for column in sorted(columns, key=lambda each: each.name):
            with variable_scope(None, default_name=scope_of(column._var_scope_name)):
                before = _known()
                tensor = column.get_dense_tensor(cache, (collections, trainable))
                width = column.variable_shape.num_elements()
                flat = tf.reshape(tensor, [tf.shape(tensor)[0], width])
                outputs.append(flat)
                if cols_to_vars is not None:
                    cols_to_vars[column] = [v for v in _variables() if id(v) not in before]
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = flat
        return tf.concat(outputs, 1)


def _refuse_sequences(column: Any) -> None:
    inner = getattr(column, "categorical_column", None)
    if isinstance(inner, SequenceCategoricalColumn):
        raise ValueError(
            f"In embedding_column: {column.name}. categorical_column must not be of type "
            "_SequenceCategoricalColumn. Suggested fix A: If you wish to use input_layer, use a "
            "non-sequence categorical_column_with_*. Suggested fix B: If you wish to create "
            "sequence input, use sequence_input_layer instead of input_layer. Given (type "
            f"{type(inner)}): {inner}"
        )


def _variables() -> list[Any]:
    return global_variables()


def _known() -> set[int]:
    return {id(each) for each in _variables()}


def _collections(given: Any) -> list[Any]:
    kept = list(given or [])
    if GraphKeys.GLOBAL_VARIABLES not in kept:
        kept.append(GraphKeys.GLOBAL_VARIABLES)
    if GraphKeys.MODEL_VARIABLES not in kept:
        kept.append(GraphKeys.MODEL_VARIABLES)
    return kept


def linear_model(
    features: Any,
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
) -> Any:
    """Return a weighted sum of all features, plus a bias."""
    columns = _normalized(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn | CategoricalColumn):
            raise ValueError(
                "Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. "
                f"Given: {column}"
            )
    collections = _collections(weight_collections)
    cache = FeatureTransformationCache(features)
    sums = []
    with variable_scope(None, default_name="linear_model", values=features.values()):
        for column in sorted(columns, key=lambda each: each.name):
            with variable_scope(None, default_name=scope_of(column._var_scope_name)):
                total, made = _weighted(
                    column, cache, units, sparse_combiner, collections, trainable
                )
            sums.append(total)
            if cols_to_vars is not None:
                cols_to_vars[column] = made
        bias = get_variable(
            "bias_weights",
            [units],
            tf.float32,
            initializer=Zeros(),
            trainable=trainable,
            collections=collections,
        )
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
        together = tf.add_n(sums, name="weighted_sum_no_bias") if len(sums) > 1 else sums[0]
        return tf.nn.bias_add(together, bias, name="weighted_sum")


def _weighted(
    column: Any, cache: Any, units: int, combiner: str, collections: Any, trainable: bool
) -> tuple[Any, list[Any]]:
    def weights(rows: int) -> Any:
        return get_variable(
            "weights",
            [rows, units],
            tf.float32,
            initializer=Zeros(),
            trainable=trainable,
            collections=collections,
        )

    if isinstance(column, CategoricalColumn):
        ids, factors = column.get_sparse_tensors(cache, None)
        rows = tf.shape(ids, out_type=tf.int64)[0]
        flat = tf.sparse.reshape(ids, tf.stack([rows, tf.constant(-1, tf.int64)]))
        if factors is not None:
            factors = tf.sparse.reshape(factors, tf.stack([rows, tf.constant(-1, tf.int64)]))
        made = weights(column.num_buckets)
        total = tf.nn.safe_embedding_lookup_sparse(
            made, flat, sparse_weights=factors, combiner=combiner, name="weighted_sum"
        )
        return total, [made]
    before = _known()
    tensor = column.get_dense_tensor(cache, (collections, trainable))
    width = column.variable_shape.num_elements()
    tensor = tf.reshape(tensor, [tf.shape(tensor)[0], width])
    made = weights(width)
    total = tf.matmul(tensor, made, name="weighted_sum")
    return total, [each for each in _variables() if id(each) not in before]


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """Return what to parse from tf.train.Example for these columns."""
    spec: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be _FeatureColumn instances. Given: {column}"
            )
        for key, value in column.parse_example_spec.items():
            if key in spec and spec[key] != value:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given "
                    f"{spec[key]} and {value}"
                )
            spec[key] = value
    return spec


def sequence_input_layer(
    features: Any, feature_columns: Any, weight_collections: Any = None, trainable: bool = True
) -> Any:
    """Return all features of each step as one tensor, and the lengths of the sequences."""
    columns = _normalized(feature_columns)
    for column in columns:
        if not hasattr(column, "get_sequence_dense_tensor"):
            raise ValueError(
                f"All feature_columns must be of type _SequenceDenseColumn. Given: {column}"
            )
    collections = _collections(weight_collections)
    cache = FeatureTransformationCache(features)
    outputs, lengths = [], None
    with variable_scope(None, default_name="sequence_input_layer", values=features.values()):
        for column in sorted(columns, key=lambda each: each.name):
            with variable_scope(None, default_name=scope_of(column._var_scope_name)):
                found = column.get_sequence_dense_tensor(cache, (collections, trainable))
                tensor, lengths = found
                width = column.variable_shape.num_elements()
                sizes = tf.shape(tensor)
                outputs.append(tf.reshape(tensor, [sizes[0], sizes[1], width]))
        return tf.concat(outputs, -1), lengths
