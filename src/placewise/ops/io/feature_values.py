"""The values of a feature as arrays, and arrays of several examples put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from placewise.core import dtypes
from placewise.core.dtypes import DType
from placewise.ops.convert import not_allowed
from placewise.ops.values import filled, from_numpy

KINDS = {"int64_list": dtypes.int64, "float_list": dtypes.float32, "bytes_list": dtypes.string}
LISTS = {dtype: kind for kind, dtype in KINDS.items()}
WORDS = {dtypes.int64: "int64", dtypes.float32: "float", dtypes.string: "bytes"}
FEATURE_TYPES = frozenset(WORDS)
NUMPY = {dtypes.int64: np.int64, dtypes.float32: np.float32, dtypes.string: object}


def check_types(attr: str, types: Sequence[Any]) -> None:
    """Raise unless all dtypes are such as examples hold."""
    for dtype in types:
        if dtype not in FEATURE_TYPES:
            raise not_allowed(attr, dtype, FEATURE_TYPES)


def found(features: Any, key: str) -> tuple[Any, Any]:
    """Return dtype and values of a feature of a message; (None, None) if it is not there."""
    if key not in features:
        return None, None
    feature = features[key]
    kind = feature.WhichOneof("kind")
    if kind is None:
        return None, None
    return KINDS[kind], getattr(feature, kind).value


def as_array(values: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Return the values of a list message as an array."""
    if dtype is dtypes.string:
        array = np.empty(len(values), dtype=object)
        array[:] = list(values)
        return array
    return np.fromiter(values, NUMPY[dtype], len(values))


def empty(dtype: DType) -> np.ndarray[Any, Any]:
    """Return no values."""
    return np.empty(0, NUMPY[dtype])


def joined(arrays: list[Any], dtype: DType) -> np.ndarray[Any, Any]:
    """Return arrays one after the other."""
    return np.concatenate(arrays) if arrays else empty(dtype)


def sparse_parts(rows: list[Any], dtype: DType, is_single: bool) -> tuple[Any, Any, Any]:
    """Return indices, values and shape of the sparse tensor with these rows."""
    lengths = np.array([len(row) for row in rows], np.int64)
    return sparse_of(lengths, from_numpy(joined(rows, dtype)), is_single)


def sparse_of(lengths: Any, values: Any, is_single: bool) -> tuple[Any, Any, Any]:
    """Return indices, values and shape of the sparse tensor with rows of these lengths."""
    total = int(lengths.sum())
    columns = np.arange(total, dtype=np.int64) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if is_single:
        return torch.from_numpy(columns[:, None]), values, torch.from_numpy(lengths.copy())
    indices = np.empty((total, 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(lengths)), lengths)
    indices[:, 1] = columns
    shape = np.array([len(lengths), lengths.max(initial=0)], np.int64)
    return torch.from_numpy(indices), values, torch.from_numpy(shape)


def splits(lengths: list[int], dtype: DType) -> Any:
    """Return row splits of rows of these lengths."""
    return from_numpy(np.concatenate([[0], np.cumsum(lengths)]).astype(dtype.as_numpy_dtype))


def padded(rows: list[Any], inner: tuple[int, ...], default: Any, dtype: DType) -> Any:
    """Return rows of pieces of shape `inner`, filled up to the longest."""
    size = int(np.prod(inner, dtype=np.int64))
    longest = max((len(row) // size if size else 0 for row in rows), default=0)
    result = filled((len(rows), longest * size), default, NUMPY[dtype])
    for number, row in enumerate(rows):
        result[number, : len(row)] = row
    return from_numpy(result.reshape(len(rows), longest, *inner))
