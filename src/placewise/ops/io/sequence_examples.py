"""Serialized `tf.train.SequenceExample` messages parsed into tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from placewise import messages
from placewise.core import dtypes
from placewise.core.arguments import TensorLike
from placewise.core.dtypes import INDEX, DType
from placewise.core.errors import invalid
from placewise.core.shapes import Static
from placewise.ops.convert import convert_to_tensor
from placewise.ops.declare import define
from placewise.ops.families import bracketed
from placewise.ops.io.composites import composed, ragged_of
from placewise.ops.io.examples import keys_of
from placewise.ops.io.feature_values import (
    FEATURE_TYPES,
    KINDS,
    as_array,
    check_types,
    empty,
    found,
    joined,
    padded,
    sparse_parts,
    splits,
)
from placewise.ops.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    Request,
    VarLenFeature,
    request_of,
)
from placewise.ops.sparse.sparse_tensor import SparseTensor
from placewise.ops.values import Content, c_name, dtype_of, from_numpy, to_numpy

if TYPE_CHECKING:
    import torch


_parse = define(
    "ParseSequenceExampleV2(serialized: string, debug_name: string, context_sparse_keys: string,"
    " context_dense_keys: string, context_ragged_keys: string, feature_list_sparse_keys: string,"
    " feature_list_dense_keys: string, feature_list_ragged_keys: string,"
    " feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: [Tcontext_dense];"
    " Ncontext_sparse: int >= 0 = 0, context_sparse_types: list(type) = [],"
    " context_ragged_value_types: list(type) = [], context_ragged_split_types: list(type) = [],"
    " context_dense_shapes: list(shape) = [], Nfeature_list_sparse: int >= 0 = 0,"
    " Nfeature_list_dense: int >= 0 = 0, feature_list_dense_types: list(type) = [],"
    " feature_list_sparse_types: list(type) = [], feature_list_ragged_value_types: list(type) = [],"
    " feature_list_ragged_split_types: list(type) = [],"
    " feature_list_dense_shapes: list(shape) = [])"
    " -> context_sparse_indices: Ncontext_sparse*int64,"
    " context_sparse_values: [context_sparse_types],"
    " context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: [Tcontext_dense],"
    " context_ragged_values: [context_ragged_value_types],"
    " context_ragged_row_splits: [context_ragged_split_types],"
    " feature_list_sparse_indices: Nfeature_list_sparse*int64,"
    " feature_list_sparse_values: [feature_list_sparse_types],"
    " feature_list_sparse_shapes: Nfeature_list_sparse*int64,"
    " feature_list_dense_values: [feature_list_dense_types],"
    " feature_list_dense_lengths: Nfeature_list_dense*int64,"
    " feature_list_ragged_values: [feature_list_ragged_value_types],"
    " feature_list_ragged_outer_splits: [feature_list_ragged_split_types],"
    " feature_list_ragged_inner_splits: [feature_list_ragged_split_types]",
    devices=("CPU",),
    differentiable=False,
    doc="Return the context features and the feature lists of serialized sequence examples.",
    context_sparse_types=FEATURE_TYPES,
    context_ragged_value_types=FEATURE_TYPES,
    context_ragged_split_types=INDEX,
    feature_list_dense_types=FEATURE_TYPES,
    feature_list_sparse_types=FEATURE_TYPES,
    feature_list_ragged_value_types=FEATURE_TYPES,
    feature_list_ragged_split_types=INDEX,
)


def _dims(shape: Any) -> tuple[Any, ...] | None:
    """Return the sizes of a shape; None where its rank is not known."""
    if shape is None or getattr(shape, "rank", 0) is None:
        return None
    return tuple(shape.as_list() if hasattr(shape, "as_list") else shape)


_COUNTED = {
    "Ncontext_sparse": "context_sparse_types",
    "Nfeature_list_sparse": "feature_list_sparse_types",
    "Nfeature_list_dense": "feature_list_dense_types",
}


@_parse.shape
def parse_sequence_example_shape(serialized: Static, *_: object, **attrs: Any) -> list[Any]:
    heads = serialized.shape
    rank = None if heads is None else len(heads)
    one, two = (None, None) if rank is None else (rank + 1, rank + 2)
    sparse, lists = attrs["Ncontext_sparse"], attrs["Nfeature_list_sparse"]
    ragged = len(attrs["context_ragged_value_types"])
    ragged_lists = len(attrs["feature_list_ragged_value_types"])
    _check_counts(attrs)

    def dense(shapes: tuple[Any, ...], *more: Any) -> list[Any]:
        if heads is None:
            return [None] * len(shapes)
        return [
            (*heads, *more, *dims) if (dims := _dims(shape)) is not None else None
            for shape in shapes
        ]

    return [
        [(None, one)] * sparse,
        [(None,)] * sparse,
        [(one,)] * sparse,
        dense(attrs["context_dense_shapes"]),
        [(None,)] * ragged,
        [(None,)] * ragged,
        [(None, two)] * lists,
        [(None,)] * lists,
        [(two,)] * lists,
        dense(attrs["feature_list_dense_shapes"], None),
        [heads] * attrs["Nfeature_list_dense"],
        [(None,)] * ragged_lists,
        [(None,)] * ragged_lists,
        [(None,)] * ragged_lists,
    ]


def _check_counts(attrs: dict[str, Any]) -> None:
    """Refuse numbers of features that are not those of their types."""
    for count, types in _COUNTED.items():
        if attrs[count] != len(attrs[types]):
            raise invalid(
                f"Expected {count} to be the length of {types}, got {attrs[count]} and "
                f"{len(attrs[types])}"
            )


class _Batch:
    """The messages of one call."""

    def __init__(self, serialized: Any, names: Any) -> None:
        if serialized.ndim > 1:
            raise invalid(
                "Expected serialized to be a scalar or vector, got shape: "
                f"{bracketed(serialized.shape)}"
            )
        self.is_single = not serialized.ndim
        given = [each.decode("utf-8", "replace") for each in names.reshape(-1)]
        self.names = given or ["<unknown>"] * serialized.size
        if len(self.names) != serialized.size:
            raise invalid("Expected debug_name to have as many elements as serialized")
        self.contexts, self.lists = [], []
        for name, data in zip(self.names, serialized.reshape(-1), strict=True):
            try:
                example = messages.SequenceExample.FromString(data)
            except Exception:  # protobuf's own error class is not loaded here
                raise invalid(f"Invalid protocol message input, example id: {name}") from None
            self.contexts.append(example.context.feature)
            self.lists.append(example.feature_lists.feature_list)

    def context(self, key: str, dtype: DType) -> list[Any]:
        """Return the values of a context feature in each example; None where it is missing."""
        rows = []
        for name, features in zip(self.names, self.contexts, strict=True):
            kind, values = found(features, key)
            if kind is not None and kind is not dtype:
                raise invalid(
                    f"Name: {name}, Context feature: {key}.  Data types don't match. Expected "
                    f"type: {c_name(dtype)}"
                )
            rows.append(None if kind is None else as_array(values, dtype))
        return rows

    def steps(
        self, key: str, dtype: DType, missing: Callable[..., Any] | None = None
    ) -> list[list[Any]]:
        """Return for each example the values of each step of a feature list."""
        result: list[list[Any]] = []
        for name, lists in zip(self.names, self.lists, strict=True):
            if key not in lists:
                if missing is not None:
                    missing(name, key)
                result.append([])
                continue
            steps = []
            for index, feature in enumerate(lists[key].feature):
                kind = feature.WhichOneof("kind")
                if kind is None:
                    steps.append(empty(dtype))
                    continue
                if KINDS[kind] is not dtype:
                    raise invalid(
                        f"Name: {name}, Feature list: {key}, Index: {index}.  Data types don't "
                        f"match. Expected type: {c_name(dtype)}"
                    )
                steps.append(as_array(getattr(feature, kind).value, dtype))
            result.append(steps)
        return result


def _context_dense(
    batch: _Batch, key: str, dtype: DType, shape: tuple[Any, ...], default: torch.Tensor
) -> Any:
    dims = _dims(shape)
    if dims is None:
        raise invalid("dense_shapes must have a known rank, got <unknown>")
    count = int(np.prod(dims, dtype=np.int64))
    given = to_numpy(default).reshape(-1)
    rows = batch.context(key, dtype)
    result = np.empty((len(rows), count), given.dtype)
    for index, row in enumerate(rows):
        values = (given if given.size else empty(dtype)) if row is None else row
        if len(values) != count:
            raise invalid(
                f"Inconsistent max number of elements for feature {key}: expected {count}, but "
                f"found {len(values)}"
            )
        result[index] = values
    heads = () if batch.is_single else (len(rows),)
    return from_numpy(result.reshape((*heads, *dims)))


def _require(name: str, key: str) -> None:
    raise invalid(
        f"Name: {name}, Feature list '{key}' is required but could not be found.  Did you mean to "
        "include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
    )


def _list_dense(
    batch: _Batch, key: str, dtype: DType, shape: tuple[Any, ...], may_miss: bool
) -> Any:
    dims = _dims(shape)
    if dims is None:
        raise invalid("dense_shapes must have a known rank, got <unknown>")
    size = int(np.prod(dims, dtype=np.int64))
    examples = batch.steps(key, dtype, None if may_miss else _require)
    for steps in examples:
        total = sum(len(step) for step in steps)
        if any(len(step) != size for step in steps):
            raise invalid(
                f"Feature list '{key}' has an unexpected number of values.  Total values size: "
                f"{total} is not consistent with output shape: {bracketed((None, *dims))}"
            )
    rows = [joined(steps, dtype) for steps in examples]
    lengths = np.array([len(steps) for steps in examples], np.int64)
    if batch.is_single:
        values = from_numpy(rows[0].reshape(len(examples[0]), *dims))
        return values, from_numpy(lengths.reshape(()))
    return padded(rows, dims, b"" if dtype is dtypes.string else 0, dtype), from_numpy(lengths)


def _list_sparse(batch: _Batch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    examples = batch.steps(key, dtype)
    places, rows = [], []
    for example, steps in enumerate(examples):
        for step, values in enumerate(steps):
            rows.append(values)
            places += [(example, step, column) for column in range(len(values))]
    longest = max((len(steps) for steps in examples), default=0)
    widest = max((len(row) for row in rows), default=0)
    indices = np.array(places, np.int64).reshape(-1, 3)
    shape = np.array([len(examples), longest, widest], np.int64)
    start = 1 if batch.is_single else 0
    values = from_numpy(joined(rows, dtype))
    return from_numpy(np.ascontiguousarray(indices[:, start:])), values, from_numpy(shape[start:])


def _list_ragged(batch: _Batch, key: str, dtype: DType, split_type: DType) -> tuple[Any, Any, Any]:
    examples = batch.steps(key, dtype)
    rows = [values for steps in examples for values in steps]
    return (
        from_numpy(joined(rows, dtype)),
        splits([len(steps) for steps in examples], split_type),
        splits([len(row) for row in rows], split_type),
    )


@_parse.kernel
def parse_sequence_example_kernel(
    serialized: np.ndarray[Any, Any],
    debug_name: np.ndarray[Any, Any],
    context_sparse_keys: np.ndarray[Any, Any],
    context_dense_keys: np.ndarray[Any, Any],
    context_ragged_keys: np.ndarray[Any, Any],
    feature_list_sparse_keys: np.ndarray[Any, Any],
    feature_list_dense_keys: np.ndarray[Any, Any],
    feature_list_ragged_keys: np.ndarray[Any, Any],
    feature_list_dense_missing_assumed_empty: torch.Tensor,
    context_dense_defaults: list[Content],
    **attrs: Any,
) -> Any:
    dense_types = [dtype_of(each) for each in context_dense_defaults]
    check_types("Tcontext_dense", dense_types)
    batch = _Batch(serialized, debug_name)
    try:
        pairs = {
            "sparse": _pairs(context_sparse_keys, attrs["context_sparse_types"]),
            "dense": _pairs(
                context_dense_keys,
                dense_types,
                attrs["context_dense_shapes"],
                context_dense_defaults,
            ),
            "ragged": _pairs(
                context_ragged_keys,
                attrs["context_ragged_value_types"],
                attrs["context_ragged_split_types"],
            ),
            "list_sparse": _pairs(feature_list_sparse_keys, attrs["feature_list_sparse_types"]),
            "list_dense": _pairs(
                feature_list_dense_keys,
                attrs["feature_list_dense_types"],
                attrs["feature_list_dense_shapes"],
                feature_list_dense_missing_assumed_empty.tolist(),
            ),
            "list_ragged": _pairs(
                feature_list_ragged_keys,
                attrs["feature_list_ragged_value_types"],
                attrs["feature_list_ragged_split_types"],
            ),
        }
    except ValueError:
        raise invalid("Expected as many types and shapes as there are keys") from None
    sparse = [
        sparse_parts(
            [empty(dtype) if row is None else row for row in batch.context(key, dtype)],
            dtype,
            batch.is_single,
        )
        for key, dtype in pairs["sparse"]
    ]
    dense = [_context_dense(batch, *each) for each in pairs["dense"]]
    ragged = []
    for key, dtype, split_type in pairs["ragged"]:
        rows = [empty(dtype) if row is None else row for row in batch.context(key, dtype)]
        lengths = [] if batch.is_single else [len(row) for row in rows]
        ragged.append((from_numpy(joined(rows, dtype)), splits(lengths, split_type)))
    list_sparse = [_list_sparse(batch, *each) for each in pairs["list_sparse"]]
    list_dense = [_list_dense(batch, *each) for each in pairs["list_dense"]]
    list_ragged = [_list_ragged(batch, *each) for each in pairs["list_ragged"]]
    return (
        *_columns(sparse, 3),
        dense,
        *_columns(ragged, 2),
        *_columns(list_sparse, 3),
        *_columns(list_dense, 2),
        *_columns(list_ragged, 3),
    )


def _pairs(keys: np.ndarray[Any, Any], *others: Any) -> list[Any]:
    return list(zip(keys_of(keys), *others, strict=True))


def _columns(rows: list[Any], count: int) -> list[list[Any]]:
    return [[row[column] for row in rows] for column in range(count)]


def _string(values: list[Any]) -> Any:
    return convert_to_tensor(values, dtypes.string)


def _parsed(
    serialized: TensorLike, names: Any, context: Request, lists: Request, name: str | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    for key, default in lists.dense_defaults.items():
        if default is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
    serialized = convert_to_tensor(serialized)
    has_ragged = context.ragged_keys or lists.ragged_keys
    if has_ragged and serialized.shape.rank is None:
        raise ValueError("serialized must have statically-known rank to parse ragged features.")
    if serialized.dtype is not dtypes.string:
        serialized = convert_to_tensor(serialized, dtypes.string)
    may_miss = convert_to_tensor(
        [key in lists.dense_defaults for key in lists.dense_keys], dtypes.bool
    )
    made = _parse(
        serialized,
        _string([] if names is None else names),
        _string(context.sparse_keys),
        _string(context.dense_keys),
        _string(context.ragged_keys),
        _string(lists.sparse_keys),
        _string(lists.dense_keys),
        _string(lists.ragged_keys),
        may_miss,
        context.defaults(),
        Ncontext_sparse=len(context.sparse_keys),
        context_sparse_types=tuple(context.sparse_types),
        context_ragged_value_types=tuple(context.ragged_types),
        context_ragged_split_types=tuple(context.ragged_split_types),
        context_dense_shapes=context.shapes(),
        Nfeature_list_sparse=len(lists.sparse_keys),
        Nfeature_list_dense=len(lists.dense_keys),
        feature_list_dense_types=tuple(lists.dense_types),
        feature_list_sparse_types=tuple(lists.sparse_types),
        feature_list_ragged_value_types=tuple(lists.ragged_types),
        feature_list_ragged_split_types=tuple(lists.ragged_split_types),
        feature_list_dense_shapes=lists.shapes(),
        name=name,
    )
    sparse = [SparseTensor(*parts) for parts in zip(*made[0:3], strict=True)]
    list_sparse = [SparseTensor(*parts) for parts in zip(*made[6:9], strict=True)]
    ragged = ragged_of(serialized, made[4], made[5])
    list_ragged = ragged_of(serialized, made[11], made[12], made[13])
    return (
        dict(zip(context.keys, [*sparse, *made[3], *ragged], strict=True)),
        dict(zip(lists.keys, [*list_sparse, *made[9], *list_ragged], strict=True)),
        dict(zip(lists.dense_keys, made[10], strict=True)),
    )


def _requests(
    context_features: dict[Any, Any] | None, sequence_features: dict[Any, Any]
) -> tuple[Request, Request]:
    return (
        request_of(context_features, (VarLenFeature, FixedLenFeature, RaggedFeature)),
        request_of(sequence_features, (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)),
    )


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Any = None,
    sequence_features: Any = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return context features, feature lists and their lengths of serialized sequence examples."""
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    context, lists = _requests(context_features, sequence_features)
    of_context, of_lists, lengths = _parsed(serialized, example_names, context, lists, name)
    if context.ragged_keys:
        of_context = composed(context_features, of_context)
    if lists.ragged_keys:
        of_lists = composed(sequence_features, of_lists)
    return of_context, of_lists, lengths


def parse_single_sequence_example(
    serialized: Any,
    context_features: Mapping[Any, Any] | None = None,
    sequence_features: Mapping[Any, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return context features and feature lists of one serialized sequence example."""
    if not (context_features or sequence_features):
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one should have "
            "values."
        )
    serialized = convert_to_tensor(serialized)
    if serialized.shape.rank:
        raise ValueError("Input serialized must be a scalar")
    of_context, of_lists, _ = parse_sequence_example(
        serialized, context_features, sequence_features, example_name, name
    )
    return of_context, of_lists
