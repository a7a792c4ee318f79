"""Serialized `tf.train.Example` messages parsed into tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from placewise import messages, native
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Dims, Static
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.io.composites import composed, ragged_of
from placewise.ops.io.feature_values import (
    FEATURE_TYPES,
    LISTS,
    NUMPY,
    WORDS,
    as_array,
    check_types,
    empty,
    found,
    joined,
    padded,
    sparse_of,
    sparse_parts,
    splits,
)
from placewise.ops.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    Request,
    SparseFeature,
    VarLenFeature,
    request_of,
)
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.strings.contents import strings
from placewise.ops.values import Content, c_name, dtype_of, from_numpy, to_numpy

_parse = define(
    "ParseExampleV2(serialized: string, names: string, sparse_keys: string, dense_keys: string,"
    " ragged_keys: string, dense_defaults: [Tdense]; num_sparse: int >= 0,"
    " sparse_types: list(type),"
    " ragged_value_types: list(type), ragged_split_types: list(type), dense_shapes: list(shape))"
    " -> sparse_indices: num_sparse*int64, sparse_values: [sparse_types],"
    " sparse_shapes: num_sparse*int64, dense_values: [Tdense],"
    " ragged_values: [ragged_value_types], ragged_row_splits: [ragged_split_types]",
    devices=("CPU",),
    differentiable=False,
    doc="Return the features of serialized examples: sparse, dense and ragged ones.",
    sparse_types=FEATURE_TYPES,
    ragged_value_types=FEATURE_TYPES,
    ragged_split_types=INDEX,
)


@_parse.shape
def parse_example_shape(
    serialized: Static,
    names: Static,
    sparse_keys: Static,
    dense_keys: Static,
    ragged_keys: Static,
    dense_defaults: list[Static],
    *,
    num_sparse: int,
    sparse_types: tuple[Any, ...],
    ragged_value_types: tuple[Any, ...],
    ragged_split_types: tuple[Any, ...],
    dense_shapes: tuple[Any, ...],
) -> list[Any]:
    if num_sparse != len(sparse_types):
        raise ValueError("len(sparse_keys) != len(sparse_types)")
    rank = None if serialized.shape is None else len(serialized.shape) + 1
    heads = serialized.shape
    dense: list[Dims] = [
        None if heads is None or shape is None else (*heads, *_dims(shape))
        for shape in dense_shapes
    ]
    return [
        [(None, rank)] * num_sparse,
        [(None,)] * num_sparse,
        [(rank,)] * num_sparse,
        dense,
        [(None,)] * len(ragged_value_types),
        [(None,)] * len(ragged_split_types),
    ]


def _dims(shape: tuple[Any, ...]) -> tuple[Any, ...]:
    dims = shape.as_list() if hasattr(shape, "as_list") else shape
    return tuple(None if d == -1 else d for d in dims)


def keys_of(value: np.ndarray[Any, Any]) -> list[str]:
    """Return a string tensor's content as keys."""
    return [each.decode("utf-8", "surrogateescape") for each in value.reshape(-1)]


