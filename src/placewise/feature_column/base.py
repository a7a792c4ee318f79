"""What feature columns share: how a raw feature becomes a tensor, and which columns made it."""

from __future__ import annotations

import re
from collections import namedtuple
from typing import Any

import placewise as tf
from placewise.core.errors import hint

IdWeightPair = namedtuple("IdWeightPair", ("id_tensor", "weight_tensor"))
TensorSequenceLengthPair = namedtuple(
    "TensorSequenceLengthPair", ("dense_tensor", "sequence_length")
)


class FeatureColumn:
    """Says how a feature is read and what it becomes."""

    @property
    def name(self) -> str:
        """The name, from which variables take theirs."""
        raise NotImplementedError

    @property
    def parents(self) -> list[Any]:
        """The columns or features it is made of."""
        return []

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What to parse from a tf.train.Example."""
        raise NotImplementedError

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.parse_example_spec

    @property
    def _var_scope_name(self) -> str:
        return self.name

    def transform_feature(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return what the feature becomes."""
        raise NotImplementedError

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)


class DenseColumn(FeatureColumn):
    """A column that becomes numbers, a fixed count for each case."""

    @property
    def variable_shape(self) -> Any:
        """The shape of what one case becomes."""
        raise NotImplementedError

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the numbers of all cases."""
        raise NotImplementedError


class CategoricalColumn(FeatureColumn):
    """A column that becomes ids, any count for each case."""

    @property
    def num_buckets(self) -> int:
        """How many different ids there are."""
        raise NotImplementedError

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any = None) -> Any:
        """Return the ids and their weights, as sparse tensors."""
        return IdWeightPair(transformation_cache.get(self, state_manager), None)


class FeatureTransformationCache:
    """Features by key and by column, each transformed once."""

    def __init__(self, features: dict[str, Any]) -> None:
        self._features = dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any = None) -> Any:
        """Return a feature by its key, or what a column makes of its own."""
        if key in self._made:
            return self._made[key]
        if isinstance(key, str):
            if key not in self._features:
                raise ValueError(f"Feature {key} is not in features dictionary.")
            made = self._raw(key)
        elif isinstance(key, FeatureColumn):
            made = key.transform_feature(self, state_manager)
        else:
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        if made is None:
            raise ValueError(f"Column {key.name} is not supported.")
        self._made[key] = made
        return made

    def _raw(self, key: str) -> Any:
        given = self._features[key]
        if isinstance(given, tf.SparseTensor):
            return given
        tensor = tf.convert_to_tensor(given)
        if tensor.shape.rank == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
        return tf.expand_dims(tensor, -1) if tensor.shape.rank == 1 else tensor


def sparse_of(tensor: Any, ignored: Any = None) -> Any:
    """Return what is there in a dense tensor as a sparse one; '' and -1 count as absent."""
    if isinstance(tensor, tf.SparseTensor):
        return tensor
    tensor = tf.convert_to_tensor(tensor)
    if ignored is None:
        ignored = "" if tensor.dtype == tf.string else -1
    there = tf.not_equal(
        tensor,
        tf.cast(tf.constant(ignored), tensor.dtype) if tensor.dtype != tf.string else ignored,
    )
    indices = tf.where(there)
    return tf.SparseTensor(
        indices, tf.gather_nd(tensor, indices), tf.shape(tensor, out_type=tf.int64)
    )


def scope_of(name: str) -> str:
    """Return a name that a scope may have."""
    return re.sub(r"[^A-Za-z0-9_.\\/>-]", "_", name)


def check_key(key: Any) -> None:
    """Refuse a key that is no text."""
    if not isinstance(key, str):
        raise ValueError(
            hint(
                f"key must be a string. Got: type {type(key)}. Given key: {key}.",
                "pass the name of a feature: numeric_column('age')",
            )
        )


def check_kind(dtype: Any, name: str) -> Any:
    """Return the dtype of a categorical feature: text or whole numbers."""
    kind = tf.as_dtype(dtype)
    if kind != tf.string and not kind.is_integer:
        raise ValueError(f"{name} must be string or integer. dtype: {kind}.")
    return kind
