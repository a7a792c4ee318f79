"""What may be asked of an example: how each feature of it becomes a tensor."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

from placewise.core import dtypes
from placewise.core.dtypes import INDEX, DType, as_dtype
from placewise.core.shapes import TensorShape, as_shape
from placewise.core.tensor import Tensor
from placewise.ops.array.shape import reshape
from placewise.ops.convert import convert_to_tensor


class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """A feature of any number of values, which becomes a sparse tensor."""

    __slots__ = ()


class FixedLenFeature(
    namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None])
):
    """How to parse a feature that has the same number of values in every example.

    `shape`: the shape of the feature in one example; [] for a single value.
    `dtype`: float32, int64 or string.
    `default_value`: what to take where the feature is missing. Without it, that is an error.

    >>> example = tf.train.Example()
    >>> example.features.feature["age"].int64_list.value.append(7)
    >>> spec = {"age": tf.io.FixedLenFeature([], tf.int64)}
    >>> int(tf.io.parse_single_example(example.SerializeToString(), spec)["age"])
    7
    """

    __slots__ = ()


class FixedLenSequenceFeature(
    namedtuple(
        "FixedLenSequenceFeature",
        ["shape", "dtype", "allow_missing", "default_value"],
        defaults=[False, None],
    )
):
    """A feature of any number of pieces of one shape, filled up to the longest of a batch."""

    __slots__ = ()


class SparseFeature(
    namedtuple(
        "SparseFeature",
        ["index_key", "value_key", "dtype", "size", "already_sorted"],
        defaults=[False],
    )
):
    """Values and their indices in two (or more) features, which become one sparse tensor."""

    __slots__ = ()


# What the values of a feature of a tf.train.Example can be.
_VALUES = (dtypes.int64, dtypes.float32, dtypes.string)


class RaggedFeature(
    namedtuple(
        "RaggedFeature", ["dtype", "value_key", "partitions", "row_splits_dtype", "validate"]
    )
):
    """A feature of any number of values, which becomes a ragged tensor.

    `partitions` name further features that cut the values into rows, from outside to inside.
    """

    __slots__ = ()

    RowSplits = namedtuple("RowSplits", ["key"])
    RowLengths = namedtuple("RowLengths", ["key"])
    RowStarts = namedtuple("RowStarts", ["key"])
    RowLimits = namedtuple("RowLimits", ["key"])
    ValueRowIds = namedtuple("ValueRowIds", ["key"])
    UniformRowLength = namedtuple("UniformRowLength", ["length"])

    def __new__(
        cls,
        dtype: DType,
        value_key: str | None = None,
        partitions: Sequence[Any] = (),
        row_splits_dtype: DType = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        """Check what is asked for."""
        if value_key == "":
            raise ValueError("Argument `value_key` must not be empty")
        if not isinstance(value_key, str | None):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
        values, splits = as_dtype(dtype), as_dtype(row_splits_dtype)
        if values not in _VALUES:
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {values!r}")
        if splits not in INDEX:
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{splits!r}")
        cuts = cls._check_partitions(partitions)
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {validate!r}")
        return super().__new__(cls, values, value_key, cuts, splits, validate)

    @classmethod
    def _check_partitions(cls, partitions: Any) -> tuple[Any, ...]:
        if not isinstance(partitions, list | tuple):
            raise TypeError(
                "Argument `partitions` must be a list or tuple. Receivedpartitions="
                f"{partitions} of type {type(partitions).__name__}."
            )
        rows = (cls.RowSplits, cls.RowLengths, cls.RowStarts, cls.RowLimits)
        kinds = (*rows, cls.ValueRowIds, cls.UniformRowLength)
        wrong = next((cut for cut in partitions if not isinstance(cut, kinds)), None)
        if wrong is not None:
            raise TypeError(
                "Argument `partitions` cannot be cast to any of the partition types in "
                f"{kinds}; got: {wrong!r} with type {type(wrong)}"
            )
        return tuple(partitions)


@dataclasses.dataclass
class Request:
    """The keys to look up, sorted by what they become, with their dtypes, shapes and defaults."""

    sparse_keys: list[str] = dataclasses.field(default_factory=list)
    sparse_types: list[Any] = dataclasses.field(default_factory=list)
    dense_keys: list[str] = dataclasses.field(default_factory=list)
    dense_types: list[Any] = dataclasses.field(default_factory=list)
    dense_shapes: list[TensorShape] = dataclasses.field(default_factory=list)
    dense_defaults: dict[str, Any] = dataclasses.field(default_factory=dict)
    ragged_keys: list[str] = dataclasses.field(default_factory=list)
    ragged_types: list[Any] = dataclasses.field(default_factory=list)
    ragged_split_types: list[Any] = dataclasses.field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """All keys, in the order of the results."""
        return self.sparse_keys + self.dense_keys + self.ragged_keys

    def shapes(self) -> tuple[Any, ...]:
        """The shapes of the dense features as tuples."""
        return tuple(tuple(shape.as_list()) for shape in self.dense_shapes)

    def defaults(self) -> list[Any]:
        """The defaults of the dense features as tensors; empty ones where there are none."""
        return [
            self._default(key, shape, dtype)
            for key, shape, dtype in zip(
                self.dense_keys, self.dense_shapes, self.dense_types, strict=True
            )
        ]

    def _default(self, key: str, shape: TensorShape, dtype: DType) -> Any:
        given = self.dense_defaults.get(key)
        if shape.rank and shape[0] is None:  # what a batch is filled up with
            if given is None:
                return convert_to_tensor("" if dtype is dtypes.string else 0, dtype)
            return reshape(convert_to_tensor(given, dtype), [])
        if given is None:
            return convert_to_tensor([], dtype)
        if isinstance(given, Tensor):
            return given
        return reshape(convert_to_tensor(given, dtype), shape.as_list())

    def _add_sparse(self, key: str, dtype: DType) -> None:
        dtype = as_dtype(dtype)
        if key not in self.sparse_keys:
            self.sparse_keys.append(key)
            self.sparse_types.append(dtype)
        elif self.sparse_types[self.sparse_keys.index(key)] is not dtype:
            before = self.sparse_types[self.sparse_keys.index(key)]
            raise ValueError(f"Conflicting type {before} vs {dtype} for feature {key}.")

    def _add_ragged(self, key: str, dtype: DType, split_type: DType) -> None:
        if key not in self.ragged_keys:
            self.ragged_keys.append(key)
            self.ragged_types.append(dtype)
            self.ragged_split_types.append(split_type)
            return
        place = self.ragged_keys.index(key)
        if self.ragged_types[place] is not dtype:
            raise ValueError(
                f"Conflicting type {self.ragged_types[place]} vs {dtype} for feature {key}."
            )
        if self.ragged_split_types[place] is not split_type:
            raise ValueError(
                f"Conflicting partition type {self.ragged_split_types[place]} vs {split_type} for "
                f"feature {key}."
            )

    def _add_dense(self, key: str, feature: Any) -> None:
        shape = as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            if shape.rank and shape[0] is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using "
                    f"FixedLenSequenceFeature. Received feature={feature}."
                )
            if not shape.is_fully_defined():
                raise ValueError(
                    f"All dimensions of shape for feature {key} need to be known but received "
                    f"{feature.shape!s}."
                )
        self.dense_keys.append(key)
        self.dense_shapes.append(shape)
        self.dense_types.append(as_dtype(feature.dtype))
        if isinstance(feature, FixedLenSequenceFeature) and feature.allow_missing:
            self.dense_defaults[key] = None
        if feature.default_value is not None:
            self.dense_defaults[key] = feature.default_value

    def add(self, key: str, feature: Any) -> None:
        """Add what one feature needs."""
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            if not feature.index_key:
                raise ValueError(f"Missing index_key for SparseFeature {feature}.")
            if not feature.value_key:
                raise ValueError(f"Missing value_key for SparseFeature {feature}.")
            index_keys = feature.index_key
            for each in sorted([index_keys] if isinstance(index_keys, str) else index_keys):
                self._add_sparse(each, dtypes.int64)
            self._add_sparse(feature.value_key, feature.dtype)
        elif isinstance(feature, RaggedFeature):
            self._add_ragged(feature.value_key or key, feature.dtype, feature.row_splits_dtype)
            for partition in feature.partitions:
                if not isinstance(partition, RaggedFeature.UniformRowLength):
                    self._add_ragged(partition.key, dtypes.int64, feature.row_splits_dtype)
        else:
            if feature.shape is None:
                raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
            self._add_dense(key, feature)

    def check(self) -> None:
        """Raise ValueError if a key is wanted in two ways."""
        kinds = {"Dense": self.dense_keys, "sparse": self.sparse_keys, "ragged": self.ragged_keys}
        for first, second in (("Dense", "sparse"), ("Dense", "ragged"), ("ragged", "sparse")):
            both = set(kinds[first]) & set(kinds[second])
            if both:
                raise ValueError(
                    f"{first.capitalize()} and {second} keys must not intersect; "
                    f"{first.lower()}_keys: {kinds[first]}, {second}_keys: {kinds[second]}, "
                    f"intersection: {both}"
                )


def request_of(features: Any, kinds: tuple[type, ...]) -> Request:
    """Return what a dictionary of features asks for; only `kinds` of them may be in it."""
    if features and not isinstance(features, Mapping):
        raise TypeError(f"Features must be a dictionary, got {features!r}")
    request = Request()
    for key in sorted(features or ()):
        feature = features[key]
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
        request.add(key, feature)
    request.check()
    return request