class _Batch:
    """The messages of one call, with the words its errors need."""

    def __init__(self, serialized: Any, names: Any) -> None:
        if serialized.ndim > 1:
            raise invalid(
                "Expected serialized to be a scalar or vector, got shape: "
                f"{bracketed(serialized.shape)}"
            )
        if names.size and names.shape != serialized.shape:
            raise invalid(
                "Expected names have the same shape as serialized: name.shape="
                f"{bracketed(names.shape)}, serialized.shape={bracketed(serialized.shape)}"
            )
        self.is_single = not serialized.ndim
        self.names = [each.decode("utf-8", "replace") for each in names.reshape(-1)]
        self._serialized = serialized.reshape(-1)
        self._columns: dict[Any, tuple[Any, Any]] = {}
        self._messages: list[Any] | None = None

    def read(self, keys: list[bytes], types: list[Any]) -> None:
        """Read features with the native module, unless protobuf must decide what they are."""
        if native.code is None or len(set(keys)) < len(keys):
            return
        lengths = np.empty((len(keys), len(self._serialized)), np.int64)
        kinds = "".join(_KINDS[dtype] for dtype in types)
        values = native.code.parse_examples(
            np.asarray(self._serialized, order="C"), tuple(keys), kinds, lengths
        )
        if values is None:
            return
        for key, dtype, sizes, column in zip(keys, types, lengths, values, strict=True):
            array = (
                strings(column, (len(column),))
                if dtype is dtypes.string
                else np.frombuffer(column, NUMPY[dtype])
            )
            self._columns[key.decode()] = sizes, array

    def column(self, key: str) -> tuple[Any, Any] | None:
        """Return how many values each example has (-1: none) and all of them, if they were read."""
        return self._columns.get(key)

    @property
    def features(self) -> list[Any]:
        """The features of each example, as messages."""
        if self._messages is None:
            self._messages = list(self._parsed())
        return self._messages

    def _parsed(self) -> Iterator[Any]:
        for data in self._serialized:
            try:
                yield messages.Example.FromString(data).features.feature
            except Exception:  # protobuf's own error class is not loaded here
                shown = data.decode("utf-8", "backslashreplace")
                raise invalid(f"Could not parse example input, value: '{shown}'") from None

    def _name(self, index: int) -> str:
        return self.names[index] if self.names else "<unknown>"

    def where(self, index: int, key: str) -> str:
        """Return the words for a feature of an example."""
        if self.is_single:
            return f"Key: {key}. "
        return f"Name: {self._name(index)}, Key: {key}, Index: {index}. "

    def missing(self, index: int, key: str, dtype: DType) -> Exception:
        """Return the error for a feature that is not there."""
        lead = "" if self.is_single else f"Name: {self._name(index)}, "
        return invalid(
            f"{lead}Feature: {key} (data type: {c_name(dtype)}) is required but could not be found."
        )

    def rows(self, key: str, dtype: Any) -> list[Any]:
        """Return the values of a feature in each example; none where it is missing."""
        if (column := self.column(key)) is not None:
            return _cut(*column, empty(dtype))
        rows = []
        for index, features in enumerate(self.features):
            kind, values = found(features, key)
            if kind is None:
                rows.append(empty(dtype))
                continue
            if kind is not dtype:
                raise invalid(
                    f"{self.where(index, key)} Data types don't match. Expected type: "
                    f"{c_name(dtype)}, Actual type: {c_name(kind)}"
                )
            rows.append(as_array(values, dtype))
        return rows

    def sparse(self, key: str, dtype: Any) -> tuple[Any, Any, Any]:
        """Return indices, values and shape of a feature of varying length."""
        if (column := self.column(key)) is None:
            return sparse_parts(self.rows(key, dtype), dtype, self.is_single)
        lengths, values = column
        content = values if values.dtype == object else torch.from_numpy(values)
        return sparse_of(np.maximum(lengths, 0), content, self.is_single)

    def dense_rows(self, key: str, dtype: DType, default: np.ndarray[Any, Any] | None) -> list[Any]:
        """Return the values of a dense feature; `default` where it is missing."""
        if (column := self.column(key)) is not None:
            if default is None and (column[0] < 0).any():
                raise self.missing(int(np.argmax(column[0] < 0)), key, dtype)
            return _cut(*column, default)
        rows = []
        for index, features in enumerate(self.features):
            kind, values = found(features, key)
            if kind is None:
                if default is None:
                    raise self.missing(index, key, dtype)
                rows.append(default)
                continue
            if kind is not dtype:
                raise invalid(
                    f"{self.where(index, key)} Data types don't match. Data type: {c_name(kind)} "
                    f"but expected type: {c_name(dtype)}"
                )
            rows.append(as_array(values, dtype))
        return rows


_KINDS = {dtypes.int64: "i", dtypes.float32: "f", dtypes.string: "b"}


def _cut(lengths: Any, values: Any, missing: Any) -> list[Any]:
    """Return the values of each example; `missing` where it has none."""
    ends = np.cumsum(np.maximum(lengths, 0)).tolist()
    counts = lengths.tolist()
    return [
        values[end - count : end] if count >= 0 else missing
        for end, count in zip(ends, counts, strict=True)
    ]


def _fixed(batch: _Batch, key: str, dtype: Any, shape: tuple[int, ...], default: Any) -> Any:
    count = int(np.prod(shape, dtype=np.int64))
    if (column := batch.column(key)) is not None and (column[0] == count).all():
        dims = shape if batch.is_single else (len(column[0]), *shape)
        values = column[1].reshape(dims)
        return values if values.dtype == object else torch.from_numpy(values)
    given = to_numpy(default).reshape(-1)
    rows = batch.dense_rows(key, dtype, given if given.size else None)
    result = np.empty((len(rows), count), NUMPY[dtype])
    for index, row in enumerate(rows):
        if len(row) != count:
            raise _miscounted(batch, index, key, dtype, len(row), shape, count)
        result[index] = row
    heads = () if batch.is_single else (len(rows),)
    return from_numpy(result.reshape((*heads, *shape)))


def _miscounted(
    batch: _Batch, index: int, key: str, dtype: DType, size: int, shape: tuple[int, ...], count: int
) -> Exception:
    if not batch.is_single:
        return invalid(
            f"{batch.where(index, key)} Number of {WORDS[dtype]} values != expected.  Values size: "
            f"{size} but output shape: {bracketed(shape)}"
        )
    kind = LISTS[dtype]
    too_many_strings = dtype is dtypes.string and size > count
    why = f"Parsing {kind} failed." if too_many_strings else f"Some {kind} slice was not parsed."
    return invalid(f"{batch.where(index, key)} Can't parse serialized Example: {why}")


def _varying(batch: _Batch, key: str, dtype: Any, shape: tuple[Any, ...], default: Any) -> Any:
    inner = tuple(shape[1:])
    size = int(np.prod(inner, dtype=np.int64))
    rows = batch.dense_rows(key, dtype, empty(dtype))
    for index, row in enumerate(rows):
        if len(row) % size if size else len(row):
            if batch.is_single:
                raise invalid(
                    f"Error while parsing feature with key {key}: number of elements should be "
                    f"divisible by {size}, found {len(row)} instead"
                )
            raise invalid(
                f"{batch.where(index, key)} Number of {WORDS[dtype]} values is not a multiple of "
                f"stride length. Saw {len(row)} values but output shape is: {bracketed(shape)}"
            )
    if batch.is_single:
        return from_numpy(rows[0].reshape(-1, *inner) if size else rows[0].reshape(0, *inner))
    return padded(rows, inner, to_numpy(default).reshape(-1)[0], dtype)


def _check_default(index: int, default: Content, dims: tuple[Any, ...]) -> None:
    given = tuple(default.shape)
    if 0 not in given and given != tuple(dims):
        raise invalid(
            f"def_value[{index}].shape() == {list(given)} is not compatible with "
            f"dense_shapes_[{index}] == {list(dims)}"
        )


@_parse.kernel
def parse_example_kernel(
    serialized: np.ndarray[Any, Any],
    names: np.ndarray[Any, Any],
    sparse_keys: np.ndarray[Any, Any],
    dense_keys: np.ndarray[Any, Any],
    ragged_keys: np.ndarray[Any, Any],
    dense_defaults: list[Content],
    *,
    num_sparse: int,
    sparse_types: tuple[Any, ...],
    ragged_value_types: tuple[Any, ...],
    ragged_split_types: tuple[Any, ...],
    dense_shapes: tuple[Any, ...],
) -> Any:
    dense_types = [dtype_of(each) for each in dense_defaults]
    check_types("Tdense", dense_types)
    lists = (
        (sparse_keys, sparse_types),
        (dense_keys, dense_types),
        (dense_keys, dense_shapes),
        (ragged_keys, ragged_value_types),
        (ragged_keys, ragged_split_types),
    )
    if num_sparse != len(sparse_types):
        raise invalid("len(sparse_keys) != len(sparse_types)")
    if any(keys.size != len(others) for keys, others in lists):
        raise invalid("Expected as many types and shapes as there are keys")
    batch = _Batch(serialized, names)
    keys = [*sparse_keys.reshape(-1), *dense_keys.reshape(-1), *ragged_keys.reshape(-1)]
    batch.read(keys, [*sparse_types, *dense_types, *ragged_value_types])
    sparse = [
        batch.sparse(key, dtype)
        for key, dtype in zip(keys_of(sparse_keys), sparse_types, strict=True)
    ]
    dense: list[Any] = []
    for key, dtype, shape, default in zip(
        keys_of(dense_keys), dense_types, dense_shapes, dense_defaults, strict=True
    ):
        dims = _dims(shape)
        make = _varying if dims and dims[0] is None else _fixed
        if make is _fixed:
            _check_default(len(dense), default, dims)
        dense.append(make(batch, key, dtype, dims, default))
    ragged_values, ragged_splits = [], []
    for key, dtype, split_type in zip(
        keys_of(ragged_keys), ragged_value_types, ragged_split_types, strict=True
    ):
        if (column := batch.column(key)) is not None:
            values, sizes = column[1], np.maximum(column[0], 0).tolist()
        else:
            rows = batch.rows(key, dtype)
            values, sizes = joined(rows, dtype), [len(row) for row in rows]
        ragged_values.append(from_numpy(values))
        # A single example has no rows: TensorFlow leaves its splits empty, without the first 0.
        ends = splits([] if batch.is_single else sizes, split_type)
        ragged_splits.append(ends[:0] if batch.is_single else ends)
    return (
        [part[0] for part in sparse],
        [part[1] for part in sparse],
        [part[2] for part in sparse],
        dense,
        ragged_values,
        ragged_splits,
    )


def _string(values: list[Any]) -> Any:
    return convert_to_tensor(values, dtypes.string)


def _parsed(
    serialized: TensorLike, names: Any, request: Request, name: str | None
) -> dict[str, Any]:
    serialized = convert_to_tensor(serialized)
    if request.ragged_keys and serialized.shape.rank is None:
        raise ValueError("serialized must have statically-known rank to parse ragged features.")
    if serialized.dtype is not dtypes.string:
        serialized = convert_to_tensor(serialized, dtypes.string)
    indices, values, shapes, dense, ragged, row_splits = _parse(
        serialized,
        _string([] if names is None else names),
        _string(request.sparse_keys),
        _string(request.dense_keys),
        _string(request.ragged_keys),
        request.defaults(),
        num_sparse=len(request.sparse_keys),
        sparse_types=tuple(request.sparse_types),
        ragged_value_types=tuple(request.ragged_types),
        ragged_split_types=tuple(request.ragged_split_types),
        dense_shapes=request.shapes(),
        name=name,
    )
    sparse = [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]
    made = [*sparse, *dense, *ragged_of(serialized, ragged, row_splits)]
    return dict(zip(request.keys, made, strict=True))


def _with_free_length(features: dict[Any, Any]) -> Any:
    """Return the features, with the unknown length of sequences as a dimension of its own."""
    sequences = {
        key: feature
        for key, feature in features.items()
        if isinstance(feature, FixedLenSequenceFeature)
    }
    if not all(feature.allow_missing for feature in sequences.values()):
        raise ValueError("Unsupported: FixedLenSequenceFeature requires allow_missing to be True.")
    longer = {key: item._replace(shape=[None, *item.shape]) for key, item in sequences.items()}
    return {**features, **longer}


def parse_example(
    serialized: TensorLike, features: Any, example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Return the features of a vector of serialized examples, as a dictionary of tensors."""
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    features = _with_free_length(features)
    kinds = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)
    request = request_of(features, kinds)
    return composed(features, _parsed(serialized, example_names, request, name))


def parse_single_example(
    serialized: Any, features: Mapping[Any, Any], example_names: Any = None, name: str | None = None
) -> dict[str, Any]:
    """Return the features of one serialized example, as a dict of tensors.

    `serialized`: the bytes of a `tf.train.Example`, a string scalar.
    `features`: a dict from names to what they are: `FixedLenFeature`, `VarLenFeature`,
        `SparseFeature`, `RaggedFeature`, `FixedLenSequenceFeature`.
    `example_names`: a name for error messages.

    Runs on the CPU. Raises InvalidArgumentError if the bytes cannot be parsed, a feature has
    another dtype or size, or one without a default is missing.

    >>> example = tf.train.Example()
    >>> example.features.feature["size"].float_list.value.extend([1.5, 2.5])
    >>> spec = {"size": tf.io.FixedLenFeature([2], tf.float32)}
    >>> tf.io.parse_single_example(example.SerializeToString(), spec)["size"].numpy()
    array([1.5, 2.5], dtype=float32)
    """
    if features is None:
        raise ValueError("Invalid argument: features cannot be None.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    serialized = convert_to_tensor(serialized)
    if serialized.shape.rank:
        raise ValueError("Input serialized must be a scalar")
    return parse_example(serialized, features, example_names, name)
